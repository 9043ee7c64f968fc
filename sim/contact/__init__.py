"""Contact surfaces: who touches whom, where, and how hard."""
