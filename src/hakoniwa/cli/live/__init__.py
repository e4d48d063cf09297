"""A garden at play in the terminal: the show, the prompt, and what can be typed there."""
