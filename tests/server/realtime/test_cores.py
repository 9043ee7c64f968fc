"""The quietest core is the one with the fewest interrupts from devices."""

from server.realtime.cores import quietest

TABLE = """\
           CPU0       CPU1       CPU2
 24:          1          0          7  IO-APIC   5-edge      ACPI:Ged
 36:         50     696487         12  PCI-MSIX-0000:00:02.0   1-edge      virtio1-req.0
LOC:          0    4012982    9999999  Local timer interrupts
ERR:          0
"""


def test_the_core_with_the_fewest_interrupts_from_devices_is_chosen(tmp_path):
    table = tmp_path / "interrupts"
    table.write_text(TABLE, encoding="ascii")
    assert quietest({0, 1, 2}, table) == 2  # timers are everywhere and do not count
    assert quietest({0, 1}, table) == 0


def test_without_a_table_it_is_the_last_core(tmp_path):
    assert quietest({0, 1, 2}, tmp_path / "missing") == 2
    for text in ("", "this is\nno: table 1 2"):
        (tmp_path / "odd").write_text(text, encoding="ascii")
        assert quietest({0, 1, 2}, tmp_path / "odd") == 2


def test_of_equally_quiet_cores_it_is_the_last(tmp_path):
    table = tmp_path / "interrupts"
    table.write_text("  CPU0 CPU1\n 1: 5 5 x\n", encoding="ascii")
    assert quietest({0, 1}, table) == 1
