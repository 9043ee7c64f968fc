"""A robot that is drawn by a mesh, in a real browser, and who may have its file."""

import urllib.error
import urllib.request
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.server.web.conftest import Shown
from tests.server.web.test_meshes import robot

TRIANGLES = """() => {
  const meshes = window.twincellScene.view.things.find((thing) => thing.name === "One").meshes;
  return meshes.map((mesh) => [mesh.geometry.attributes.position.count, mesh.scale.x]);
}"""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return robot(tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="module")
def cell_text(model: Path) -> str:
    return f'name = "Mesh cell"\n[server]\nanonymous = "nobody"\n[robot.One]\nmodel = "{model}"\n'


def test_a_mesh_is_drawn_and_only_for_those_who_may_look(page: Page, shown: Shown):
    page.wait_for_function(f"({TRIANGLES})().length === 1")
    assert page.evaluate(TRIANGLES) == [[3, 2]]
    # a browser that has logged in, and somebody who has not
    assert page.request.get(f"{shown.url}/mesh/0").body() != b""
    for wrong in ("1", "-1", "..%2Fcell.toml", "x"):
        assert page.request.get(f"{shown.url}/mesh/{wrong}").status in (404, 422)
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(f"{shown.url}/mesh/0", timeout=60)
