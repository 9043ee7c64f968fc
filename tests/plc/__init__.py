"""A PLC that is not ours, in front of our cells: awlsim, which runs programs for S7 in AWL."""
