"""How far a client may go with the clock of a cell."""

SLOWEST, FASTEST = 0.01, 100.0  # simulated over real time; chosen
MOST_STEPS = 10_000  # ticks of one Step; chosen: ten seconds of a cell
