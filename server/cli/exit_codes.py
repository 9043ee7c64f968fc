"""How a command ends when it did not do what was asked."""

BAD_INPUT = 2  # a mistake in a file, a name or an option
FAULT = 3  # the simulation stopped itself
INTERRUPTED = 130  # Ctrl-C, as shells count it
TERMINATED = 143
