#include "base/identity.h"

#include "base/blake2.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool read_at(int fd, void *out, size_t size, uint64_t offset)
{
    return offset < INT64_MAX && pread(fd, out, size, (off_t)offset) == (ssize_t)size;
}

// The build id among the notes of one segment. False: it is not there.
static bool find_note(const unsigned char *notes, size_t size, struct blake2 *hash)
{
    Elf64_Nhdr note;
    for (size_t at = 0; at < size && size - at >= sizeof note;) {
        memcpy(&note, notes + at, sizeof note);
        size_t name_size = ((size_t)note.n_namesz + 3) / 4 * 4;
        size_t text_size = ((size_t)note.n_descsz + 3) / 4 * 4;
        size_t left = size - at - sizeof note;
        if (name_size > left || text_size > left - name_size) {
            return false;
        }
        const unsigned char *name = notes + at + sizeof note;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(name, "GNU", 4) == 0 && note.n_descsz > 0) {
            blake2_add(hash, "build id", sizeof "build id");
            blake2_add(hash, name + name_size, note.n_descsz);
            return true;
        }
        at += sizeof note + name_size + text_size;
    }
    return false;
}

static bool add_build_id(int fd, struct blake2 *hash)
{
    Elf64_Ehdr header;
    if (!read_at(fd, &header, sizeof header, 0) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr)) {
        return false;
    }
    for (int i = 0; i < header.e_phnum; i++) {
        unsigned char notes[4096];
        Elf64_Phdr segment;
        if (!read_at(fd, &segment, sizeof segment, header.e_phoff + (uint64_t)i * sizeof segment)) {
            return false;
        }
        bool has_notes = segment.p_type == PT_NOTE && segment.p_filesz <= sizeof notes;
        if (has_notes && read_at(fd, notes, segment.p_filesz, segment.p_offset) &&
            find_note(notes, segment.p_filesz, hash)) {
            return true;
        }
    }
    return false;
}

// The time of the last change of the inode is what nobody sets back.
static void add_file(const struct stat *info, struct blake2 *hash)
{
    const uint64_t fields[] = {(uint64_t)info->st_dev,          (uint64_t)info->st_ino,
                               (uint64_t)info->st_size,         (uint64_t)info->st_mtim.tv_sec,
                               (uint64_t)info->st_mtim.tv_nsec, (uint64_t)info->st_ctim.tv_sec,
                               (uint64_t)info->st_ctim.tv_nsec};
    blake2_add(hash, "file", sizeof "file");
    blake2_add(hash, fields, sizeof fields);
}

bool identity_of_file(const char *path, struct identity *out)
{
    memset(out, 0, sizeof *out);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat info;
    bool is_file = fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
    if (is_file) {
        struct blake2 hash;
        blake2_init(&hash, sizeof out->bytes);
        if (!add_build_id(fd, &hash)) {
            add_file(&info, &hash);
        }
        blake2_finish(&hash, out->bytes);
    }
    if (fd >= 0) {
        close(fd);
    }
    return is_file;
}

bool identity_of_address(const void *address, struct identity *out)
{
    Dl_info info;
    memset(out, 0, sizeof *out);
    return dladdr(address, &info) != 0 && info.dli_fname != NULL && identity_of_file(info.dli_fname, out);
}
