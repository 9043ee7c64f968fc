"""How a command ends when it cannot do what was asked."""

BAD_INPUT = 2  # a mistake in a file, a name or an option
FAULT = 3  # the simulation stopped itself
INTERRUPTED = 130  # Ctrl-C, as shells count it
TERMINATED = 143


class Refusal(Exception):
    """The user has to change something; the text says what."""

    def __init__(self, problem: str, hint: str = "") -> None:
        super().__init__(f"{problem}\n  hint: {hint}" if hint else problem)
