// Small vectors, matrices and quaternions for kernels, as plain structs and functions that any C compiler builds too.
//
//   vec2 vec3 vec4     of float; dvec2 … of double; ivec2 … of int
//   mat2 mat3 mat4     of float, m[row][column]; dmat2 … of double
//   quat               x, y, z and the real part w; dquat
//
// A function is named by its first argument's type: vec3_add(a, b), dmat3_mul(a, b), quat_rotate(q, v). What each does
// stands in rill/vec_of.h, which this header includes once for every element type, and in what that includes. Vectors
// are columns: mat3_apply(m, v) is m times v, and mat3_mul(a, b) applies b first.
//
// Results have the same bits on every back end, except those of quat_of_axis, quat_slerp and mat4_perspective, which
// call the functions of an angle.
//
// Kernels take them by value, as elements of arrays and as members of structs; they return none.
#ifndef RILL_VEC_H
#define RILL_VEC_H

#include <math.h>

#define RILL_T float
#define RILL_NAME(name) name
#define RILL_MATH(name) name##f
#define RILL_EPSILON 1.1920929e-7f
#include "rill/vec_of.h"
#undef RILL_T
#undef RILL_NAME
#undef RILL_MATH
#undef RILL_EPSILON

#define RILL_T double
#define RILL_NAME(name) d##name
#define RILL_MATH(name) name
#define RILL_EPSILON 2.220446049250313e-16
#include "rill/vec_of.h"
#undef RILL_T
#undef RILL_NAME
#undef RILL_MATH
#undef RILL_EPSILON

#define RILL_T int
#define RILL_NAME(name) i##name
#include "rill/vec_of.h"
#undef RILL_T
#undef RILL_NAME

#endif
