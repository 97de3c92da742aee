// AMD code objects: what Rill links in memory is what `ld.lld -shared` makes of the same object, byte by byte where it
// is loaded; and whatever the bytes are, linking works or says why not.
//
// Compared are the kernel files of the tree and, where RILL_TEST_TEXTS names a folder of them, the texts that other
// programs compiled (tests/fakes/compiler; link_texts_test.py makes such a folder).
#include "support.h"

#include "compiler/pipeline.h"
#include "form.h"
#include "object/link.h"
#include "object/link_state.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

// First code objects of version 5, then those of version 4.
static const char *const architectures[] = {"gfx90a",    "gfx942",    "gfx1030",    "gfx1100",    "gfx1201",
                                            "gfx90a:v4", "gfx942:v4", "gfx1030:v4", "gfx1100:v4", "gfx1201:v4"};
enum { ARCHITECTURE_COUNT = sizeof architectures / sizeof architectures[0], FAMILY_COUNT = ARCHITECTURE_COUNT / 2 };

// ---- files and tools
// ------------------------------------------------------------------------------------------------------------------

struct bytes {
    unsigned char *data; // owned
    size_t size;
};

static char folder[64];

static const char *temporary(const char *name)
{
    static char paths[4][160];
    static int next;
    if (folder[0] == '\0') {
        snprintf(folder, sizeof folder, "/tmp/rill-link-XXXXXX");
        REQUIRE(mkdtemp(folder) != NULL);
    }
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static void remove_temporary(void)
{
    static const char *const names[] = {"in.c", "in.o", "ours.so", "theirs.so", "in.s", "words", "a", "b"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        (void)unlink(temporary(names[i]));
    }
    (void)rmdir(folder);
    folder[0] = '\0';
}

static struct bytes read_all(const char *path)
{
    struct bytes bytes = {0};
    FILE *file = fopen(path, "rb");
    struct stat info;
    if (file != NULL && fstat(fileno(file), &info) == 0) {
        bytes.data = malloc((size_t)info.st_size + 1);
        bytes.size = fread(bytes.data, 1, (size_t)info.st_size, file);
        bytes.data[bytes.size] = '\0';
    }
    if (file != NULL) {
        fclose(file);
    }
    return bytes;
}

static void write_all(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    REQUIRE(file != NULL);
    CHECK(fwrite(data, 1, size, file) == size);
    fclose(file);
}

// A tool of LLVM 22, or a skip that says which is missing.
static const char *tool(const char *name)
{
    static char paths[4][160];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "/usr/bin/%s-22", name);
    if (access(path, X_OK) != 0) {
        snprintf(path, sizeof paths[0], "/usr/lib/llvm-22/bin/%s", name);
    }
    return access(path, X_OK) == 0 ? path : NULL;
}

static bool run_tool(const char *command)
{
    int result = system(command);
    return result == 0 || FAIL("'%s' gives %d", command, result);
}

// ---- comparing
// -------------------------------------------------------------------------------------------------------------------

static Elf64_Ehdr header_of(const struct bytes *file)
{
    Elf64_Ehdr header;
    memcpy(&header, file->data, sizeof header);
    return header;
}

// Offsets of the section table differ, since debugging information is left out.
static bool same_headers(const char *what, const struct bytes *ours, const struct bytes *theirs)
{
    Elf64_Ehdr a = header_of(ours), b = header_of(theirs);
    if (memcmp(a.e_ident, b.e_ident, sizeof a.e_ident) != 0 || a.e_type != b.e_type || a.e_machine != b.e_machine ||
        a.e_flags != b.e_flags || a.e_phnum != b.e_phnum || a.e_phoff != b.e_phoff || a.e_entry != b.e_entry) {
        return FAIL("%s: the headers differ", what);
    }
    return true;
}

