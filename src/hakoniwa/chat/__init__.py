"""Chat: one persona and one user, exchange by exchange, as the journal keeps them."""
