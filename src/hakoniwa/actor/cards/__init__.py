"""Character cards of SillyTavern (V1, V2, V3), in and out: JSON, PNG pictures, CHARX archives."""
