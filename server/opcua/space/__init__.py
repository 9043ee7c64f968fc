"""The address space: the cell's signals as nodes."""
