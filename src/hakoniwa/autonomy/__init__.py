"""Autonomy: what a persona does by itself between exchanges, and how it tells of it."""
