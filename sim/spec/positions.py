"""Where each key of a TOML text stands: `tomllib` reads values, but forgets their lines.

The text has been accepted by `tomllib` before, so the scanner need not judge it: it follows
brackets, strings and keys, and skips everything else. Each key is made from that of its table, so
the work grows as the text does: `depth.py` has seen that no key leads far.
"""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass

from twincell.sim.spec.problems import key_below

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
    | (?P<unclosed> ["'] )
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


def tokens(text: str) -> Iterator[Token]:
    """The pieces of a text; of one that is not valid, those before a quote that nothing closes."""
    line = 1
    for match in TOKEN.finditer(text):
        kind = match.lastgroup or ""
        if kind == "unclosed":
            break
        if kind != "skip":
            yield Token(kind, match[0], line)
        line += match[0].count("\n")
    yield Token("end", "", line)


class _Scanner:
    """Walks once through the text, always one token ahead."""

    def __init__(self, text: str) -> None:
        self.tokens = tokens(text)
        self.next = next(self.tokens)
        self.lines: dict[str, int] = {}
        self.n_tables: dict[str, int] = {}  # of each list of tables, so far

    def scan(self) -> dict[str, int]:
        table = ""
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

    def _header(self) -> str:
        line = self._take().line
        is_list = self.next.text == "["
        if is_list:
            self._take()
        *above, last = self._key()
        self._take()
        if is_list:
            self._take()

        # a name that stands for a list of tables means its latest one
        table = ""
        for part in above:
            table = key_below(table, part)
            self.lines.setdefault(table, line)
            table = self._latest(table, line)
        table = key_below(table, last)
        if is_list:
            self.lines.setdefault(table, line)
            self.n_tables[table] = self.n_tables.get(table, 0) + 1
            table = self._latest(table, line)
        self.lines[table] = line
        return table

    def _latest(self, table: str, line: int) -> str:
        n = self.n_tables.get(table)
        if n is None:
            return table
        latest = key_below(table, n - 1)
        self.lines.setdefault(latest, line)
        return latest

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

    def _assignment(self, table: str) -> None:
        line = self.next.line
        key = table
        for part in self._key():
            key = key_below(key, part)
            # a first guess for the tables that lead to it: one may have a line of its own
            self.lines.setdefault(key, line)
        self.lines[key] = line
        self._take()  # the equals sign
        self._value(key)

    def _value(self, key: str) -> None:
        if self.next.text == "[":
            self._list(key)
        elif self.next.text == "{":
            self._inline_table(key)
        else:
            while self.next.text not in END_OF_VALUE:
                self._take()

    def _list(self, key: str) -> None:
        self._take()
        place = 0
        while not self._at_close("]"):
            item = key_below(key, place)
            self.lines[item] = self.next.line
            self._value(item)
            place += 1

    def _inline_table(self, key: str) -> None:
        self._take()
        while not self._at_close("}"):
            self._assignment(key)

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
