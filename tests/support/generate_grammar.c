#include "generate_grammar.h"

#include "tree.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RULES = 400, MAX_ALTERNATIVES = 96, MAX_DEPTH = 14, LETTERS = 26 };

struct rule {
    const char *name;
    const char *alternatives[MAX_ALTERNATIVES];
    int count;
};

struct grammar {
    struct gen *g;
    struct arena *arena;
    struct rule rules[MAX_RULES];
    int rule_count;
};

// One alternative while it is expanded. What a letter stands for holds in the frames inside it.
struct frame {
    const struct frame *outer;
    const char *bound[LETTERS];
    int number;
    int depth;
};

static _Noreturn void give_up(const char *what, const char *name)
{
    fprintf(stderr, "grammar: %s: %s\n", what, name);
    exit(2);
}

// ---- reading
// -------------------------------------------------------------------------------------------------------------------

static char *read_text(struct arena *arena, const char *name)
{
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/tests/generate/grammar/%s.txt", tree_root(), name);
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        give_up("cannot be read", path);
    }
    struct str text;
    char piece[4096];
    str_init(&text, arena);
    for (size_t got = fread(piece, 1, sizeof piece, file); got > 0; got = fread(piece, 1, sizeof piece, file)) {
        str_add_n(&text, piece, got);
    }
    fclose(file);
    return text.text;
}

static void add_alternative(struct rule *rule, char *text)
{
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1])) {
        text[--length] = '\0';
    }
    if (length == 0) {
        return;
    }
    if (rule->count == MAX_ALTERNATIVES) {
        give_up("too many alternatives", rule->name);
    }
    rule->alternatives[rule->count++] = text;
}

static void read_rules(struct grammar *grammar, const char *name)
{
    char *at = read_text(grammar->arena, name);
    struct rule *rule = NULL;
    bool is_long = false;
    struct str block;
    str_init(&block, grammar->arena);
    while (*at != '\0') {
        char *line = at;
        at += strcspn(at, "\n");
        if (*at != '\0') {
            *at++ = '\0';
        }
        bool ends_block = line[0] == ':' || strcmp(line, "--") == 0 || strncmp(line, "$include ", 9) == 0;
        if (strncmp(line, ";;", 2) == 0) {
            continue;
        }
        if (ends_block && is_long) {
            add_alternative(rule, arena_strdup(grammar->arena, str_text(&block)));
            str_init(&block, grammar->arena);
        }
        if (strncmp(line, "$include ", 9) == 0) {
            is_long = false;
            read_rules(grammar, line + 9);
        } else if (line[0] == ':') {
            if (grammar->rule_count == MAX_RULES) {
                give_up("too many rules", name);
            }
            is_long = line[1] == ':';
            rule = &grammar->rules[grammar->rule_count++];
            *rule = (struct rule){.name = line + (is_long ? 2 : 1)};
        } else if (is_long && !ends_block) {
            str_printf(&block, "%s\n", line);
        } else if (rule != NULL && !ends_block) {
            add_alternative(rule, line);
        }
    }
    if (is_long) {
        add_alternative(rule, arena_strdup(grammar->arena, str_text(&block)));
    }
}

// ---- expanding
// -------------------------------------------------------------------------------------------------------------------

static const char *bound_text(const struct frame *frame, char letter)
{
    for (; frame != NULL; frame = frame->outer) {
        if (frame->bound[letter - 'A'] != NULL) {
            return frame->bound[letter - 'A'];
        }
    }
    char name[2] = {letter, '\0'};
    give_up("stands for nothing", name);
}

static void expand(struct grammar *grammar, struct frame *frame, const char *text, struct str *out);

static void expand_rule(struct grammar *grammar, struct frame *frame, const char *name, struct str *out)
{
    for (int i = 0; i < grammar->rule_count; i++) {
        const struct rule *rule = &grammar->rules[i];
        if (strcmp(rule->name, name) == 0 && rule->count > 0) {
            uint32_t chosen = gen_random(grammar->g, (uint32_t)rule->count);
            struct frame inner = {.outer = frame, .number = grammar->g->name_count++, .depth = frame->depth + 1};
            expand(grammar, &inner, rule->alternatives[inner.depth > MAX_DEPTH ? 0 : chosen], out);
            return;
        }
    }
    give_up("no such rule", name);
}

