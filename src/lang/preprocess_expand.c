// Macro expansion. The expansions being read form a stack. A macro is active while its expansion is on the stack, and a
// name of an active macro that is met then is marked for good (LEX_NO_EXPAND): that is C's rule that a macro is not
// replaced inside itself. When an expansion has been read it leaves the stack, also in the middle of collecting another
// macro's arguments; C leaves open whether `f` is replaced in the case this concerns, and gcc does as we do.
#include "lang/preprocess_state.h"

#include "base/str.h"

#include <assert.h>
#include <string.h>

struct token_buffer *pp_buffer(struct preprocessor *pp, int capacity)
{
    struct token_buffer **link = &pp->free_buffers;
    for (int tries = 0; *link != NULL && tries < 4; link = &(*link)->next, tries++) {
        struct token_buffer *buffer = *link;
        if (buffer->capacity >= capacity) {
            *link = buffer->next;
            buffer->count = 0;
            return buffer;
        }
    }
    struct token_buffer *buffer = ARENA_NEW(pp->arena, struct token_buffer);
    buffer->capacity = capacity < 16 ? 16 : capacity;
    buffer->items = ARENA_ARRAY(pp->arena, struct lex_token, buffer->capacity);
    return buffer;
}

void pp_buffer_release(struct preprocessor *pp, struct token_buffer *buffer)
{
    assert(buffer != pp->free_buffers); // released twice
    buffer->next = pp->free_buffers;
    pp->free_buffers = buffer;
}

void pp_buffer_add(struct preprocessor *pp, struct token_buffer **buffer, const struct lex_token *token)
{
    struct token_buffer *old = *buffer;
    if (old->count == old->capacity) {
        struct token_buffer *larger = pp_buffer(pp, 2 * old->capacity);
        memcpy(larger->items, old->items, sizeof *old->items * (size_t)old->count);
        larger->count = old->count;
        pp_buffer_release(pp, old);
        *buffer = larger;
    }
    (*buffer)->items[(*buffer)->count++] = *token;
}

static struct expansion *push(struct preprocessor *pp, struct macro *macro, struct token_buffer *buffer)
{
    assert(macro == NULL || !macro->is_active); // C: no macro is replaced inside itself
    struct expansion *expansion = pp->free_expansions;
    if (expansion != NULL) {
        pp->free_expansions = expansion->outer;
    } else {
        expansion = ARENA_NEW(pp->arena, struct expansion);
    }
    *expansion = (struct expansion){.outer = pp->expansions, .macro = macro, .buffer = buffer};
    pp->expansions = expansion;
    if (macro != NULL) {
        macro->is_active = true;
        pp->expansion_depth++;
    }
    return expansion;
}

static void pop(struct preprocessor *pp)
{
    struct expansion *expansion = pp->expansions;
    if (expansion->macro != NULL) {
        assert(expansion->macro->is_active && pp->expansion_depth > 0);
        expansion->macro->is_active = false;
        pp->expansion_depth--;
    }
    if (expansion->buffer != NULL) {
        pp_buffer_release(pp, expansion->buffer);
    }
    pp->expansions = expansion->outer;
    expansion->outer = pp->free_expansions;
    pp->free_expansions = expansion;
}

void pp_drop_expansions(struct preprocessor *pp)
{
    while (pp->expansions != NULL) {
        pop(pp);
    }
}

void pp_push_back(struct preprocessor *pp, const struct lex_token *token)
{
    struct token_buffer *buffer = pp_buffer(pp, 1);
    buffer->items[buffer->count++] = *token;
    push(pp, NULL, buffer);
}

// The next token, names not yet replaced.
static void next_raw(struct preprocessor *pp, struct lex_token *out)
{
    while (pp->expansions != NULL) {
        struct expansion *top = pp->expansions;
        if (top->position < top->buffer->count) {
            *out = top->buffer->items[top->position++];
            return;
        }
        if (top->is_barrier) {
            *out = (struct lex_token){.kind = LEX_EOF};
            return;
        }
        pop(pp);
    }
    pp_next_from_file(pp, out);
}

// One argument: as it was written, and (made when first wanted) with its own macros replaced.
struct argument {
    struct token_buffer *written;
    struct token_buffer *expanded; // NULL while nobody wanted it
    bool omitted;                  // the variadic argument that is not even an empty one
};

struct call {
    struct macro *macro;
    const struct lex_token *name; // where the macro is used
    struct argument *arguments;   // macro->param_count of them, at least one
};

