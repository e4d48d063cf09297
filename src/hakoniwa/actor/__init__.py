"""The Actor: who a character is, and the minds that think and perform."""
