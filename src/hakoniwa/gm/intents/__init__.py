"""The physical intents, one file each, found by name."""
