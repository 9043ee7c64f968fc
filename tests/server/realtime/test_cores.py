"""The loop gets the core with the fewest interrupts from devices; all others keep off it."""

import multiprocessing
import os
import threading

from twincell.server.realtime.cores import Shares, keep_to, quietest, share_out

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


def test_the_loop_has_a_core_for_itself_where_there_are_two():
    shares = share_out({3, 4, 6})
    assert shares.loop in {3, 4, 6}
    assert shares.rest == {3, 4, 6} - {shares.loop}
    assert share_out({3}) == Shares({3}, None, {3})


def live_with_a_thread(pipe):
    threading.Thread(target=pipe.recv).start()  # ends when something is said
    pipe.send("lives")


def test_a_process_is_kept_to_its_cores_with_all_its_threads():
    forked = multiprocessing.get_context("fork")
    ours, theirs = forked.Pipe()
    process = forked.Process(target=live_with_a_thread, args=(theirs,))
    process.start()
    assert ours.recv() == "lives"
    cores = {min(os.sched_getaffinity(0))}
    keep_to(cores, process.pid)
    threads = [int(thread) for thread in os.listdir(f"/proc/{process.pid}/task")]
    found = [os.sched_getaffinity(thread) for thread in threads]
    ours.send("end")
    process.join()
    assert found == [cores, cores]
    keep_to(cores, process.pid)  # of one that has ended: nothing to do
