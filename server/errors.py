"""What the user has to change before it can be done."""


class Refusal(Exception):
    """The user has to change something; the text says what."""

    def __init__(self, problem: str, hint: str = "") -> None:
        super().__init__(f"{problem}\n  hint: {hint}" if hint else problem)
