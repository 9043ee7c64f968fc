"""What a person who uses the client has to change."""


class Mistake(Exception):
    """It cannot be done as it was asked; the text says why, the hint what would help."""

    def __init__(self, problem: str, hint: str = "") -> None:
        super().__init__(problem)
        self.hint = hint
        if hint:
            self.add_note(f"  hint: {hint}")  # a test that fails shows it
