"""Methods of the address space: their names, what they take and what they give back.

A robot has the command signal `Stop`, a level; its method is therefore called `StopMove`, as no
two members of an object may have one name.
"""

from dataclasses import dataclass

from asyncua import ua
from asyncua.ua import ObjectIds

from twincell.server.opcua.space.namespaces import base_id


@dataclass(frozen=True)
class Parameter:
    """One argument of a method."""

    name: str
    data_type: int
    description: str
    length: int | None = None  # of an array, 0 when it may be any

    @property
    def argument(self) -> ua.Argument:
        """It, as a client is told."""
        return ua.Argument(
            self.name,
            base_id(self.data_type),
            -1 if self.length is None else 1,
            [] if self.length is None else [self.length],
            ua.LocalizedText(self.description),
        )


@dataclass(frozen=True)
class Method:
    """A method: what goes in and what comes out."""

    name: str
    description: str
    takes: tuple[Parameter, ...] = ()
    gives: tuple[Parameter, ...] = ()


SIMULATION_METHODS = (
    Method("Pause", "Stop the clock of the cell between two ticks"),
    Method("Resume", "Let the clock of the cell go on"),
    Method("Reset", "Put the cell back to its start"),
    Method(
        "Step",
        "Run some ticks of a cell that is paused or in lock step",
        (Parameter("N", ObjectIds.UInt32, "How many ticks, 1 to 10 000"),),
        (Parameter("Tick", ObjectIds.Int64, "Number of the next tick"),),
    ),
    Method(
        "SetSpeed",
        "Run slower or faster than real time",
        (Parameter("Speed", ObjectIds.Double, "Simulated over real time, 0.01 to 100"),),
    ),
    Method(
        "SetTimeMode",
        "Choose who moves simulated time",
        (
            Parameter("Mode", ObjectIds.String, "FreeRun, Handshake or LockStep"),
            Parameter("CycleMs", ObjectIds.Double, "The controller's cycle [ms]; 0 leaves it"),
        ),
    ),
    Method(
        "Snapshot",
        "Keep the state of the cell in this tick",
        gives=(Parameter("Id", ObjectIds.Int64, "What Restore wants"),),
    ),
    Method(
        "Restore",
        "Put the cell back to a kept state",
        (Parameter("Id", ObjectIds.Int64, "What Snapshot gave"),),
    ),
    Method(
        "StartRecording",
        "Record into a new file in the server's folder",
        (
            Parameter("Name", ObjectIds.String, "Of the file, without a folder"),
            Parameter("Every", ObjectIds.UInt32, "Keep one of so many rows; 1: all of them"),
            Parameter("Signals", ObjectIds.String, "Names, or such as Tool1.*; none: all", 0),
        ),
        (Parameter("File", ObjectIds.String, "Where it is"),),
    ),
    Method(
        "StopRecording",
        "End the recording",
        gives=(Parameter("Rows", ObjectIds.Int64, "How many are in it"),),
    ),
    Method(
        "InjectFault",
        "Move a fault lever: break something in the cell, or repair it",
        (
            Parameter("Name", ObjectIds.String, "Of the lever, such as Stand1.Fault.Empty"),
            Parameter("Value", ObjectIds.Double, "1 where a lever is on or off; 0 clears it"),
        ),
    ),
    Method(
        "InjectProtocolFault",
        "Let values or answers be late, irregular, lost or bad",
        (
            Parameter("Kind", ObjectIds.String, "delay, jitter, drop or bad"),
            Parameter("Target", ObjectIds.String, "Signals such as Tool1.*, or session and a name"),
            Parameter("Amount", ObjectIds.Double, "Milliseconds, or a share; 0 clears it"),
            Parameter("Seconds", ObjectIds.Double, "How long it lasts; 0 until it is cleared"),
        ),
    ),
    Method(
        "ForceSignal",
        "Hold a signal at a value for all clients, or a command for the cell",
        (
            Parameter("Name", ObjectIds.String, "Of the signal, such as Tool1.Force.Z"),
            Parameter("Value", ObjectIds.Double, "0 or 1 for a Boolean"),
            Parameter("Seconds", ObjectIds.Double, "How long it lasts; 0 until it is released"),
        ),
    ),
    Method(
        "ReleaseSignal",
        "Let a forced signal be what it is",
        (Parameter("Name", ObjectIds.String, "Of the signal"),),
    ),
    Method("ClearFaults", "End all faults that were injected, and release all signals"),
)

_POSITION = Parameter("Position", ObjectIds.Double, "Tool centre point x, y, z in the world [m]", 3)
_QUATERNION = Parameter("Quaternion", ObjectIds.Double, "Its orientation w, x, y, z", 4)
_SPEED = Parameter("Speed", ObjectIds.Double, "Share of the joints' greatest speeds, up to 1")
_TCP_SPEED = Parameter("TcpSpeed", ObjectIds.Double, "Speed of the tool centre point [m/s]")
_TCP_TURN = Parameter("TcpTurn", ObjectIds.Double, "How fast the tool may turn [rad/s]")
_POINTS = Parameter(
    "Points", ObjectIds.Double, "Eight numbers a point: x, y, z, qw, qx, qy, qz, blend [m]", 0
)


def robot_methods(n_axis: int) -> tuple[Method, ...]:
    """Methods of a robot with so many axes; 0 leaves their number open."""
    target = Parameter("Target", ObjectIds.Double, "A position a joint [rad, m]", n_axis)
    return (
        Method("MoveJoint", "Move all joints together", (target, _SPEED)),
        Method(
            "MoveJointToPose",
            "Move all joints together until the tool centre point is at a pose",
            (_POSITION, _QUATERNION, _SPEED),
        ),
        Method(
            "MoveLinear",
            "Move the tool centre point on a straight line",
            (_POSITION, _QUATERNION, _TCP_SPEED, _TCP_TURN),
        ),
        Method(
            "MoveVia",
            "Move the tool centre point on lines past points",
            (_POINTS, _TCP_SPEED, _TCP_TURN),
        ),
        Method("StopMove", "Brake on the path, and be ready for the next move"),
    )
