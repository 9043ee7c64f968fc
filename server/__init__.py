"""Everything around the simulation that has a clock, a wire, a file or a user."""
