"""The ways memory is searched, one file each. Each comes up with what it can, best first, within its time."""
