"""`python -m twincell.server.cli` is `twincell`."""

from twincell.server.cli import main

main()
