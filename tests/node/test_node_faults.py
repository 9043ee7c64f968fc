"""node-opcua experiences protocol faults as asyncua's client does."""

from asyncua import ua

BAD = ua.StatusCodes.BadSensorFailure
GOOD = {"status": "Good", "inputs": [], "outputs": []}
TICK = "Simulation.Tick"


def test_a_bad_signal_keeps_its_last_value_and_is_told_once(play):
    told = play("faults")["bad"]
    assert told["injected"] == told["cleared"] == GOOD
    assert told["active"] == [[f"bad {TICK}"], 1]
    assert told["seen"] == ["BadSensorFailure", 5]
    good = [[tick, 0] for tick in (0, 1, 2, 3, 4, 5)]
    assert told["samples"] == [*good, [5, BAD], *([tick, 0] for tick in range(16, 21))]


def test_a_delayed_signal_is_late_and_complete(play):
    told = play("faults")["delay"]
    assert told["active"] == [[f"delay {TICK} = 4 ms"], 1]
    assert told["seen"] == ["Good", 11]
    assert told["samples"] == [[tick, 0] for tick in range(21)]


def test_dropped_samples_never_come(play):
    told = play("faults")["drop"]
    assert told["seen"] == ["Good", 5]
    assert [tick for tick, _ in told["samples"]] == [*range(6), *range(16, 21)]


def test_a_client_is_held_up_and_cut_off_and_the_other_is_not(play):
    told = play("faults")["clients"]
    assert told["lateMs"] >= 300
    assert told["cut"] != "Good"
    assert told["other"] == [[f"drop {told['target']} = 1"], 20]


def test_a_refused_fault_tells_which_argument_was_wrong(play):
    wrong = play("faults")["wrong"]
    assert wrong["status"] == "BadInvalidArgument"
    assert wrong["inputs"] == ["Good", "BadOutOfRange", "Good", "Good"]
    assert play("faults")["unknown"]["status"] == "BadNotFound"
