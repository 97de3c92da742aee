// Two functions of newer C libraries that LLVM and the unwinder call when they were built on one, defined here so that
// a release runs with glibc 2.34 too. They are local to librill-compiler.so: nobody else sees them.
#include <dlfcn.h>
#include <stdint.h>

#include <link.h>
#include <sys/random.h>

#if defined RILL_STATIC_LLVM && defined DLFO_STRUCT_HAS_EH_DBASE

uint32_t arc4random(void);

uint32_t arc4random(void)
{
    uint32_t value = 0;
    while (getrandom(&value, sizeof value, 0) != (ssize_t)sizeof value) { // a signal came in between
    }
    return value;
}

struct search {
    uintptr_t address;
    struct dl_find_object *found;
};

// Whether |info| is the object that holds the address.
static int look_at(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    struct search *search = data;
    uintptr_t first = UINTPTR_MAX;
    uintptr_t end = 0;
    uintptr_t frames = 0;
    int holds = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        uintptr_t stop = start + info->dlpi_phdr[i].p_memsz;
        if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME) {
            frames = start;
        }
        if (info->dlpi_phdr[i].p_type == PT_LOAD) {
            first = start < first ? start : first;
            end = stop > end ? stop : end;
            holds |= search->address >= start && search->address < stop;
        }
    }
    if (!holds || frames == 0) {
        return 0;
    }
    search->found->dlfo_map_start = (void *)first;
    search->found->dlfo_map_end = (void *)end;
    search->found->dlfo_eh_frame = (void *)frames;
    return 1;
}

int _dl_find_object(void *address, struct dl_find_object *found)
{
    *found = (struct dl_find_object){0};
    struct search search = {(uintptr_t)address, found};
    return dl_iterate_phdr(look_at, &search) == 1 ? 0 : -1;
}

#else

typedef int rill_no_older_libc; // a file needs a declaration

#endif
