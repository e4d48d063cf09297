"""The Stage: the world, its names, what is seen of it and believed about it. No model, no opinions."""
