// gdb finds code made at run time through two symbols that it knows by name: a list of objects, and a function that it
// sets a breakpoint in. An object is handed over as a copy whose section headers say where the sections were placed;
// gdb relocates the debug information itself. The list is the one piece of mutable file-scope state that this interface
// asks for.
//
// perf reads /tmp/perf-PID.map, one line for each function, if RILL_PERF=1.
#include "object/load.h"

#include "base/thread.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum jit_action { JIT_NOTHING, JIT_REGISTER, JIT_UNREGISTER };

struct jit_code_entry {
    struct jit_code_entry *next_entry;
    struct jit_code_entry *prev_entry;
    const char *symfile_addr;
    uint64_t symfile_size;
};

struct jit_descriptor {
    uint32_t version;
    uint32_t action_flag;
    struct jit_code_entry *relevant_entry;
    struct jit_code_entry *first_entry;
};

struct object_debug {
    struct jit_code_entry entry;
    unsigned char *copy; // owned
};

__attribute__((visibility("default"))) void __jit_debug_register_code(void);
__attribute__((visibility("default"))) extern struct jit_descriptor __jit_debug_descriptor;

struct jit_descriptor __jit_debug_descriptor = {.version = 1};
static struct thread_mutex jit_lock = THREAD_MUTEX_INIT; // of the list

__attribute__((noinline)) void __jit_debug_register_code(void)
{
    __asm__ volatile("" ::: "memory"); // a place to stop at; must not be optimised away
}

static bool has_debug_sections(const struct elf_file *file)
{
    for (uint32_t i = 1; i < file->section_count; i++) {
        Elf64_Shdr section = elf_section(file, i);
        if (strncmp(elf_section_name(file, &section), ".debug_info", 11) == 0) {
            return true;
        }
    }
    return false;
}

static void tell_gdb(struct object_loader *loader)
{
    const struct elf_file *file = &loader->file;
    struct object_debug *debug = calloc(1, sizeof *debug);
    unsigned char *copy = debug != NULL ? malloc(file->size) : NULL;
    if (copy == NULL) {
        free(debug);
        return;
    }
    memcpy(copy, file->bytes, file->size);
    for (uint32_t i = 1; i < file->section_count; i++) {
        Elf64_Shdr section = elf_section(file, i);
        section.sh_addr = loader->section_addresses[i];
        memcpy(copy + file->header.e_shoff + (uint64_t)i * sizeof section, &section, sizeof section);
    }
    debug->copy = copy;
    debug->entry.symfile_addr = (const char *)copy;
    debug->entry.symfile_size = file->size;
    loader->object->debug = debug;

    thread_lock(&jit_lock);
    debug->entry.next_entry = __jit_debug_descriptor.first_entry;
    if (debug->entry.next_entry != NULL) {
        debug->entry.next_entry->prev_entry = &debug->entry;
    }
    __jit_debug_descriptor.first_entry = &debug->entry;
    __jit_debug_descriptor.relevant_entry = &debug->entry;
    __jit_debug_descriptor.action_flag = JIT_REGISTER;
    __jit_debug_register_code();
    thread_unlock(&jit_lock);
}

static void tell_perf(const struct object_loader *loader)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
    FILE *map = fopen(path, "ae");
    if (map == NULL) {
        return;
    }
    for (uint32_t i = 0; i < loader->file.symbol_count; i++) {
        Elf64_Sym symbol = elf_symbol(&loader->file, i);
        if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_size > 0 && loader->symbol_addresses[i] != 0) {
            fprintf(map, "%llx %llx %s\n", (unsigned long long)loader->symbol_addresses[i],
                    (unsigned long long)symbol.st_size, elf_symbol_name(&loader->file, &symbol));
        }
    }
    fclose(map);
}

void debug_register(struct object_loader *loader)
{
    if (has_debug_sections(&loader->file)) {
        tell_gdb(loader);
    }
    const char *perf = getenv("RILL_PERF");
    if (perf != NULL && strcmp(perf, "1") == 0) {
        tell_perf(loader);
    }
}

void debug_unregister(struct object *object)
{
    struct object_debug *debug = object->debug;
    if (debug == NULL) {
        return;
    }
    thread_lock(&jit_lock);
    if (debug->entry.prev_entry != NULL) {
        debug->entry.prev_entry->next_entry = debug->entry.next_entry;
    } else {
        assert(__jit_debug_descriptor.first_entry == &debug->entry);
        __jit_debug_descriptor.first_entry = debug->entry.next_entry;
    }
    if (debug->entry.next_entry != NULL) {
        debug->entry.next_entry->prev_entry = debug->entry.prev_entry;
    }
    __jit_debug_descriptor.relevant_entry = &debug->entry;
    __jit_debug_descriptor.action_flag = JIT_UNREGISTER;
    __jit_debug_register_code();
    thread_unlock(&jit_lock);
    free(debug->copy);
    free(debug);
    object->debug = NULL;
}