static const char *read_name(struct grammar *grammar, const char *at, const char **out_name)
{
    size_t skipped = *at == '{';
    size_t length = skipped;
    while (islower((unsigned char)at[length]) || isdigit((unsigned char)at[length]) || at[length] == '_') {
        length++;
    }
    *out_name = arena_strndup(grammar->arena, at + skipped, length - skipped);
    return at + length + skipped;
}

// `$A`, `$A=name`, `$A~name` and `$A~(text)`, after the dollar.
static const char *expand_letter(struct grammar *grammar, struct frame *frame, const char *at, struct str *out)
{
    char letter = *at++;
    bool is_bound = (*at == '~' && (at[1] == '(' || islower((unsigned char)at[1]))) ||
                    (*at == '=' && islower((unsigned char)at[1]));
    if (!is_bound) {
        str_add(out, bound_text(frame, letter));
        return at;
    }
    bool is_silent = *at++ == '~';
    struct str text;
    str_init(&text, grammar->arena);
    if (*at == '(') {
        size_t length = strcspn(at, ")");
        expand(grammar, frame, arena_strndup(grammar->arena, at + 1, length - 1), &text);
        at += length + 1;
    } else {
        const char *name;
        at = read_name(grammar, at, &name);
        expand_rule(grammar, frame, name, &text);
    }
    frame->bound[letter - 'A'] = arena_strdup(grammar->arena, str_text(&text));
    str_add(out, is_silent ? "" : str_text(&text));
    return at;
}

static const char *expand_number(struct grammar *grammar, const char *at, struct str *out)
{
    char *end;
    long low = strtol(at + 1, &end, 10);
    long high = strtol(end + 1, &end, 10);
    str_printf(out, "%ld", low + (long)gen_random(grammar->g, (uint32_t)(high - low + 1)));
    return end + 1;
}

static void expand(struct grammar *grammar, struct frame *frame, const char *text, struct str *out)
{
    for (const char *at = text; *at != '\0';) {
        if (*at != '$') {
            str_add_char(out, *at++);
            continue;
        }
        at++;
        if (*at == '#') {
            str_printf(out, "%d", frame->number);
            at++;
        } else if (*at == '-') {
            at++;
        } else if (*at == '[') {
            at = expand_number(grammar, at, out);
        } else if (isupper((unsigned char)*at)) {
            at = expand_letter(grammar, frame, at, out);
        } else {
            const char *name;
            at = read_name(grammar, at, &name);
            expand_rule(grammar, frame, name, out);
        }
    }
}

// ---- writing
// -------------------------------------------------------------------------------------------------------------------

static int closing_count(const char *line, size_t length)
{
    return length > 0 && line[0] == '}' ? 1 : 0;
}

static int depth_change(const char *line, size_t length)
{
    int change = 0;
    for (size_t i = 0; i < length; i++) {
        change += line[i] == '{' ? 1 : line[i] == '}' ? -1 : 0;
    }
    return change;
}

static void write_indented(struct gen *g, const char *text)
{
    int depth = 0;
    for (const char *at = text; *at != '\0';) {
        at += strspn(at, " ");
        size_t length = strcspn(at, "\n");
        if (length > 0) {
            g->indent = depth - closing_count(at, length);
            gen_line(g, "%.*s", (int)length, at);
            depth += depth_change(at, length);
        }
        at += length + (at[length] == '\n');
    }
    g->indent = 0;
}

void gen_grammar_file(struct gen *g, const char *name)
{
    struct arena arena;
    struct str text;
    struct frame frame = {0};
    arena_init(&arena);
    struct grammar *grammar = ARENA_NEW(&arena, struct grammar);
    grammar->g = g;
    grammar->arena = &arena;
    str_init(&text, &arena);
    read_rules(grammar, name);
    expand_rule(grammar, &frame, "file", &text);
    write_indented(g, str_text(&text));
    arena_finish(&arena);
}
