"""Lets the tests of this folder import what they share: oracles, dense_oracle, scenes."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
