// #pragma push_macro and pop_macro: a stack for each name, also of names that are not defined, also through _Pragma.
#define X 1
#pragma push_macro("X")
#undef X
#define X 2
a X
#pragma push_macro("X")
#undef X
#define X 3
b X
#pragma pop_macro("X")
c X
#pragma pop_macro("X")
d X
#pragma pop_macro("X")
e X
#pragma push_macro("Y")
#define Y(a) a + a
f Y(1)
#pragma pop_macro("Y")
g Y(1)
#pragma push_macro("Y")
#pragma push_macro("X")
#define Y(a, ...) #a X __VA_ARGS__
#undef X
#define X(y) Y(y, y)
h X(4) Y(5, 6)
#pragma pop_macro("Y")
i X(4) Y(5, 6)
#pragma pop_macro("X")
j X Y(5, 6)

#define SAVE _Pragma("push_macro(\"X\")")
#define RESTORE _Pragma("pop_macro(\"X\")") X
SAVE X
#undef X
#define X 10
k X RESTORE X

// A definition that a macro uses is the one at the time of its use.
#define USES X + X
#pragma push_macro("X")
#undef X
l USES
#define X USES
m USES X
#pragma pop_macro("X")
n USES X

#pragma push_macro(L"X")
#undef X
#pragma pop_macro("X")
o X
#pragma push_macro("X")
#if 0
#pragma pop_macro("X")
#endif
#undef X
p X
#pragma pop_macro("X") // nothing more
q X
#pragma push_macro("\\X")
r X
