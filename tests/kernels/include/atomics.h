// Every atomic on every type that has it, and a struct of these types: the old values go into |seen|.
#include <rill/kernel.h>

#define COMMON(place, k, seen)                                                                                         \
    seen = seen * 3 + (long)rill_atomic_add(place, (k) & 7);                                                           \
    seen = seen * 3 + (long)rill_atomic_sub(place, (k) & 3);                                                           \
    seen = seen * 3 + (long)rill_atomic_min(place, 60 - (k));                                                          \
    seen = seen * 3 + (long)rill_atomic_max(place, (k) - 40);                                                          \
    seen = seen * 3 + (long)rill_atomic_mul(place, 2);                                                                 \
    seen = seen * 3 + (long)rill_atomic_cas(place, 16, 5);                                                             \
    seen = seen * 3 + ((k) % 7 == 0 ? (long)rill_atomic_exchange(place, (k) & 31) : 0)

#define ALL(place, k, seen)                                                                                            \
    COMMON(place, k, seen);                                                                                            \
    seen = seen * 3 + (long)rill_atomic_and(place, ~(k));                                                              \
    seen = seen * 3 + (long)rill_atomic_or(place, (k) & 21);                                                           \
    seen = seen * 3 + (long)rill_atomic_xor(place, (k) * 5)

struct all {
    double f64;
    long i64;
    unsigned long u64;
    float f32;
    int i32;
    unsigned u32;
    short i16;
    unsigned short u16;
    signed char i8;
    unsigned char u8;
};

#define EVERY(p, k, seen)                                                                                              \
    COMMON(&(p)->f64, k, seen);                                                                                        \
    COMMON(&(p)->f32, k, seen);                                                                                        \
    ALL(&(p)->i64, k, seen);                                                                                           \
    ALL(&(p)->u64, k, seen);                                                                                           \
    ALL(&(p)->i32, k, seen);                                                                                           \
    ALL(&(p)->u32, k, seen);                                                                                           \
    ALL(&(p)->i16, k, seen);                                                                                           \
    ALL(&(p)->u16, k, seen);                                                                                           \
    ALL(&(p)->i8, k, seen);                                                                                            \
    ALL(&(p)->u8, k, seen)

static void load(struct all *to, const long from[10])
{
    struct all all = {(int)from[0], from[1], from[2], (int)from[3], from[4],
                      from[5],      from[6], from[7], from[8],      from[9]};
    *to = all;
}

static void store(long to[10], const struct all *from)
{
    to[0] = (long)from->f64, to[1] = from->i64, to[2] = (long)from->u64, to[3] = (long)from->f32, to[4] = from->i32;
    to[5] = from->u32, to[6] = from->i16, to[7] = from->u16, to[8] = from->i8, to[9] = from->u8;
}
