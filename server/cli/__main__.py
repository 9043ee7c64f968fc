"""`python -m server.cli` is `twincell`."""

from server.cli import main

main()
