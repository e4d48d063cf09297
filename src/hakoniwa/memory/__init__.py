"""Memory: what a Ghost remembers, and what comes to its mind. What is recalled follows from who the persona is."""
