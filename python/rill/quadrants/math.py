"""qd.math: vectors of two to four numbers, and functions over them."""
import math as _math

from rill import types
from rill.quadrants.lang.kernel import (abs, acos, asin, atan2, ceil, cos, exp, floor, func, log, max, min, pow, round, select, sign,
                                        sin, sqrt, static, tan, tanh, zero)
from rill.quadrants.lang.matrix import Matrix, Type as _Type, _static
from rill.script import _builtin

pi, e, inf, nan = _math.pi, _math.e, _math.inf, _math.nan
vec2, vec3, vec4 = (_Type(types.BY_NAME["f32"], (n,)) for n in (2, 3, 4))
ivec2, ivec3, ivec4 = (_Type(types.BY_NAME["i32"], (n,)) for n in (2, 3, 4))
uvec2, uvec3, uvec4 = (_Type(types.BY_NAME["u32"], (n,)) for n in (2, 3, 4))
mat2, mat3, mat4 = (_Type(types.BY_NAME["f32"], (n, n)) for n in (2, 3, 4))
dot = _builtin("dot", "The sum of the products.", lambda a, b: a.dot(b))
cross = _builtin("cross", "The cross product.", lambda a, b: a.cross(b))
normalize = _builtin("normalize", "The same direction with length 1.", lambda a: a.normalized())
length = _builtin("length", "The length of a vector.", lambda a: a.norm())
distance = _builtin("distance", "The length of the difference.", lambda a, b: (a - b).norm())
determinant = _builtin("determinant", "The determinant of a matrix.")
inverse = _builtin("inverse", "The inverse of a matrix.")
reflect = _builtin("reflect", "a - 2 * dot(a, n) * n", lambda a, n: a - n * (2 * a.dot(n)))
mix = _builtin("mix", "a * (1 - t) + b * t", lambda a, b, t: a * (1 - t) + b * t)
clamp = _builtin("clamp", "min(max(x, low), high)", lambda x, low, high: max(low, min(x, high)))
fract = _builtin("fract", "x - floor(x)", lambda x: x - _math.floor(x))
isnan = _builtin("isnan", "Whether it is no number.", _math.isnan)
isinf = _builtin("isinf", "Whether it is infinite.", _math.isinf)
popcnt = _builtin("popcnt", "How many bits are 1.", lambda x: bin(x).count("1"))
clz = _builtin("clz", "How many bits are 0 before the first 1, of an i32 or a u32.", lambda x: 32 - x.bit_length())
exp2, log2, degrees, radians = (_builtin(name, f"{name}(x)", on_host) for name, on_host in (
    ("exp2", lambda x: 2.0 ** x), ("log2", _math.log2), ("degrees", _math.degrees), ("radians", _math.radians)))


@func
def mod(x, y):
    """x - y * floor(x / y)"""
    return x - y * floor(x / y)


@func
def step(edge, x):
    """0 where x < edge, else 1."""
    return select(x < edge, 0.0, 1.0)


@func
def smoothstep(edge0, edge1, x):
    """A smooth step from 0 at edge0 to 1 at edge1."""
    t = clamp((x - edge0) / (edge1 - edge0), 0.0, 1.0)
    return t * t * (3.0 - 2.0 * t)


@func
def refract(x, n, eta):
    """The direction of a ray x behind a surface of normal n; 0 where all is reflected."""
    d = x.dot(n)
    k = 1.0 - eta * eta * (1.0 - d * d)
    bent = x * 0.0
    if k >= 0:
        bent = x * eta - n * (eta * d + sqrt(k))
    return bent


@func
def vdir(ang):
    """The vector of length 1 at an angle."""
    return vec2(cos(ang), sin(ang))


@func
def rotation2d(ang):
    """The matrix that turns by an angle."""
    c, s = cos(ang), sin(ang)
    return mat2([[c, -s], [s, c]])


@func
def rot_by_axis(axis, ang):
    """The 4 x 4 matrix that turns around an axis."""
    c, s, a = cos(ang), sin(ang), axis.normalized()
    t = a * (1 - c)
    return mat4([[c + t[0] * a[0], t[0] * a[1] + s * a[2], t[0] * a[2] - s * a[1], 0.0],
                 [t[1] * a[0] - s * a[2], c + t[1] * a[1], t[1] * a[2] + s * a[0], 0.0],
                 [t[2] * a[0] + s * a[1], t[2] * a[1] - s * a[0], c + t[2] * a[2], 0.0],
                 [0.0, 0.0, 0.0, 1.0]])


