"""Play: one turn, one session, and the loop that goes on until something ends it."""
