"""Hakoniwa: a miniature garden in which AI characters live, refereed by code."""