// The segments, and every byte of them: symbols, hash table, metadata, code with its relocations applied, data.
static bool same_segments(const char *what, const struct bytes *ours, const struct bytes *theirs)
{
    Elf64_Ehdr header = header_of(ours);
    const unsigned char *a = ours->data + header.e_phoff, *b = theirs->data + header.e_phoff;
    if (memcmp(a, b, header.e_phnum * sizeof(Elf64_Phdr)) != 0) {
        return FAIL("%s: the segments differ", what);
    }
    size_t compared = 0;
    for (int i = 0; i < header.e_phnum; i++) {
        Elf64_Phdr segment;
        memcpy(&segment, a + (size_t)i * sizeof segment, sizeof segment);
        size_t from = segment.p_offset > sizeof header ? segment.p_offset : sizeof header;
        for (size_t k = from; k < segment.p_offset + segment.p_filesz; k++, compared++) {
            if (ours->data[k] != theirs->data[k]) {
                return FAIL("%s: byte %#zx of segment %d is %#x, not %#x", what, k, i, ours->data[k], theirs->data[k]);
            }
        }
    }
    return CHECK(compared > 500);
}

// Sections that are loaded, in order, by name and place.
static bool same_sections(const char *what, const struct bytes *ours, const struct bytes *theirs)
{
    const struct bytes *files[2] = {ours, theirs};
    Elf64_Shdr sections[2][LINK_MAX_SECTIONS];
    const char *names[2][LINK_MAX_SECTIONS];
    int counts[2] = {0, 0};
    for (int f = 0; f < 2; f++) {
        Elf64_Ehdr header = header_of(files[f]);
        Elf64_Shdr strings;
        memcpy(&strings, files[f]->data + header.e_shoff + header.e_shstrndx * sizeof strings, sizeof strings);
        for (int i = 0; i < header.e_shnum && counts[f] < LINK_MAX_SECTIONS; i++) {
            Elf64_Shdr section;
            memcpy(&section, files[f]->data + header.e_shoff + (size_t)i * sizeof section, sizeof section);
            if ((section.sh_flags & SHF_ALLOC) != 0) {
                names[f][counts[f]] = (const char *)files[f]->data + strings.sh_offset + section.sh_name;
                section.sh_name = 0;
                section.sh_entsize = section.sh_type == SHT_PROGBITS ? 0 : section.sh_entsize;
                sections[f][counts[f]++] = section;
            }
        }
    }
    if (!CHECK_INT(counts[0], counts[1])) {
        return false;
    }
    for (int i = 0; i < counts[0]; i++) {
        if (memcmp(&sections[0][i], &sections[1][i], sizeof sections[0][i]) != 0 ||
            strcmp(names[0][i], names[1][i]) != 0) {
            return FAIL("%s: section %s differs from %s", what, names[0][i], names[1][i]);
        }
    }
    return true;
}

// Links the object both ways. -O0 leaves strings that occur twice as they are.
static bool compare_with_lld(const char *what, const void *object, size_t size, struct bytes *out_ours)
{
    char command[800];
    void *linked = NULL;
    *out_ours = (struct bytes){0};
    if (link_amdgpu(what, object, size, &linked, &out_ours->size) != RILL_OK) {
        return FAIL("%s: %s", what, rill_message());
    }
    out_ours->data = linked;
    write_all(temporary("in.o"), object, size);
    snprintf(command, sizeof command, "%s -shared -O0 --hash-style=sysv -z norelro --strip-all %s -o %s",
             tool("ld.lld"), temporary("in.o"), temporary("theirs.so"));
    bool good = run_tool(command);
    struct bytes theirs = read_all(temporary("theirs.so"));
    good = good && CHECK(theirs.size > 64) && same_headers(what, out_ours, &theirs) &&
           same_segments(what, out_ours, &theirs) && same_sections(what, out_ours, &theirs);
    free(theirs.data);
    return good;
}

// ---- every kernel file
// ------------------------------------------------------------------------------------------------------------------

