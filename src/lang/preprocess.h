// C's preprocessor: from the main file's text to one array of tokens ending in TOKEN_EOF.
#ifndef RILL_LANG_PREPROCESS_H
#define RILL_LANG_PREPROCESS_H

#include "lang/token.h"

struct preprocess_define {
    const char *name;
    const char *value; // NULL is "1"
};

struct preprocess_header {
    const char *name; // as written between the quotes
    const char *text;
    size_t length;
};

// A path that was looked for on the disk, and what was found there.
enum preprocess_found { PREPROCESS_READ, PREPROCESS_PRESENT, PREPROCESS_ABSENT };

struct preprocess_probe {
    enum preprocess_found found;
    const char *path;
    const char *text; // READ: as it stands in the file
    size_t length;    //
};

struct preprocess_probes {
    struct preprocess_probe **items; // each path once
    int count;
    int capacity;
};

struct preprocess_options {
    const struct preprocess_define *defines;
    int define_count;
    const char *const *include_dirs; // searched after the including file's own directory
    int include_dir_count;
    const struct preprocess_header *headers; // from memory; these come before the disk
    int header_count;
    bool no_disk;                     // headers from memory and built-in ones only (fuzzing)
    struct preprocess_probes *probes; // filled, in the arena; NULL: nobody asks
    uint64_t work_limit;              // 0 is LANG_MAX_PREPROCESS_WORK; fuzzing sets less, to spend its time elsewhere
};

// Limits, stated in docs/language.md and tested.
enum {
    LANG_MAX_FILE_SIZE = 16 * 1024 * 1024,
    LANG_MAX_INCLUDE_DEPTH = 64,
    LANG_MAX_MACRO_DEPTH = 512,
    LANG_MAX_TOKENS = 2 * 1024 * 1024,          // after preprocessing
    LANG_MAX_PREPROCESS_WORK = 8 * 1000 * 1000, // tokens read and copied on the way
};

struct token_list {
    struct token *items;
    int count;
    int capacity;
};

// Errors go to |diags|. The list always ends in TOKEN_EOF.
void preprocess(struct arena *arena, struct diags *diags, const char *path, const char *text, size_t length,
                const struct preprocess_options *options, struct token_list *out_tokens);

#endif
