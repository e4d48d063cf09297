"""Pictures of things and faces of people, found by name and drawn from art that is in the package."""
