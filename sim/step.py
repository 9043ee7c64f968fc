"""One tick of the cell, top to bottom. `docs/engine/tick.md` has one heading per line of `step`."""

from twincell.sim import integrate, sense
from twincell.sim.contact.detect.find_contacts import find_contacts
from twincell.sim.contact.solve.contact_step import push_contacts
from twincell.sim.contact.solve.tick_way import shift_bodies
from twincell.sim.contact.touching import anything_touches
from twincell.sim.devices.advance import advance_devices
from twincell.sim.devices.holds import measure_loads
from twincell.sim.drives.feed_forward import feed_forward
from twincell.sim.drives.ideal import find_efforts
from twincell.sim.drives.servo import drive
from twincell.sim.fault import NO_FAULT
from twincell.sim.jit import entry, kernel
from twincell.sim.mechanics.joint_effort import push_joints
from twincell.sim.mechanics.place import place_bodies, place_ports
from twincell.sim.motion.movers import sample
from twincell.sim.motion.robot_orders import take_orders
from twincell.sim.motion.targets import aim
from twincell.sim.network.catch import catch_and_release
from twincell.sim.network.detect import detect
from twincell.sim.network.islands import arrange
from twincell.sim.network.pair_law import demand
from twincell.sim.network.softness import soften
from twincell.sim.network.solve import solve
from twincell.sim.spin import spin_bodies


@kernel
def step(model, commands, state, scratch, feedback, row):
    """Advance the cell by one tick, and write its row."""
    integrate.begin(model, state, scratch)
    take_orders(model, commands, state, scratch)  # robots: stop, set points, the end of a move
    for stage in range(model.n_stage):  # 4 for rk4, 1 for semi_implicit
        sample(model, scratch)  # movers, at the time of this stage
        aim(model, state, scratch, stage)  # and where the robots' joints should be
        place_bodies(model, scratch)
        if stage == 0:
            place_ports(model, scratch)
            advance_devices(model, commands, state, scratch)  # valves, sensors, interlocks
            detect(model, commands, state, scratch)  # who touches whom
            catch_and_release(model, state, scratch)
            arrange(model, state, scratch)  # bodies held together, root to leaf
            find_contacts(model, state, scratch)  # which surfaces touch
            feed_forward(model, scratch)  # what the target motion takes
        push_joints(model, scratch)  # springs, dampers, friction, stops
        drive(model, state, scratch, stage)  # servos
        demand(model, state, scratch)  # what each pair wants
        soften(model, state, scratch)  # and how far it may give way
        solve(model, state, scratch, feedback)  # accelerations and constraint forces
        if stage == 0:
            push_contacts(model, state, scratch, feedback)  # contact forces of the whole tick
            if anything_touches(model, scratch):
                solve(model, state, scratch, feedback)  # once more, with them
            find_efforts(model, state, scratch)  # what ideal drives take
            measure_loads(model, state, scratch)  # what devices' holds carry
            sense.write(model, commands, state, scratch, row)  # all of it at t_n
        integrate.advance_stage(model, state, scratch, stage)
    shift_bodies(model, scratch)  # the way that mean contact forces do not explain
    spin_bodies(model, state, scratch)  # what turns too fast for the stages
    integrate.commit(model, state, scratch, feedback)


@entry
def run(model, timeline, commands, state, scratch, feedback, rows):
    """Advance the cell by as many ticks as there is room for rows; stop at a fault.

    Returns the number of rows written. Commands of the timeline are latched at their tick.
    """
    entries = timeline.tick.shape[0]
    item = 0
    while item < entries and timeline.tick[item] < state.tick[0]:
        item += 1
    for k in range(rows.shape[0]):
        while item < entries and timeline.tick[item] <= state.tick[0]:
            commands.values[timeline.command[item]] = timeline.value[item]
            item += 1
        step(model, commands, state, scratch, feedback, rows[k])
        if feedback.fault[0] != NO_FAULT:
            return k + 1
    return rows.shape[0]
