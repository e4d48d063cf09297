"""Figures and examples that anyone can make again."""