// A text that a program compiled says in its first line how: "// compiled: bounds fast exact".
static bool is_said(const struct bytes *text, const char *word)
{
    static const char mark[] = "// compiled:";
    const char *line = (const char *)text->data; // terminated
    if (text->size < sizeof mark || memcmp(line, mark, strlen(mark)) != 0) {
        return false;
    }
    const char *found = strstr(line, word);
    return found != NULL && found < line + strcspn(line, "\n");
}

static int too_deep_count; // what wants a larger stack than a GPU has, and is refused by words

static bool compile(const char *path, const char *target, struct codegen_output *out)
{
    struct bytes text = read_all(path);
    struct arena arena;
    arena_init(&arena);
    struct diags diags;
    diags_init(&diags, &arena);
    static const char *const dirs[] = {RILL_SOURCE_DIR "/include", RILL_SOURCE_DIR "/tests/kernels/include"};
    bool has_bounds = is_said(&text, " bounds"), is_exact = is_said(&text, " exact");
    struct pipeline_options options = {.contract = !is_exact,
                                       .check_bounds = has_bounds,
                                       .is_gpu = true,
                                       .preprocess = {.include_dirs = dirs, .include_dir_count = 2}};
    struct pipeline_result made;
    pipeline_compile(&arena, &diags, path, (const char *)text.data, text.size, &options, &made);
    struct codegen_options how = {
        .target = target, .plan = made.plan, .check_bounds = has_bounds, .fast_math = is_said(&text, " fast")};
    bool good = made.plan != NULL ? codegen_emit(made.module, &how, out) == RILL_OK : FAIL("%s does not compile", path);
    if (!good && made.plan != NULL && strstr(rill_message(), "stack frame size") != NULL) {
        too_deep_count++;
    } else if (!good && made.plan != NULL) {
        FAIL("%s", rill_message());
    }
    arena_finish(&arena);
    free(text.data);
    return good;
}

// For |wanted| of the architectures that code objects of the version are for, from number |first| on.
static int compare_file(const char *path, int version, int first, int wanted, int *relative_count)
{
    int count = 0;
    for (int k = 0; k < wanted; k++) {
        int i = (first + k) % FAMILY_COUNT + (version == 4 ? FAMILY_COUNT : 0);
        struct codegen_output object = {0};
        struct bytes linked = {0};
        char what[600];
        snprintf(what, sizeof what, "%s for %s", path, architectures[i]);
        if (compile(path, architectures[i], &object) && compare_with_lld(what, object.bytes, object.size, &linked)) {
            count++;
            *relative_count += memmem(linked.data, linked.size, ".rela.dyn", 9) != NULL;
            // Services of the runtime that cost a thread or memory, and that no kernel of ours uses.
            CHECK(memmem(linked.data, linked.size, "hidden_hostcall_buffer", 22) == NULL);
            CHECK(memmem(linked.data, linked.size, "hidden_heap_v1", 14) == NULL);
        }
        free(linked.data);
        codegen_output_finish(&object);
    }
    return count;
}

static unsigned timeout_seconds(void)
{
    const char *limit = getenv("RILL_TEST_TIMEOUT");
    return limit != NULL ? (unsigned)strtoul(limit, NULL, 10) : 120;
}

static int is_c_file(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 2 && strcmp(entry->d_name + length - 2, ".c") == 0;
}

// All of them take the compiler minutes; in short each file takes its turn with one architecture, and only every so
// many files do, other ones in each turn. By name, so that everywhere the same ones do.
static void compare_files(int version, int every)
{
    static const char *const folders[] = {"tests/kernels", "examples/kernels", "bench/kernels"};
    if (tool("ld.lld") == NULL) {
        SKIP("there is no ld.lld of LLVM 22");
    }
    int wanted = form_is_long() ? FAMILY_COUNT : 1;
    int seen = 0, taken = 0, count = 0, relative_count = 0;
    for (size_t f = 0; f < sizeof folders / sizeof folders[0]; f++) {
        struct dirent **entries = NULL;
        char path[512];
        snprintf(path, sizeof path, "%s/%s", RILL_SOURCE_DIR, folders[f]);
        int entry_count = scandir(path, &entries, is_c_file, alphasort);
        CHECK(entry_count > 0);
        for (int i = 0; i < entry_count; i++) {
            snprintf(path, sizeof path, "%s/%s/%s", RILL_SOURCE_DIR, folders[f], entries[i]->d_name);
            bool has_addresses = strcmp(entries[i]->d_name, "initialisers.c") == 0; // in its data
            if (form_takes((unsigned long)seen++, (unsigned long)every) || has_addresses) {
                taken++;
                alarm(timeout_seconds()); // for each file
                count += compare_file(path, version, seen, wanted, &relative_count);
            }
            free(entries[i]);
        }
        free(entries);
    }
    CHECK_INT(count, taken * wanted);
    CHECK(seen > 20);
    CHECK(relative_count > 0);
    remove_temporary();
}

