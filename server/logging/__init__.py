"""Log lines: their form, how often one is repeated, their pipe to the supervisor."""
