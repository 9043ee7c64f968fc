"""Where each key of a TOML text stands: `tomllib` reads values, but forgets their lines.

The text has been accepted by `tomllib` before, so the scanner need not judge it: it follows
brackets, strings and keys, and skips everything else.
"""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass

from twincell.sim.spec.problems import key_of

Parts = tuple[str | int, ...]

# A multi-line string may end in up to five quotes: two of its own, then the three that close it.
TOKEN = re.compile(
    r'''
      (?P<text>  """ (?: \\. | [^\\] )*? """ "{0,2}
               | \'\'\' .*? \'\'\' \'{0,2}
               | " (?: \\. | [^"\\] )* "
               | ' [^']* ' )
    | (?P<skip>  [ \t\r]+ | \#[^\n]* )
    | (?P<line>  \n )
    | (?P<mark>  [][{}=,.] )
    | (?P<bare>  [^][{}=,.\s\#"']+ )
    ''',
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True)
class Token:
    """A piece of the text that means something."""

    kind: str  # text, line, mark or bare; "end" after the last
    text: str
    line: int


END_OF_VALUE = {",", "]", "}", "\n", ""}


def key_lines(text: str) -> dict[str, int]:
    """Line of every key of a valid TOML text, tables and places in lists included."""
    return _Scanner(text).scan()


def _tokens(text: str) -> Iterator[Token]:
    line = 1
    for match in TOKEN.finditer(text):
        kind = match.lastgroup or ""
        if kind != "skip":
            yield Token(kind, match[0], line)
        line += match[0].count("\n")
    yield Token("end", "", line)


class _Scanner:
    """Walks once through the text, always one token ahead."""

    def __init__(self, text: str) -> None:
        self.tokens = _tokens(text)
        self.next = next(self.tokens)
        self.lines: dict[str, int] = {}
        self.n_tables: dict[Parts, int] = {}  # of each list of tables, so far

    def scan(self) -> dict[str, int]:
        table: Parts = ()
        self._skip_lines()
        while self.next.kind != "end":
            if self.next.text == "[":
                table = self._header()
            else:
                self._assignment(table)
            self._skip_lines()
        return self.lines

    def _take(self) -> Token:
        taken = self.next
        self.next = next(self.tokens, taken)
        return taken

    def _skip_lines(self) -> None:
        while self.next.kind == "line":
            self._take()

    def _note(self, parts: Parts, line: int) -> None:
        """The line where a key is defined, and a first guess for the tables that lead to it."""
        for length in range(1, len(parts)):
            self.lines.setdefault(key_of(parts[:length]), line)
        self.lines[key_of(parts)] = line

    def _header(self) -> Parts:
        line = self._take().line
        is_list = self.next.text == "["
        if is_list:
            self._take()
        *above, last = self._key()
        self._take()
        if is_list:
            self._take()

        # a name that stands for a list of tables means its latest one
        table: Parts = ()
        for part in above:
            table = self._latest((*table, part))
        table = (*table, last)
        if is_list:
            self.lines.setdefault(key_of(table), line)
            self.n_tables[table] = self.n_tables.get(table, 0) + 1
            table = self._latest(table)
        self._note(table, line)
        return table

    def _latest(self, table: Parts) -> Parts:
        n = self.n_tables.get(table)
        return table if n is None else (*table, n - 1)

    def _key(self) -> list[str]:
        parts = [self._key_part()]
        while self.next.text == ".":
            self._take()
            parts.append(self._key_part())
        return parts

    def _key_part(self) -> str:
        token = self._take()
        if token.kind == "bare":
            return token.text
        # only tomllib knows all escapes of a quoted key
        return str(tomllib.loads(f"key = {token.text}")["key"])

    def _assignment(self, table: Parts) -> None:
        line = self.next.line
        parts = (*table, *self._key())
        self._note(parts, line)
        self._take()  # the equals sign
        self._value(parts)

    def _value(self, parts: Parts) -> None:
        if self.next.text == "[":
            self._list(parts)
        elif self.next.text == "{":
            self._inline_table(parts)
        else:
            while self.next.text not in END_OF_VALUE:
                self._take()

    def _list(self, parts: Parts) -> None:
        self._take()
        index = 0
        while not self._at_close("]"):
            self._note((*parts, index), self.next.line)
            self._value((*parts, index))
            index += 1

    def _inline_table(self, parts: Parts) -> None:
        self._take()
        while not self._at_close("}"):
            self._assignment(parts)

    def _at_close(self, bracket: str) -> bool:
        """Go on to the next item, or past the closing bracket."""
        self._skip_lines()
        if self.next.text == ",":
            self._take()
            self._skip_lines()
        if self.next.text == bracket:
            self._take()
            return True
        return False
