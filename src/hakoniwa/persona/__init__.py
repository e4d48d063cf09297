"""The persona: who somebody is over time, and the values that everything a Ghost keeps is made of."""
