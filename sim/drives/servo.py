"""Servo drives: they pull their joints to the target with what torque they have.

    effort = ff + K (q* - q) + D (q̇* - q̇) + z        cut to what the drive can do
    z₊ = z + h K_i (q* - q)                           once a tick; not further into the cut

K and D act at every stage, like a spring and a damper, so that stability is a question of joints
(`build/stability.py`); feed-forward ff and integral z are held for a tick, as a controller does.
"""

from twincell.sim.jit import line


@line
def drive(model, state, scratch, stage):
    """Add the effort of every servo drive to what acts in its joint."""
    axes = model.axes
    targets = scratch.targets
    for axis in range(axes.joint.shape[0]):
        if axes.ideal[axis] == 1:
            continue
        joint = axes.joint[axis]
        error = targets.q[axis] - scratch.motion.q[joint]
        slip = targets.qd[axis] - scratch.motion.qd[joint]
        wanted = targets.forward[axis] + state.robots.integral[axis]
        wanted += axes.stiffness[axis] * error + axes.damping[axis] * slip
        most = axes.effort[axis]
        effort = min(max(wanted, -most), most)
        targets.effort[axis] = effort
        scratch.placed.effort[joint] += effort
        if stage == 0:
            more = model.step * axes.integral[axis] * error
            if effort == wanted or wanted * more < 0.0:
                targets.integral[axis] = state.robots.integral[axis] + more
            else:
                targets.integral[axis] = state.robots.integral[axis]
