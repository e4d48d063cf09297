"""The routes, one file each."""
