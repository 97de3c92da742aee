"""qd.math: vectors of two to four numbers, and functions over them."""
import math as _math

from rill import types
from rill.quadrants.lang.kernel import (abs, acos, asin, atan2, ceil, cos, exp, floor, log, max, min, pow, round, sign, sin, sqrt, tan,
                                        tanh)
from rill.script import _builtin
from rill.vectors import VectorType

pi, e, inf, nan = _math.pi, _math.e, _math.inf, _math.nan
vec2, vec3, vec4 = (VectorType(types.BY_NAME["f32"], (n,)) for n in (2, 3, 4))
ivec2, ivec3, ivec4 = (VectorType(types.BY_NAME["i32"], (n,)) for n in (2, 3, 4))
uvec2, uvec3, uvec4 = (VectorType(types.BY_NAME["u32"], (n,)) for n in (2, 3, 4))
mat2, mat3, mat4 = (VectorType(types.BY_NAME["f32"], (n, n)) for n in (2, 3, 4))
dot = _builtin("dot", "The sum of the products.", lambda a, b: a.dot(b))
cross = _builtin("cross", "The cross product.", lambda a, b: a.cross(b))
normalize = _builtin("normalize", "The same direction with length 1.", lambda a: a.normalized())
length = _builtin("length", "The length of a vector.", lambda a: a.norm())
distance = _builtin("distance", "The length of the difference.", lambda a, b: (a - b).norm())
reflect = _builtin("reflect", "a - 2 * dot(a, n) * n", lambda a, n: a - n * (2 * a.dot(n)))
mix = _builtin("mix", "a * (1 - t) + b * t", lambda a, b, t: a * (1 - t) + b * t)
clamp = _builtin("clamp", "min(max(x, low), high)", lambda x, low, high: max(low, min(x, high)))
fract = _builtin("fract", "x - floor(x)", lambda x: x - _math.floor(x))
exp2, log2, degrees, radians = (_builtin(name, f"{name}(x)", on_host) for name, on_host in (
    ("exp2", lambda x: 2.0 ** x), ("log2", _math.log2), ("degrees", _math.degrees), ("radians", _math.radians)))

__all__ = ["abs", "acos", "asin", "atan2", "ceil", "clamp", "cos", "cross", "degrees", "distance", "dot", "e", "exp", "exp2", "floor",
           "fract", "inf", "ivec2", "ivec3", "ivec4", "length", "log", "log2", "mat2", "mat3", "mat4", "max", "min", "mix", "nan",
           "normalize", "pi", "pow", "radians", "reflect", "round", "sign", "sin", "sqrt", "tan", "tanh", "uvec2", "uvec3", "uvec4",
           "vec2", "vec3", "vec4"]
