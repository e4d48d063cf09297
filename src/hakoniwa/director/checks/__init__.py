"""The checks, one file each, found by name."""
