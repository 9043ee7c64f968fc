"""Arms to plan for: the shipped six-axis arm on Pinocchio, a gantry and a SCARA by hand."""

from pathlib import Path

import numpy as np
import pinocchio as pin
from scipy.spatial.transform import Rotation

from twincell.sim.plan import Arm, sample

URDF = Path(__file__).parents[3] / "config" / "robots" / "arm6.urdf"
HOME = np.array([0.2, 0.1, 0.3, 0.4, 0.8, -0.3])  # far from limits and singularities


def six_axis_arm() -> Arm:
    model = pin.buildModelFromUrdf(str(URDF))
    data = model.createData()
    flange = model.getFrameId("flange")
    lower, upper = model.lowerPositionLimit, model.upperPositionLimit

    def placed(q):
        pin.framesForwardKinematics(model, data, np.asarray(q))
        return data.oMf[flange]

    def forward(q):
        pose = placed(q)
        x, y, z, w = pin.Quaternion(pose.rotation).coeffs()
        return pose.translation.copy(), np.array([w, x, y, z])

    def jacobian(q):
        world = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        return pin.computeFrameJacobian(model, data, np.asarray(q), flange, world).copy()

    def inverse(seed, position, quaternion):
        wanted = pin.Quaternion(*quaternion).matrix()
        q = np.clip(seed, lower, upper)
        for _ in range(200):
            pose = placed(q)
            turn = pin.log3(wanted @ pose.rotation.T)
            error = np.concatenate([position - pose.translation, turn])
            size = np.linalg.norm(error)
            if size < 1e-11:
                return q
            J = jacobian(q)
            damping = min(size, 0.1) ** 2 * 1e-2 + 1e-14
            q = q + J.T @ np.linalg.solve(J @ J.T + damping * np.eye(6), error)
            q = np.clip(q, lower, upper)
        return "out of reach" if size > 1e-9 else q

    return Arm(
        name="Arm",
        joint_names=tuple(model.names[1:]),
        angular=np.ones(6, dtype=bool),
        lower=lower,
        upper=upper,
        velocity=model.velocityLimit,
        acceleration=4 * model.velocityLimit,
        jerk=40 * model.velocityLimit,
        forward=forward,
        inverse=inverse,
        search=inverse,
        jacobian=jacobian,
    )


def gantry() -> Arm:
    """Three slides along x, y and z; the tool never turns."""
    upright = np.array([1.0, 0.0, 0.0, 0.0])
    lower, upper = np.array([-2.0, -1.0, 0.0]), np.array([2.0, 1.0, 1.5])

    def inverse(seed, position, quaternion):
        if abs(quaternion @ upright) < 1 - 1e-12:
            return "it cannot turn its tool"
        return position if np.all((lower <= position) & (position <= upper)) else "out of reach"

    return Arm(
        name="Gantry",
        joint_names=("X", "Y", "Z"),
        angular=np.zeros(3, dtype=bool),
        lower=lower,
        upper=upper,
        velocity=np.array([1.0, 1.0, 0.5]),
        acceleration=np.array([3.0, 3.0, 2.0]),
        jerk=np.array([30.0, 30.0, 20.0]),
        forward=lambda q: (np.array(q), upright),
        inverse=inverse,
        search=inverse,
        jacobian=lambda q: np.eye(6, 3),
    )


def scara(elbow=lambda position: 1) -> Arm:
    """Two hinges, a slide and a turning tool; `elbow` says to which side it bends at a place."""
    upper_arm, forearm = 0.5, 0.4

    def forward(q):
        a, b, z, c = q
        x = upper_arm * np.cos(a) + forearm * np.cos(a + b)
        y = upper_arm * np.sin(a) + forearm * np.sin(a + b)
        half = (a + b + c) / 2
        return np.array([x, y, z]), np.array([np.cos(half), 0, 0, np.sin(half)])

    def inverse(seed, position, quaternion):
        if abs(quaternion[1]) + abs(quaternion[2]) > 1e-9:
            return "it cannot tilt its tool"
        x, y, z = position
        cosine = (x * x + y * y - upper_arm**2 - forearm**2) / (2 * upper_arm * forearm)
        if abs(cosine) > 1:
            return "out of reach"
        b = elbow(position) * np.arccos(cosine)
        a = np.arctan2(y, x) - np.arctan2(forearm * np.sin(b), upper_arm + forearm * np.cos(b))
        c = 2 * np.arctan2(quaternion[3], quaternion[0]) - a - b
        c += 2 * np.pi * np.round((seed[3] - c) / (2 * np.pi))
        return np.array([a, b, z, c])

    def jacobian(q):
        a = q[0]
        p = forward(q)[0]
        hub = upper_arm * np.array([np.cos(a), np.sin(a)])
        J = np.zeros((6, 4))
        J[:2, 0] = -p[1], p[0]
        J[:2, 1] = -(p[1] - hub[1]), p[0] - hub[0]
        J[2, 2] = 1
        J[5, [0, 1, 3]] = 1
        return J

    return Arm(
        name="Scara",
        joint_names=("shoulder", "elbow", "slide", "tool"),
        angular=np.array([True, True, False, True]),
        lower=np.array([-2.5, -2.6, 0.0, -6.0]),
        upper=np.array([2.5, 2.6, 0.3, 6.0]),
        velocity=np.array([6.0, 8.0, 1.0, 15.0]),
        acceleration=np.array([30.0, 40.0, 10.0, 100.0]),
        jerk=np.array([600.0, 800.0, 200.0, 2000.0]),
        forward=forward,
        inverse=inverse,
        search=inverse,
        jacobian=jacobian,
    )


def vector(*components):
    return np.array(components, dtype=float)


def turned(quaternion, rotation_vector):
    """An orientation after a further turn in world axes."""
    turn = Rotation.from_rotvec(rotation_vector)
    return (turn * Rotation.from_quat(quaternion, scalar_first=True)).as_quat(scalar_first=True)


def angle_between(one, other) -> float:
    """Angle of the turn from one quaternion to another [rad], also for tiny ones."""
    first, second = (Rotation.from_quat(q, scalar_first=True) for q in (one, other))
    return (first * second.inv()).magnitude()


def sampled(plan, count=2001):
    """Times, and positions, velocities and accelerations of all joints then."""
    times = np.linspace(0.0, plan.law[-1, 0], count)
    q, qd, qdd = (np.array(rows) for rows in zip(*(sample(plan, t) for t in times), strict=True))
    return times, q, qd, qdd


def jerks(plan, times):
    """Jerks of all joints: q''' ṡ³ + 3 q'' ṡ s̈ + q' s⃛."""
    rows = []
    for time in times:
        begin, s, ds, dds, ddds = plan.law[np.searchsorted(plan.law[:, 0], time, side="right") - 1]
        t = time - begin
        s, ds, dds = (
            s + ds * t + dds * t * t / 2 + ddds * t**3 / 6,
            ds + dds * t + ddds * t * t / 2,
            dds + ddds * t,
        )
        last = plan.pieces.shape[1] - 1
        piece = np.clip(np.searchsorted(plan.knots, s, side="right") - 1, 0, last)
        x = s - plan.knots[piece]
        _, c1, c2, c3 = plan.pieces[:, piece].T
        slope, bend = c1 + 2 * c2 * x + 3 * c3 * x * x, 2 * c2 + 6 * c3 * x
        rows.append(6 * c3 * ds**3 + 3 * bend * ds * dds + slope * ddds)
    return np.array(rows)
