"""One file per group of commands of the prompt; the registry finds them by itself."""
