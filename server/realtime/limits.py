"""How far a client may go with the clock of a cell, and with its recorder."""

SLOWEST, FASTEST = 0.01, 100.0  # simulated over real time; chosen
MOST_STEPS = 10_000  # ticks of one Step; chosen: ten seconds of a cell
MOST_EVERY = 1_000_000  # rows of which a recording keeps one; chosen: more is a slip of the hand