static void wrong_count(struct preprocessor *pp, const struct call *call, int given)
{
    const struct macro *macro = call->macro;
    int wanted = macro->param_count - macro->is_variadic;
    diag_error(pp->diags, call->name->loc, "the macro '%s' takes %s%d argument%s, %d %s given", macro->name->text,
               macro->is_variadic ? "at least " : "", wanted, wanted == 1 ? "" : "s", given, given == 1 ? "is" : "are");
    diag_note(pp->diags, macro->loc, "it is defined here");
}

static bool check_count(struct preprocessor *pp, struct call *call, int given)
{
    assert(given >= 1);
    const struct macro *macro = call->macro;
    int wanted = macro->param_count;
    struct argument *arguments = call->arguments;
    bool only_empty = given == 1 && arguments[0].written->count == 0;
    if (given == wanted || (wanted == 0 && only_empty)) {
        // `f()` of `f(...)`: nothing was given, so that `, ## __VA_ARGS__` takes the comma away.
        arguments[0].omitted = macro->is_variadic && wanted == 1 && only_empty;
        return true;
    }
    if (macro->is_variadic && given == wanted - 1) {
        arguments[wanted - 1].omitted = true;
        return true;
    }
    wrong_count(pp, call, only_empty ? 0 : given);
    return false;
}

// Reads the arguments behind "(". The tokens are not expanded here.
static bool collect(struct preprocessor *pp, struct call *call)
{
    const struct macro *macro = call->macro;
    int wanted = macro->param_count;
    int given = 1, depth = 0;
    struct token_buffer *rest = pp_buffer(pp, 16); // what is too much, to be counted and forgotten
    struct lex_token token;
    for (;;) {
        next_raw(pp, &token);
        if (lex_is_end(&token)) {
            diag_error(pp->diags, call->name->loc, "the arguments of the macro '%s' do not end", macro->name->text);
            return false;
        }
        if (token.kind == LEX_IDENT && token.name->macro != NULL && token.name->macro->is_active) {
            token.flags |= LEX_NO_EXPAND;
        }
        if (lex_is_punct(&token, TOKEN_LPAREN)) {
            depth++;
        } else if (lex_is_punct(&token, TOKEN_RPAREN)) {
            if (depth-- == 0) {
                break;
            }
        } else if (lex_is_punct(&token, TOKEN_COMMA) && depth == 0 && !(macro->is_variadic && given >= wanted)) {
            given++;
            continue;
        }
        pp_charge(pp, 1, token.loc);
        bool fits = given <= (wanted > 0 ? wanted : 1);
        pp_buffer_add(pp, fits ? &call->arguments[given - 1].written : &rest, &token);
        if (!fits) {
            rest->count = 0;
        }
    }
    pp_buffer_release(pp, rest);
    return check_count(pp, call, given);
}

static void expand_argument(struct preprocessor *pp, struct argument *argument)
{
    struct token_buffer *copy = pp_buffer(pp, argument->written->count);
    memcpy(copy->items, argument->written->items, sizeof *copy->items * (size_t)argument->written->count);
    copy->count = argument->written->count;
    int saved_no_expand = pp->no_expand;
    bool saved_reading = pp->reading_args;
    pp->no_expand = 0;
    pp->reading_args = false;
    struct expansion *barrier = push(pp, NULL, copy);
    barrier->is_barrier = true;
    struct token_buffer *out = pp_buffer(pp, copy->count);
    struct lex_token token;
    for (pp_next(pp, &token); token.kind != LEX_EOF; pp_next(pp, &token)) {
        pp_charge(pp, 1, token.loc);
        pp_buffer_add(pp, &out, &token);
    }
    while (pp->expansions != barrier) { // only after a stop
        pop(pp);
    }
    pop(pp);
    pp->no_expand = saved_no_expand;
    pp->reading_args = saved_reading;
    argument->expanded = out;
}

// The expansion being built; ## is done as soon as both sides are there.
struct result {
    struct preprocessor *pp;
    const struct call *call;
    struct token_buffer *buffer;
    bool paste_pending;
};

static void add_result(struct result *result, const struct lex_token *token)
{
    struct token_buffer *buffer = result->buffer;
    if (result->paste_pending && buffer->count > 0) {
        struct lex_token *last = &buffer->items[buffer->count - 1];
        *last = pp_paste(result->pp, last, token);
        last->flags &= (uint8_t)~LEX_PASTE_LEFT;
    } else {
        pp_buffer_add(result->pp, &result->buffer, token);
    }
    result->paste_pending = false;
}

static void add_body_token(struct result *result, const struct lex_token *body)
{
    struct lex_token token = *body;
    token.macro = body->loc;
    token.loc = result->call->name->loc;
    token.flags &= (uint8_t)~LEX_PASTE_LEFT;
    add_result(result, &token);
}

