"""What a model server is tried for: one file a trial, each a function from the bench to what it found."""