// All the texts for all architectures in the long form; in short each takes its turn with one.
TEST(every_text_that_programs_compiled_links_as_lld_does_it)
{
    const char *texts = getenv("RILL_TEST_TEXTS");
    if (texts == NULL || tool("ld.lld") == NULL) {
        SKIP("RILL_TEST_TEXTS names no folder of them, or there is no ld.lld of LLVM 22");
    }
    int wanted = form_is_long() ? FAMILY_COUNT : 1;
    struct dirent **entries = NULL;
    int entry_count = scandir(texts, &entries, is_c_file, alphasort);
    int taken = 0, count = 0, relative_count = 0;
    for (int i = 0; i < entry_count; i++) {
        char path[512];
        struct stat info;
        snprintf(path, sizeof path, "%s/%s", texts, entries[i]->d_name);
        if (stat(path, &info) == 0 && info.st_size > 0) { // an empty one stands for a text that wants other files
            alarm(timeout_seconds());
            taken++;
            count += compare_file(path, 5, i, wanted, &relative_count);
        }
        free(entries[i]);
    }
    free(entries);
    CHECK_INT(count + too_deep_count, taken * wanted);
    CHECK(count > 10 * too_deep_count); // a few texts are about deep stacks
    printf("  %d texts, %d compared, %d too deep for a GPU\n", entry_count, count, too_deep_count);
    remove_temporary();
}

TEST(every_kernel_file_links_for_every_architecture_as_lld_does_it)
{
    compare_files(5, form_is_sanitized() ? (form_is_long() ? 8 : 16) : form_is_long() ? 1 : 6);
}

TEST(every_kernel_file_links_for_older_runtimes_too)
{
    compare_files(4, form_is_sanitized() ? 16 : form_is_long() ? 1 : 12);
}

// ---- what kernels do not have, from assembly
// -----------------------------------------------------------------------------------------------------------------------

static const char assembly[] = ".amdgcn_target \"amdgcn-amd-amdhsa--gfx942\"\n"
                               ".amdhsa_code_object_version 5\n"
                               ".section .text.first,\"ax\",@progbits\n"
                               ".globl first\n.protected first\n.p2align 8\n.type first,@function\n"
                               "first:\n  s_branch second\n  s_nop 0\n  s_endpgm\n.size first, .-first\n"
                               ".section .text.second,\"ax\",@progbits\n"
                               ".globl second\n.hidden second\n.p2align 8\n.type second,@function\n"
                               "second:\n  s_branch first\n  s_endpgm\n.size second, .-second\n"
                               ".data\n.globl table\n.protected table\n.p2align 3\n.type table,@object\n"
                               "table:\n  .quad first\n  .quad table+8\n  .quad -1\n.size table, 24\n"
                               ".section .rodata.cst4,\"aM\",@progbits,4\n.p2align 2\n"
                               "  .long 7\n  .long table-.\n"
                               ".section .odd,\"aw\",@progbits\n.globl odd\n.protected odd\n"
                               "odd:\n  .byte 1\n"
                               ".bss\n.globl room\n.protected room\n.p2align 6\nroom:\n .zero 100\n.size room, 100\n";

