"""twincell nodeset: a file for a PLC's tool, whole or not at all."""

from lxml import etree


def test_the_nodes_of_a_cell_become_a_file(twincell, small_cell, tmp_path):
    ended = twincell("nodeset", small_cell, "--out", "cell.xml")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == "written: cell.xml\n"
    root = etree.parse(tmp_path / "cell.xml").getroot()
    ids = {element.get("NodeId") for element in root}
    assert {"ns=2;s=Tool.Pose.X", "ns=2;s=Flange.Closed", "ns=1;s=CellType"} <= ids


def test_the_cell_file_is_not_written_over(twincell, small_cell):
    before = small_cell.read_text(encoding="utf-8")
    ended = twincell("nodeset", small_cell, "--out", small_cell)
    assert ended.code == 2
    assert "is the cell file itself" in ended.err
    assert small_cell.read_text(encoding="utf-8") == before


def test_a_folder_that_is_not_there_is_named(twincell, small_cell):
    ended = twincell("nodeset", small_cell, "--out", "nowhere/cell.xml")
    assert ended.code == 2
    assert "there is no folder nowhere" in ended.err


def test_a_cell_with_mistakes_gives_no_file(twincell, tmp_path):
    ended = twincell("nodeset", "no_such_cell", "--out", "cell.xml")
    assert ended.code == 2
    assert "no shipped cell is called 'no_such_cell'" in ended.err
    assert not (tmp_path / "cell.xml").exists()
