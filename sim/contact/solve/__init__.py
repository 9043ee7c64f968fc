"""Contact forces: how hard what touches is pushed until the next tick."""