static bool assemble(const char *text, struct bytes *out)
{
    char command[800];
    write_all(temporary("in.s"), text, strlen(text));
    snprintf(command, sizeof command, "%s -triple amdgcn-amd-amdhsa -mcpu=gfx942 -filetype=obj %s -o %s",
             tool("llvm-mc"), temporary("in.s"), temporary("in.o"));
    *out = (struct bytes){0};
    if (!run_tool(command)) {
        return false;
    }
    *out = read_all(temporary("in.o"));
    return true;
}

TEST(branches_addresses_and_odd_sections_link_as_lld_does_it)
{
    if (tool("ld.lld") == NULL || tool("llvm-mc") == NULL) {
        SKIP("there is no ld.lld or llvm-mc of LLVM 22");
    }
    struct bytes object, linked;
    REQUIRE(assemble(assembly, &object));
    CHECK(compare_with_lld("assembly", object.data, object.size, &linked));
    free(linked.data);
    free(object.data);
    remove_temporary();
}

// Its code is an empty section, for which lld leaves room in the headers but makes no segment.
TEST(a_module_without_kernels_links_as_lld_does_it)
{
    if (tool("ld.lld") == NULL) {
        SKIP("there is no ld.lld of LLVM 22");
    }
    static const char text[] = "int field[4] = {1, 2, 3, 4};\n";
    char path[160];
    int relative_count = 0;
    snprintf(path, sizeof path, "%s", temporary("in.c"));
    write_all(path, "\n", 1);
    CHECK_INT(compare_file(path, 5, 0, FAMILY_COUNT, &relative_count), FAMILY_COUNT);
    write_all(path, text, strlen(text));
    CHECK_INT(compare_file(path, 5, 0, FAMILY_COUNT, &relative_count), FAMILY_COUNT);
    remove_temporary();
}

// LLVM's own tools take the result, and disassemble from it what they disassemble from lld's.
TEST(the_tools_of_llvm_read_what_was_linked)
{
    if (tool("ld.lld") == NULL || tool("llvm-readelf") == NULL || tool("llvm-objdump") == NULL) {
        SKIP("there is no ld.lld, llvm-readelf or llvm-objdump of LLVM 22");
    }
    struct codegen_output object = {0};
    struct bytes linked;
    REQUIRE(compile(RILL_SOURCE_DIR "/tests/kernels/reductions.c", "gfx1100", &object));
    CHECK(compare_with_lld("reductions", object.bytes, object.size, &linked));
    write_all(temporary("ours.so"), linked.data, linked.size);
    char command[1000];
    snprintf(command, sizeof command, "%s -aW %s > %s 2> %s", tool("llvm-readelf"), temporary("ours.so"),
             temporary("a"), temporary("words"));
    CHECK(run_tool(command));
    struct bytes shown = read_all(temporary("a")), words = read_all(temporary("words"));
    CHECK_STR((const char *)words.data, "");
    CHECK_CONTAINS((const char *)shown.data, "amdhsa.target:   amdgcn-amd-amdhsa--gfx1100");
    CHECK_CONTAINS((const char *)shown.data, ".kd");
    CHECK_CONTAINS((const char *)shown.data, ".kernarg_segment_size");
    free(shown.data);
    free(words.data);
    for (int i = 0; i < 2; i++) {
        snprintf(command, sizeof command, "%s -d %s | tail -n +3 > %s", tool("llvm-objdump"),
                 temporary(i == 0 ? "ours.so" : "theirs.so"), temporary(i == 0 ? "a" : "b"));
        CHECK(run_tool(command));
    }
    struct bytes a = read_all(temporary("a")), b = read_all(temporary("b"));
    CHECK(a.size > 10000);
    CHECK(a.size == b.size && memcmp(a.data, b.data, a.size) == 0);
    free(a.data);
    free(b.data);
    free(linked.data);
    codegen_output_finish(&object);
    remove_temporary();
}

