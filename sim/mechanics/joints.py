"""All types of joints: the only list of them. `docs/engine/new_joint.md` says how to add one."""

from twincell.sim.mechanics.joint_prismatic import PRISMATIC
from twincell.sim.mechanics.joint_revolute import REVOLUTE
from twincell.sim.mechanics.joint_screw import SCREW
from twincell.sim.mechanics.joint_type import JointType

JOINTS: tuple[JointType, ...] = (REVOLUTE, PRISMATIC, SCREW)


def joint_type(name: str) -> JointType:
    """The type that files call by this name; a table without one is a mistake of ours."""
    for joint in JOINTS:
        if joint.type == name:
            return joint
    raise TypeError(f"there is no joint type {name} in sim/mechanics/joints.py")
