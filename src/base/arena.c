#include "base/arena.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_SIZE = 64 * 1024, ALIGNMENT = 16 };

struct arena_block {
    struct arena_block *next;
    size_t used;
    size_t size;
    _Alignas(ALIGNMENT) char data[];
};

void arena_init(struct arena *arena)
{
    *arena = (struct arena){0};
}

static void free_chain(struct arena_block *block)
{
    while (block != NULL) {
        struct arena_block *next = block->next;
        free(block);
        block = next;
    }
}

void arena_finish(struct arena *arena)
{
    free_chain(arena->head);
    *arena = (struct arena){0};
}

static struct arena_block *new_block(size_t size)
{
    struct arena_block *block = malloc(sizeof *block + size);
    if (block != NULL) {
        block->next = NULL;
        block->used = 0;
        block->size = size;
    }
    return block;
}

static _Noreturn void out_of_memory(struct arena *arena)
{
    if (arena->escape != NULL) {
        longjmp(*arena->escape, 1);
    }
    fputs("rill: out of memory in an arena that has no way out\n", stderr);
    abort();
}

void *arena_alloc(struct arena *arena, size_t size)
{
    bool injected = arena->fail_after != 0 && --arena->fail_after == 0;
    if (injected || size > SIZE_MAX / 2) {
        out_of_memory(arena);
    }
    size = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    struct arena_block *block = arena->head;
    if (block == NULL || block->size - block->used < size) {
        block = new_block(size > BLOCK_SIZE / 4 ? size : BLOCK_SIZE);
        if (block == NULL) {
            out_of_memory(arena);
        }
        // A large block goes behind the head, whose rest is still of use.
        if (arena->head != NULL && size > BLOCK_SIZE / 4) {
            block->next = arena->head->next;
            arena->head->next = block;
        } else {
            block->next = arena->head;
            arena->head = block;
        }
    }
    assert(block->used % ALIGNMENT == 0 && block->size - block->used >= size);
    void *memory = block->data + block->used;
    block->used += size;
    arena->used_size += size;
    memset(memory, 0, size);
    return memory;
}

char *arena_strndup(struct arena *arena, const char *text, size_t length)
{
    char *copy = arena_alloc(arena, length + 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

char *arena_strdup(struct arena *arena, const char *text)
{
    return arena_strndup(arena, text, strlen(text));
}

char *arena_vprintf(struct arena *arena, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = arena_alloc(arena, (size_t)(length < 0 ? 0 : length) + 1);
    if (length >= 0) {
        vsnprintf(text, (size_t)length + 1, format, args);
    }
    return text;
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = arena_vprintf(arena, format, args);
    va_end(args);
    return text;
}