// Where threads look for the size of the grid: version 5 has it in arguments that the runtime adds, version 4, which
// is read by all runtimes since ROCm 4.1, in the packet that launched the kernel.
static void check_version(const char *target, int version)
{
    struct codegen_output object = {0};
    struct bytes linked;
    char command[1000], text[80];
    REQUIRE(compile(RILL_SOURCE_DIR "/tests/kernels/pointers.c", target, &object));
    CHECK(compare_with_lld(target, object.bytes, object.size, &linked));
    CHECK_INT(linked.data[EI_ABIVERSION], version - 2);
    write_all(temporary("ours.so"), linked.data, linked.size);
    snprintf(command, sizeof command, "%s -hnW %s > %s", tool("llvm-readelf"), temporary("ours.so"), temporary("a"));
    CHECK(run_tool(command));
    struct bytes shown = read_all(temporary("a"));
    snprintf(text, sizeof text, "ABI Version:                       %d", version - 2);
    CHECK_CONTAINS((const char *)shown.data, text);
    snprintf(text, sizeof text, "amdhsa.version:\n  - 1\n  - %d\n", version - 3);
    CHECK_CONTAINS((const char *)shown.data, text);
    snprintf(text, sizeof text, "amdhsa.target:   amdgcn-amd-amdhsa--%.*s\n", (int)strcspn(target, ":"), target);
    CHECK_CONTAINS((const char *)shown.data, text);
    CHECK_INT(strstr((const char *)shown.data, "hidden_block_count_x") != NULL, version == 5);
    CHECK_INT(strstr((const char *)shown.data, "hidden_group_size_x") != NULL, version == 5);
    free(shown.data);
    free(linked.data);
    codegen_output_finish(&object);
}

TEST(code_objects_are_of_the_version_that_was_asked_for)
{
    if (tool("ld.lld") == NULL || tool("llvm-readelf") == NULL) {
        SKIP("there is no ld.lld or llvm-readelf of LLVM 22");
    }
    for (int i = 0; i < ARCHITECTURE_COUNT; i++) {
        check_version(architectures[i], strchr(architectures[i], ':') != NULL ? 4 : 5);
    }
    remove_temporary();
}

// ---- objects that are none
// ---------------------------------------------------------------------------------------------------------------------

static void check_refused(const void *bytes, size_t size, const char *words)
{
    void *linked;
    size_t linked_size;
    CHECK_INT(link_amdgpu("broken.o", bytes, size, &linked, &linked_size), RILL_ERR_INVALID);
    CHECK(linked == NULL && linked_size == 0);
    CHECK_CONTAINS(rill_message(), "broken.o");
    CHECK_CONTAINS(rill_message(), words);
}

// Writes |value| over |size| bytes at |offset| of a copy and wants it refused.
static void check_change(const struct codegen_output *object, size_t offset, uint64_t value, size_t size,
                         const char *words)
{
    unsigned char *copy = malloc(object->size);
    memcpy(copy, object->bytes, object->size);
    memcpy(copy + offset, &value, size);
    check_refused(copy, object->size, words);
    free(copy);
}

static Elf64_Shdr section_named(const struct codegen_output *object, const char *name, size_t *out_offset)
{
    struct elf_file file;
    REQUIRE(elf_open(&file, "object", EM_AMDGPU, object->bytes, object->size) == RILL_OK);
    for (uint32_t i = 1; i < file.section_count; i++) {
        Elf64_Shdr section = elf_section(&file, i);
        if (strcmp(elf_section_name(&file, &section), name) == 0) {
            *out_offset = file.header.e_shoff + i * sizeof section;
            return section;
        }
    }
    FAIL("there is no section %s", name);
    return (Elf64_Shdr){0};
}

