"""How fast twincell is, alone and beside other simulators: `make bench`."""
