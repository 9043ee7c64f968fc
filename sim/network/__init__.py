"""The constraint network: who is caught by whom, and with what force it is held."""
