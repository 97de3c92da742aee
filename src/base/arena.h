// One arena for each compile: memory is taken in order and freed all at once. Allocation never returns NULL: when
// memory runs out the arena jumps to |escape|, which the owner of the compile sets (setjmp) before its first allocation
// and which must be live as long as the arena is used. Nothing that an arena user holds besides the arena may need
// freeing on that way out. |fail_after| makes the n-th allocation fail, for tests that sweep n.
#ifndef RILL_BASE_ARENA_H
#define RILL_BASE_ARENA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena_block;

struct arena {
    struct arena_block *head; // owned
    size_t used_size;         // bytes handed out, all blocks together
    jmp_buf *escape;          // borrowed; NULL only in tests: running out of memory then ends the process
    uint64_t fail_after;      // 0: never; n: the n-th allocation from now fails
};

void arena_init(struct arena *arena);
void arena_finish(struct arena *arena);

// Zeroed memory, aligned for any type.
void *arena_alloc(struct arena *arena, size_t size);
#define ARENA_NEW(arena, type) ((type *)arena_alloc((arena), sizeof(type)))
#define ARENA_ARRAY(arena, type, count) ((type *)arena_alloc((arena), sizeof(type) * (size_t)(count)))

char *arena_strndup(struct arena *arena, const char *text, size_t length);
char *arena_strdup(struct arena *arena, const char *text);
char *arena_printf(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *arena, const char *format, va_list args);

#endif