@func
def translate(dx, dy, dz):
    """The 4 x 4 matrix that moves."""
    return mat4([[1.0, 0.0, 0.0, dx], [0.0, 1.0, 0.0, dy], [0.0, 0.0, 1.0, dz], [0.0, 0.0, 0.0, 1.0]])


@func
def scale(sx, sy, sz):
    """The 4 x 4 matrix that stretches."""
    return mat4([[sx, 0.0, 0.0, 0.0], [0.0, sy, 0.0, 0.0], [0.0, 0.0, sz, 0.0], [0.0, 0.0, 0.0, 1.0]])


@func
def rot_yaw_pitch_roll(yaw, pitch, roll):
    """The 4 x 4 matrix that turns by three angles."""
    cy, sy, cp, sp, cr, sr = cos(yaw), sin(yaw), cos(pitch), sin(pitch), cos(roll), sin(roll)
    return mat4([[cy * cr + sy * sp * sr, sr * cp, cy * sp * sr - sy * cr, 0.0],
                 [sy * sp * cr - cy * sr, cr * cp, sr * sy + cy * sp * cr, 0.0],
                 [sy * cp, -sp, cy * cp, 0.0],
                 [0.0, 0.0, 0.0, 1.0]])


@func
def rotation3d(ang_x, ang_y, ang_z):
    """The 4 x 4 matrix that turns around y, then x, then z."""
    return rot_yaw_pitch_roll(ang_z, ang_x, ang_y)


@_static
def eye(n):
    """The identity of n rows."""
    return Matrix.identity(types.BY_NAME["f32"], n)


@func
def cmul(a, b):
    """The product of complex numbers."""
    return vec2(a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0])


@func
def cconj(z):
    """The conjugate of a complex number."""
    return vec2(z[0], -z[1])


@func
def cdiv(a, b):
    """The quotient of complex numbers."""
    return vec2(a[0] * b[0] + a[1] * b[1], a[1] * b[0] - a[0] * b[1]) / (b[0] * b[0] + b[1] * b[1])


@func
def cinv(z):
    """1 / z of a complex number."""
    return vec2(z[0], -z[1]) / (z[0] * z[0] + z[1] * z[1])


@func
def csqrt(z):
    """The square root of a complex number, of the two the one whose real part is not negative."""
    half = 0.5 * atan2(z[1], z[0])
    return vec2(cos(half), sin(half)) * sqrt(z.norm())


@func
def cpow(z, n):
    """A complex number to a power; 0 of 0."""
    r, power = z.norm(), vec2(0.0, 0.0)
    if r > 0:
        power = vec2(cos(n * atan2(z[1], z[0])), sin(n * atan2(z[1], z[0]))) * pow(r, n)
    return power


@func
def cexp(z):
    """The exponential function of a complex number."""
    return vec2(cos(z[1]), sin(z[1])) * exp(z[0])


@func
def clog(z):
    """The logarithm of a complex number."""
    return vec2(log(z.norm()), atan2(z[1], z[0]))


__all__ = ["abs", "acos", "asin", "atan2", "cconj", "cdiv", "ceil", "cexp", "cinv", "clamp", "clog", "clz", "cmul", "cos", "cpow",
           "cross", "csqrt", "degrees", "determinant", "distance", "dot", "e", "exp", "exp2", "eye", "floor", "fract", "inf", "inverse",
           "isinf", "isnan", "ivec2", "ivec3", "ivec4", "length", "log", "log2", "mat2", "mat3", "mat4", "max", "min", "mix", "mod",
           "nan", "normalize", "pi", "popcnt", "pow", "radians", "reflect", "refract", "rot_by_axis", "rot_yaw_pitch_roll",
           "rotation2d", "rotation3d", "round", "scale", "sign", "sin", "smoothstep", "sqrt", "step", "tan", "tanh", "translate",
           "uvec2", "uvec3", "uvec4", "vdir", "vec2", "vec3", "vec4"]