// The tokens of an argument in place of its parameter. The white space before the parameter is that before the first.
static void add_argument(struct result *result, const struct lex_token *param, const struct token_buffer *tokens)
{
    pp_charge(result->pp, (uint64_t)tokens->count, result->call->name->loc);
    for (int i = 0; i < tokens->count && !result->pp->stopped; i++) {
        struct lex_token token = tokens->items[i];
        if (token.flags & LEX_LINE_START) {
            token.flags = (uint8_t)((token.flags & ~LEX_LINE_START) | LEX_SPACE);
        }
        if (i == 0) {
            token.flags = (uint8_t)((token.flags & ~LEX_SPACE) | (param->flags & LEX_SPACE));
        }
        add_result(result, &token);
    }
}

static bool is_comma_before_rest(const struct result *result, const struct lex_token *body, int i)
{
    const struct macro *macro = result->call->macro;
    return i > 0 && macro->is_variadic && body[i].number == macro->param_count - 1 &&
           lex_is_punct(&body[i - 1], TOKEN_COMMA) && (body[i - 1].flags & LEX_PASTE_LEFT);
}

static void substitute_param(struct result *result, const struct lex_token *body, int i)
{
    struct preprocessor *pp = result->pp;
    const struct lex_token *param = &body[i];
    struct argument *argument = &result->call->arguments[param->number];
    assert(param->kind == LEX_PARAM && param->number < result->call->macro->param_count);
    if (param->flags & LEX_STRINGIFY) {
        struct lex_token string =
            pp_stringify(pp, argument->written->items, argument->written->count, result->call->name->loc);
        string.flags = param->flags & LEX_SPACE;
        string.macro = param->loc;
        add_result(result, &string);
        return;
    }
    if (is_comma_before_rest(result, body, i)) {
        // GNU: `, ## __VA_ARGS__` pastes nothing; it takes the comma away if the argument was left out.
        result->paste_pending = false;
        if (argument->omitted) {
            result->buffer->count -= result->buffer->count > 0;
        }
        if (!(param->flags & LEX_PASTE_LEFT)) {
            struct lex_token close = *param; // no blank behind the comma, as gcc has it
            close.flags &= (uint8_t)~LEX_SPACE;
            add_argument(result, &close, argument->written);
            return;
        }
    }
    if ((param->flags & LEX_PASTE_LEFT) || (i > 0 && (body[i - 1].flags & LEX_PASTE_LEFT))) {
        if (argument->written->count == 0) {
            struct lex_token nothing = {.kind = LEX_PLACEMARKER, .flags = param->flags & LEX_SPACE, .text = ""};
            nothing.loc = result->call->name->loc;
            add_result(result, &nothing);
        } else {
            add_argument(result, param, argument->written);
        }
        return;
    }
    if (argument->expanded == NULL) {
        expand_argument(pp, argument);
    }
    add_argument(result, param, argument->expanded);
}

static void drop_placemarkers(struct token_buffer *buffer)
{
    int count = 0;
    for (int i = 0; i < buffer->count; i++) {
        if (buffer->items[i].kind != LEX_PLACEMARKER) {
            buffer->items[count++] = buffer->items[i];
        }
    }
    buffer->count = count;
}

static struct token_buffer *substitute(struct preprocessor *pp, const struct call *call)
{
    const struct macro *macro = call->macro;
    struct result result = {pp, call, pp_buffer(pp, macro->body_count), false};
    pp_charge(pp, (uint64_t)macro->body_count, call->name->loc);
    for (int i = 0; i < macro->body_count && !pp->stopped; i++) {
        if (macro->body[i].kind == LEX_PARAM) {
            substitute_param(&result, macro->body, i);
        } else {
            add_body_token(&result, &macro->body[i]);
        }
        result.paste_pending = (macro->body[i].flags & LEX_PASTE_LEFT) != 0;
    }
    drop_placemarkers(result.buffer);
    if (result.buffer->count > 0) {
        struct lex_token *first = &result.buffer->items[0];
        bool space = (call->name->flags & (LEX_SPACE | LEX_LINE_START)) != 0;
        first->flags = (uint8_t)((first->flags & ~LEX_SPACE) | (space ? LEX_SPACE : 0));
    }
    return result.buffer;
}

static bool opens_call(struct preprocessor *pp)
{
    struct lex_token token;
    bool saved = pp->reading_args;
    pp->reading_args = true;
    next_raw(pp, &token);
    pp->reading_args = saved;
    if (lex_is_punct(&token, TOKEN_LPAREN)) {
        return true;
    }
    if (!lex_is_end(&token)) { // the ends are met again without being put back
        pp_push_back(pp, &token);
    }
    return false;
}

