"""On what the figures were measured."""

import os
import platform
import subprocess
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).parent.parent
LIBRARIES = ("numba", "llvmlite", "numpy", "mujoco", "pin")


def machine() -> dict[str, str | int | float]:
    """Processor, versions, commit, and how busy the machine was."""
    return {
        "cpu": _cpu_model(),
        "cores": os.cpu_count() or 0,
        "load_average": round(os.getloadavg()[0], 2),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{name: version(name) for name in LIBRARIES},
        "commit": _git("rev-parse", "--short", "HEAD") or "none",
        "uncommitted_changes": "yes" if _git("status", "--porcelain", "sim", "config") else "no",
    }


def _cpu_model() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or "unknown"


def _git(*arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return done.stdout.strip() if done.returncode == 0 else ""
