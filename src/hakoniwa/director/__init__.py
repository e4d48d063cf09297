"""The Director: sanitizes, checks, asks for retakes, and decides who is next."""