// The white space before a macro that leaves nothing is kept for the token behind it, which # may ask for.
static void enter_result(struct preprocessor *pp, struct macro *macro, const struct lex_token *name,
                         struct token_buffer *buffer)
{
    if (buffer->count == 0 && (name->flags & (LEX_SPACE | LEX_LINE_START))) {
        pp->pending_space = true;
    }
    push(pp, macro, buffer);
}

static bool enter_function(struct preprocessor *pp, struct macro *macro, const struct lex_token *name)
{
    struct call call = {.macro = macro, .name = name};
    if (!opens_call(pp)) {
        return false;
    }
    int count = macro->param_count > 0 ? macro->param_count : 1;
    struct argument small[8] = {0};
    call.arguments = count <= 8 ? small : ARENA_ARRAY(pp->arena, struct argument, count);
    for (int i = 0; i < count; i++) {
        call.arguments[i].written = pp_buffer(pp, 16);
    }
    bool saved = pp->reading_args;
    pp->reading_args = true;
    bool good = collect(pp, &call);
    pp->reading_args = saved;
    if (good) {
        pp->argument_depth++;
        struct token_buffer *buffer = substitute(pp, &call);
        pp->argument_depth--;
        enter_result(pp, macro, name, buffer);
    }
    for (int i = 0; i < count; i++) {
        pp_buffer_release(pp, call.arguments[i].written);
        if (call.arguments[i].expanded != NULL) {
            pp_buffer_release(pp, call.arguments[i].expanded);
        }
    }
    return good;
}

static struct lex_token number_token(struct preprocessor *pp, const struct lex_token *name, uint64_t value)
{
    const char *text = arena_printf(pp->arena, "%llu", (unsigned long long)value);
    return (struct lex_token){.kind = LEX_NUMBER,
                              .flags = name->flags & (LEX_SPACE | LEX_LINE_START),
                              .text = text,
                              .length = (uint32_t)strlen(text),
                              .loc = name->loc,
                              .macro = name->macro};
}

static struct lex_token file_token(struct preprocessor *pp, const struct lex_token *name)
{
    struct str quoted;
    str_init(&quoted, pp->arena);
    str_add_char(&quoted, '"');
    for (const char *p = pp->file->shown_path; *p != '\0'; p++) {
        if (*p == '"' || *p == '\\') {
            str_add_char(&quoted, '\\');
        }
        str_add_char(&quoted, *p == '\n' ? ' ' : *p);
    }
    str_add_char(&quoted, '"');
    return (struct lex_token){.kind = LEX_STRING,
                              .flags = name->flags & (LEX_SPACE | LEX_LINE_START),
                              .text = quoted.text,
                              .length = (uint32_t)quoted.length,
                              .loc = name->loc,
                              .macro = name->macro};
}

// __LINE__ and kin become one token at once.
static void enter_builtin(struct preprocessor *pp, struct macro *macro, const struct lex_token *name)
{
    struct lex_token token;
    if (macro->kind == MACRO_FILE) {
        token = file_token(pp, name);
    } else {
        uint64_t value = macro->kind == MACRO_LINE      ? name->loc.line
                         : macro->kind == MACRO_COUNTER ? pp->counter++
                                                        : (uint64_t)pp->file->depth;
        token = number_token(pp, name, value);
    }
    pp_push_back(pp, &token);
}

static bool enter(struct preprocessor *pp, struct macro *macro, const struct lex_token *name)
{
    if (pp->expansion_depth >= LANG_MAX_MACRO_DEPTH || pp->argument_depth >= LANG_MAX_MACRO_DEPTH) {
        pp_stop(pp, name->loc, "macros are nested more than %d deep here", LANG_MAX_MACRO_DEPTH);
        return false;
    }
    if (macro->kind == MACRO_FUNCTION) {
        return enter_function(pp, macro, name);
    }
    if (macro->kind != MACRO_OBJECT) {
        enter_builtin(pp, macro, name);
        return true;
    }
    struct call call = {.macro = macro, .name = name};
    enter_result(pp, macro, name, substitute(pp, &call));
    return true;
}

void pp_next(struct preprocessor *pp, struct lex_token *out)
{
    for (;;) {
        next_raw(pp, out);
        if (pp->stopped) {
            out->kind = LEX_EOF;
            return;
        }
        if (pp->pending_space) {
            out->flags |= LEX_SPACE;
            pp->pending_space = false;
        }
        if (out->kind != LEX_IDENT || out->name->macro == NULL || (out->flags & LEX_NO_EXPAND)) {
            return;
        }
        struct macro *macro = out->name->macro;
        if (macro->is_active) {
            out->flags |= LEX_NO_EXPAND;
            return;
        }
        struct lex_token name = *out;
        if (pp->no_expand > 0 || !enter(pp, macro, &name)) {
            return;
        }
    }
}
