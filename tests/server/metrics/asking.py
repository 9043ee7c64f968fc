"""Ask a running cell how it is, as Prometheus and a health check do: over HTTP."""

import json
import urllib.error
import urllib.request
from typing import NamedTuple

from prometheus_client.parser import text_string_to_metric_families

PATIENCE_S = 30.0  # the machine may be busy with other tests


class Told(NamedTuple):
    """An answer."""

    status: int
    kind: str
    body: str


def ask(url: str, accept: str = "") -> Told:
    request = urllib.request.Request(url, headers={"Accept": accept} if accept else {})
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
            return Told(answer.status, answer.headers["Content-Type"], answer.read().decode())
    except urllib.error.HTTPError as refused:
        return Told(refused.code, refused.headers["Content-Type"], refused.read().decode())


def health(url: str) -> tuple[int, dict[str, str]]:
    told = ask(f"{url}/health")
    return told.status, json.loads(told.body)


def metrics(url: str) -> dict[str, float]:
    """All samples by name, with their labels as Prometheus writes them: faults{kind=lever}."""
    found = {}
    for family in text_string_to_metric_families(ask(f"{url}/metrics").body):
        for sample in family.samples:
            labels = ",".join(f"{key}={value}" for key, value in sorted(sample.labels.items()))
            found[sample.name + (f"{{{labels}}}" if labels else "")] = sample.value
    return found