TEST(what_cannot_be_linked_is_refused_with_words)
{
    struct codegen_output object = {0};
    REQUIRE(compile(RILL_SOURCE_DIR "/tests/kernels/updates.c", "gfx942", &object));
    check_refused("", 0, "too short");
    check_refused("no object at all, and longer than the header of one would be: it goes on and on", 79, "mark of ELF");
    check_change(&object, offsetof(Elf64_Ehdr, e_machine), EM_X86_64, 2, "not for an AMD GPU");
    check_change(&object, offsetof(Elf64_Ehdr, e_type), ET_DYN, 2, "not relocatable");
    size_t at;
    Elf64_Shdr text = section_named(&object, ".text", &at);
    check_change(&object, at + offsetof(Elf64_Shdr, sh_addralign), 3, 8, "aligned to 3");
    check_change(&object, at + offsetof(Elf64_Shdr, sh_addralign), 1 << 20, 8, "aligned to 1048576");
    check_change(&object, at + offsetof(Elf64_Shdr, sh_flags), text.sh_flags | SHF_TLS, 8, "flags");
    check_change(&object, at + offsetof(Elf64_Shdr, sh_type), SHT_INIT_ARRAY, 4, "type 14");
    check_change(&object, at + offsetof(Elf64_Shdr, sh_type), SHT_NOBITS, 4, "no bytes");
    Elf64_Shdr rela = section_named(&object, ".rela.rodata", &at);
    size_t first = rela.sh_offset;
    check_change(&object, first + offsetof(Elf64_Rela, r_info), 7, 4, "relocation of type 7");
    check_change(&object, first + offsetof(Elf64_Rela, r_info), LINK_ABS64, 4, "only read");
    check_change(&object, first + offsetof(Elf64_Rela, r_offset), 1 << 30, 8, "outside its section");
    check_change(&object, first + offsetof(Elf64_Rela, r_info) + 4, 0xffffff, 4, "symbol that there is not");
    Elf64_Shdr symbols = section_named(&object, ".symtab", &at);
    size_t last = symbols.sh_offset + symbols.sh_size - sizeof(Elf64_Sym);
    check_change(&object, last + offsetof(Elf64_Sym, st_shndx), SHN_UNDEF, 2, "not defined");
    check_change(&object, last + offsetof(Elf64_Sym, st_shndx), SHN_COMMON, 2, "in no section");
    check_change(&object, last + offsetof(Elf64_Sym, st_value), UINT64_MAX, 8, "outside its section");
    Elf64_Shdr bss = section_named(&object, ".bss", &at);
    (void)bss;
    check_change(&object, at + offsetof(Elf64_Shdr, sh_size), UINT64_MAX - 7, 8, "bytes");
    codegen_output_finish(&object);
}

// Cut short anywhere, or with any byte of the headers and tables changed: a result or words, and never a crash.
TEST(damaged_objects_do_no_harm)
{
    struct codegen_output object = {0};
    REQUIRE(compile(RILL_SOURCE_DIR "/tests/kernels/updates.c", "gfx1201", &object));
    unsigned char *copy = malloc(object.size);
    int refused = 0;
    for (size_t size = 0; size < object.size; size += size < 256 ? 1 : 997) {
        void *linked;
        size_t linked_size;
        unsigned char *cut = malloc(size + 1); // so that a byte behind the end is seen
        memcpy(cut, object.bytes, size);
        refused += link_amdgpu("cut.o", cut, size, &linked, &linked_size) != RILL_OK;
        free(linked);
        free(cut);
    }
    uint64_t random = 1;
    for (int i = 0; i < 3000; i++) {
        memcpy(copy, object.bytes, object.size);
        for (int k = 0; k < 1 + i % 3; k++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            // Mostly the section table and what follows it, where the structure is.
            Elf64_Ehdr header;
            memcpy(&header, object.bytes, sizeof header);
            size_t from = i % 4 == 0 ? 0 : i % 4 == 1 ? object.size / 2 : header.e_shoff;
            copy[from + (random >> 33) % (object.size - from)] ^= (unsigned char)(1u << (random >> 20) % 8);
        }
        void *linked;
        size_t linked_size;
        refused += link_amdgpu("damaged.o", copy, object.size, &linked, &linked_size) != RILL_OK;
        free(linked);
    }
    CHECK(refused > 300);
    free(copy);
    codegen_output_finish(&object);
}
