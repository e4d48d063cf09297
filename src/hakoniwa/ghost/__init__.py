"""The Ghost: a persona's inner life over time. What is remembered and recalled follows from who somebody is."""
