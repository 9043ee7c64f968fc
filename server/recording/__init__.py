"""Recordings of a cell: MCAP files that hold every row bit by bit, and what is done with them."""
