"""The GM: reads a performance, judges it against the world, and says what it changes. Rules, no model."""
