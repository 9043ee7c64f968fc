"""The memory that the processes of a cell share, and who writes what in it."""
