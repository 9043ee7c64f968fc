"""The narrow phase: how far two surfaces are apart, and where they touch."""
