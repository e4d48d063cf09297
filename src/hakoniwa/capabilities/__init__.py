"""What a persona can have done, one file each: work in, facts in nobody's voice out."""
