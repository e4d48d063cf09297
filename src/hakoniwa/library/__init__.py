"""The library: gardens from Python, for those who measure and for those who bring their own minds and models."""
