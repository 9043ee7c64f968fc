"""Sessions: who a client acts for, and what it may do."""
