"""Rotations as unit quaternions (w, x, y, z).

q(φ) = (cos |φ|/2, sin(|φ|/2) φ/|φ|)     φ: rotation vector, axis times angle
φ(q) = 2 atan2(|v|, w) v/|v|             v: vector part; the shorter of the two ways
q̇    = ½ (0, ω) ∘ q                      ω: angular velocity in world axes
"""

import math

from twincell.sim.jit import formula

IDENTITY = (1.0, 0.0, 0.0, 0.0)


@formula
def load(array, i):
    """Row i as a quaternion."""
    return (array[i, 0], array[i, 1], array[i, 2], array[i, 3])


@formula
def store(array, i, q):
    """Quaternion into row i."""
    array[i, 0] = q[0]
    array[i, 1] = q[1]
    array[i, 2] = q[2]
    array[i, 3] = q[3]


@formula
def normalise(q):
    """Q with length one."""
    k = 1.0 / math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return (k * q[0], k * q[1], k * q[2], k * q[3])


@formula
def inverse(q):
    """The opposite rotation."""
    return (q[0], -q[1], -q[2], -q[3])


@formula
def compose(a, b):
    """First b, then a: q_AC = compose(q_AB, q_BC)."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@formula
def mix(k, a, j, b):
    """k a + j b, of quaternions."""
    return (
        k * a[0] + j * b[0],
        k * a[1] + j * b[1],
        k * a[2] + j * b[2],
        k * a[3] + j * b[3],
    )


@formula
def rate(q, w):
    """q̇ of a frame that turns with the angular velocity w (world axes)."""
    return (
        0.5 * (-w[0] * q[1] - w[1] * q[2] - w[2] * q[3]),
        0.5 * (w[0] * q[0] + w[1] * q[3] - w[2] * q[2]),
        0.5 * (-w[0] * q[3] + w[1] * q[0] + w[2] * q[1]),
        0.5 * (w[0] * q[2] - w[1] * q[1] + w[2] * q[0]),
    )


@formula
def matrix(q):
    """Rotation matrix of a unit quaternion."""
    w, x, y, z = q
    return (
        1.0 - 2.0 * (y * y + z * z),
        2.0 * (x * y - w * z),
        2.0 * (x * z + w * y),
        2.0 * (x * y + w * z),
        1.0 - 2.0 * (x * x + z * z),
        2.0 * (y * z - w * x),
        2.0 * (x * z - w * y),
        2.0 * (y * z + w * x),
        1.0 - 2.0 * (x * x + y * y),
    )


@formula
def about(axis, angle):
    """Rotation by an angle about a unit axis."""
    k = math.sin(0.5 * angle)
    return (math.cos(0.5 * angle), k * axis[0], k * axis[1], k * axis[2])


@formula
def vector(q):
    """Rotation vector of a unit quaternion, at most half a turn long."""
    x = q[1]
    y = q[2]
    z = q[3]
    if q[0] < 0.0:  # q and -q are the same rotation: take the short way
        x, y, z = -x, -y, -z
    sine2 = x * x + y * y + z * z

    # a held object has hardly any error: the series of 2 asin(s)/s is exact to the last bit there
    if sine2 < 1.0e-3:
        series = 3.0 / 40.0 + sine2 * (15.0 / 336.0 + sine2 * (105.0 / 3456.0))
        k = 2.0 + 2.0 * sine2 * (1.0 / 6.0 + sine2 * series)
    else:
        sine = math.sqrt(sine2)
        k = 2.0 * math.atan2(sine, abs(q[0])) / sine
    return (k * x, k * y, k * z)


@formula
def angles(r):
    """A, B, C about x, y, z of a rotation matrix, applied as z-y'-x''."""
    return (
        math.atan2(r[7], r[8]),
        math.asin(min(1.0, max(-1.0, -r[6]))),
        math.atan2(r[3], r[0]),
    )


@formula
def of_angles(a, b, c):
    """Rotation by A, B, C about x, y, z, applied as z-y'-x''."""
    about_z = about((0.0, 0.0, 1.0), c)
    about_y = about((0.0, 1.0, 0.0), b)
    return compose(compose(about_z, about_y), about((1.0, 0.0, 0.0), a))


@formula
def load_matrix(array, i):
    """Row i as a rotation matrix."""
    a = array[i]
    return (a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8])


@formula
def store_matrix(array, i, r):
    """Rotation matrix into row i."""
    a = array[i]
    for k in range(9):
        a[k] = r[k]
