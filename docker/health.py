"""Asks the cell of this container how it is; the exit code is what Docker wants to know."""

import os
import sys
import urllib.error
import urllib.request

PORT = os.environ.get("TWINCELL_METRICS", "9840")

try:
    with urllib.request.urlopen(f"http://127.0.0.1:{PORT}/health", timeout=4) as answer:
        print(answer.read().decode().strip())
except urllib.error.HTTPError as failing:
    print(failing.read().decode().strip())
    sys.exit(1)
except OSError as error:
    print(f"nobody answers at port {PORT}: {error}")
    sys.exit(1)
