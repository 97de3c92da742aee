/* Lists written once and used several times, counted arguments, deferred expansion. */
#define COLORS(X) X(RED, 0xff0000) X(GREEN, 0x00ff00) X(BLUE, 0x0000ff)
#define AS_ENUM(name, value) COLOR_##name,
#define AS_NAME(name, value) [COLOR_##name] = #name,
#define AS_VALUE(name, value) [COLOR_##name] = value,
enum color { COLORS(AS_ENUM) COLOR_COUNT };
static const char *const names[] = { COLORS(AS_NAME) };
static const unsigned values[] = { COLORS(AS_VALUE) };

#define COUNT_(_1, _2, _3, _4, _5, _6, _7, _8, N, ...) N
#define COUNT(...) COUNT_(__VA_ARGS__, 8, 7, 6, 5, 4, 3, 2, 1, 0)
int counts[] = { COUNT(a), COUNT(a, b), COUNT((a, b), c), COUNT(a, b, c, d, e, f, g, h) };

#define CAT(a, b) CAT_(a, b)
#define CAT_(a, b) a##b
#define CALL(name, ...) CAT(name, COUNT(__VA_ARGS__))(__VA_ARGS__)
#define SUM1(a) (a)
#define SUM2(a, b) ((a) + SUM1(b))
#define SUM3(a, b, c) ((a) + SUM2(b, c))
int sums[] = { CALL(SUM, 1), CALL(SUM, 1, 2), CALL(SUM, 1, 2, 3) };

#define EMPTY()
#define DEFER(id) id EMPTY()
#define EXPAND(...) __VA_ARGS__
#define A() 123
DEFER(A)() EXPAND(DEFER(A)())

#define EVAL(...) EVAL1(EVAL1(EVAL1(__VA_ARGS__)))
#define EVAL1(...) EVAL2(EVAL2(EVAL2(__VA_ARGS__)))
#define EVAL2(...) __VA_ARGS__
#define OBSTRUCT(...) __VA_ARGS__ DEFER(EMPTY)()
#define REPEAT_INDIRECT() REPEAT
#define REPEAT(n, x) x n OBSTRUCT(REPEAT_INDIRECT)()(n + 1, x)
EVAL(REPEAT(1, item))

#define CHECK(x) PROBE_SECOND(x, 0)
#define PROBE_SECOND(a, b, ...) b
#define PROBE() ~, 1
#define IS_PAREN(x) CHECK(IS_PAREN_PROBE x)
#define IS_PAREN_PROBE(...) PROBE()
IS_PAREN(()) IS_PAREN(xxx) IS_PAREN((a)(b))
