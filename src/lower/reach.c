// What the kernels reach: every function once, depth first. Refuses what a kernel must not reach, each place once, and
// notes for each function and object what lowering wants to know.
#include "lower/internal.h"

struct walk {
    struct lower *l;
    struct lower_info *info;
    int block_depth;        // stream_parallel blocks around this place
    int expression_depth;   // statement expressions around this place
    unsigned refused_types; // by kind: one complaint about each in a function is enough
    struct lower_pointers pointers;
};

struct lower_info *lower_info(const struct lower *l, const struct function *function)
{
    return pointer_map_get(&l->infos, function);
}

const struct lower_object *lower_object(const struct lower *l, const struct object *object)
{
    return pointer_map_get(&l->objects, object);
}

static struct lower_object *use_of(struct lower *l, const struct object *object)
{
    struct lower_object *use = pointer_map_get(&l->objects, object);
    if (use == NULL) {
        use = ARENA_NEW(l->arena, struct lower_object);
        use->is_addressed = object->address_taken;
        pointer_map_set(l->arena, &l->objects, object, use);
    }
    return use;
}

static void walk_expr(struct walk *w, const struct expr *e);
static void walk_stmt(struct walk *w, const struct stmt *stmt);
static void walk_function(struct lower *l, struct function *function, struct lower_info *caller, struct loc call);

// The way from a kernel to a refusal inside a helper.
static void note_path(struct walk *w)
{
    for (const struct lower_info *info = w->info; info != NULL && info->caller != NULL; info = info->caller) {
        diag_note(w->l->diags, info->call_loc, "'%s' calls '%s' here", info->caller->function->name,
                  info->function->name);
    }
}

// ---- types and objects ---------------------------------------------------------------------------------------------

static void refuse_type(struct walk *w, const struct type *type, struct loc loc)
{
    const char *why;
    const struct type *refused = lower_refused_type(type, &why);
    if (refused == NULL || (w->refused_types & 1U << refused->kind) != 0) {
        return;
    }
    w->refused_types |= 1U << refused->kind;
    diag_error(w->l->diags, loc, "a kernel cannot use %s", why);
    note_path(w);
}

// A pointer variable may point where |value| does.
static void give(struct walk *w, const struct object *object, const struct expr *value)
{
    if (object->type->kind == TYPE_POINTER) {
        VEC_PUSH(w->l->arena, &w->pointers.given, (struct lower_given){object, value});
    }
}

static void walk_inits(struct walk *w, const struct object *object)
{
    for (int i = 0; i < object->init_count; i++) {
        walk_expr(w, object->inits[i].value);
        give(w, object, object->inits[i].value);
    }
}

static void walk_object(struct walk *w, const struct object *object, struct loc loc)
{
    use_of(w->l, object);
    refuse_type(w, object->type, loc);
    if (object->kind == OBJECT_STATIC_LOCAL) {
        diag_error(w->l->diags, loc, "a kernel cannot use the static local '%s': no call may leave state behind",
                   object->name);
        diag_note(w->l->diags, object->loc,
                  "declare it const if nothing writes it, or at file scope, where it is a field");
        note_path(w);
    } else if (object->is_extern) {
        diag_error(w->l->diags, loc, "'%s' is declared extern and never defined", object->name);
        diag_note(w->l->diags, object->loc, "it is declared here");
        note_path(w);
    }
    if (object->kind == OBJECT_FIELD) {
        w->info->reads_memory = true;
    }
}

static void walk_local(struct walk *w, const struct object *object, struct loc loc)
{
    use_of(w->l, object);
    refuse_type(w, object->type, loc);
    bool is_array = object->kind == OBJECT_LOCAL && object->type->kind == TYPE_ARRAY && object->name != NULL;
    bool is_variable = is_array && type_is_variable(object->type);
    bool is_large = object->kind == OBJECT_LOCAL && object->type->size > LOWER_MAX_LOCALS;
    if (is_array && (is_variable || is_large) && w->info->function->is_kernel) {
        w->info->scratch = object; // the launch lends it: scratch.c
    } else if (is_variable) {
        diag_error(w->l->diags, loc,
                   "'%s' is no kernel and cannot have the variable-length array '%s': let its caller pass it",
                   w->info->function->name, object->name);
        note_path(w);
    } else if (is_large) {
        diag_error(w->l->diags, loc, "'%s' takes %llu bytes, and locals have at most %d: pass it as an array",
                   object->name != NULL ? object->name : "this", (unsigned long long)object->type->size,
                   LOWER_MAX_LOCALS);
        note_path(w);
    }
    walk_inits(w, object);
}

// ---- expressions ---------------------------------------------------------------------------------------------------

// Marks what an assignment to |e| changes.
static void walk_write(struct walk *w, const struct expr *e)
{
    const struct expr *root = e;
    while (true) {
        if (root->kind == EXPR_MEMBER) {
            root = root->a;
        } else if (root->kind == EXPR_DEREF && root->a->kind == EXPR_PTR_ADD && root->a->a->kind == EXPR_DECAY) {
            root = root->a->a->a;
        } else if (root->kind == EXPR_DEREF && root->a->kind == EXPR_DECAY) {
            root = root->a->a;
        } else {
            break;
        }
    }
    if (root->kind == EXPR_OBJECT || root->kind == EXPR_COMPOUND_LITERAL) {
        use_of(w->l, root->object)->is_assigned = true;
        bool is_own = root->object->kind == OBJECT_LOCAL || root->object->kind == OBJECT_PARAM;
        w->info->has_effect |= !is_own;
    } else if (root->kind == EXPR_DEREF) {
        VEC_PUSH(w->l->arena, &w->pointers.written, root->a);
    } else {
        w->info->has_effect = true;
    }
}

static bool walk_builtin(struct walk *w, const struct expr *e)
{
    const char *why = lower_builtin_refusal(w->l, e);
    if (why != NULL) {
        diag_error(w->l->diags, e->loc, "%s", why);
        note_path(w);
    }
    int written = lower_builtin_written(e->function);
    if (written >= 0 && written < e->arg_count) {
        VEC_PUSH(w->l->arena, &w->pointers.written, e->args[written]);
    } else {
        w->info->has_effect |= !lower_builtin_is_pure(e->function);
    }
    w->info->reads_memory |= lower_builtin_reads_memory(e->function);
    return why == NULL;
}

// Blocks stand where control stands: a kernel that holds some is no helper, and is called in no block.
static void walk_blocks(struct walk *w, const struct expr *e, const struct lower_info *callee)
{
    if (!callee->has_blocks) {
        return;
    }
    const char *name = callee->function->name;
    if (!w->info->function->is_kernel) {
        diag_error(w->l->diags, e->loc, "'%s' holds stream_parallel blocks: only a kernel may call it", name);
        note_path(w);
    } else if (w->block_depth > 0) {
        diag_error(w->l->diags, e->loc, "'%s' holds stream_parallel blocks and is called in one", name);
        diag_note(w->l->diags, callee->function->loc, "'%s' is defined here", name);
    }
    w->info->has_blocks = true;
}

// Such an array belongs to a launch: a kernel that has one is no helper.
static void walk_scratch(struct walk *w, const struct expr *e, const struct lower_info *callee)
{
    if (callee->scratch == NULL) {
        return;
    }
    w->info->scratch = callee->scratch;
    if (!w->info->function->is_kernel) {
        diag_error(w->l->diags, e->loc, "'%s' has an array that the launch lends, '%s': only a kernel may call it",
                   callee->function->name, callee->scratch->name);
        diag_note(w->l->diags, callee->scratch->loc, "it is declared here");
        note_path(w);
    }
}

// Said once, of the innermost kernel that grows too large: those that call it count it as nothing.
static void add_weight(struct walk *w, const struct lower_info *callee, struct loc call)
{
    int64_t most = INT64_C(1) << 40; // helpers that call each other twice double too
    w->info->weight = w->info->weight + callee->weight < most ? w->info->weight + callee->weight : most;
    if (!w->info->function->is_kernel || !callee->function->is_kernel || callee->written > LOWER_MAX_WRITTEN) {
        return;
    }
    w->info->written += callee->written;
    if (w->info->written > LOWER_MAX_WRITTEN && w->info->written - callee->written <= LOWER_MAX_WRITTEN) {
        diag_error(w->l->diags, call, "'%s' has more than %d operations with those of the kernels it calls",
                   w->info->function->name, LOWER_MAX_WRITTEN);
    }
}

static void walk_call(struct walk *w, const struct expr *e)
{
    struct function *function = e->function;
    if (function->body == NULL && !walk_builtin(w, e)) {
        return; // one refusal is enough, its arguments need none
    }
    for (int i = 0; i < e->arg_count; i++) {
        walk_expr(w, e->args[i]);
    }
    if (function->body == NULL) {
        w->info->weight += 4;
        return;
    }
    if (function->type->is_variadic) {
        diag_error(w->l->diags, e->loc, "a kernel cannot call '%s': it takes a variable number of arguments",
                   function->name);
        note_path(w);
        return;
    }
    walk_function(w->l, function, w->info, e->loc);
    struct lower_info *callee = lower_info(w->l, function);
    if (callee != NULL && callee->is_done) {
        add_weight(w, callee, e->loc);
        w->info->has_effect |= callee->has_effect;
        for (int i = 0; i < e->arg_count && i < 31; i++) {
            if ((callee->written_params >> i & 1) != 0) {
                VEC_PUSH(w->l->arena, &w->pointers.written, e->args[i]);
            }
        }
        w->info->reads_memory |= callee->reads_memory;
        walk_blocks(w, e, callee);
        walk_scratch(w, e, callee);
    }
}

static void walk_cast(struct walk *w, const struct expr *e)
{
    int64_t value;
    bool is_null = const_eval_int(e->a, &value) && value == 0;
    if (e->type->kind == TYPE_POINTER && type_is_integer(e->a->type) && !is_null) {
        diag_error(w->l->diags, e->loc, "an integer does not become a pointer");
        note_path(w);
    }
}

static bool is_place(const struct expr *e)
{
    return e->kind == EXPR_DEREF || (e->kind == EXPR_OBJECT && e->object->kind == OBJECT_FIELD);
}

static void walk_statements(struct walk *w, const struct expr *e)
{
    w->expression_depth++;
    walk_stmt(w, e->body);
    w->expression_depth--;
    walk_expr(w, e->a);
}

static void walk_kind(struct walk *w, const struct expr *e)
{
    w->info->weight++;
    w->info->written++;
    refuse_type(w, e->type, e->loc);
    w->info->reads_memory |= is_place(e);
    switch (e->kind) {
    case EXPR_REFUSED:
        diag_error(w->l->diags, e->loc, "a kernel cannot use %s", e->text);
        note_path(w);
        return;
    case EXPR_FUNCTION:
        diag_error(w->l->diags, e->loc, "a kernel cannot use a function pointer: '%s' is not called here",
                   e->function->name);
        note_path(w);
        return;
    case EXPR_OBJECT: walk_object(w, e->object, e->loc); return;
    case EXPR_COMPOUND_LITERAL: walk_local(w, e->object, e->loc); return;
    case EXPR_CALL: walk_call(w, e); return;
    case EXPR_STATEMENTS: walk_statements(w, e); return;
    case EXPR_CAST: walk_cast(w, e); break;
    case EXPR_ASSIGN:
        if (e->a->kind == EXPR_OBJECT) {
            give(w, e->a->object, e->b);
        }
        walk_write(w, e->a);
        break;
    case EXPR_UPDATE: walk_write(w, e->a); break;
    default: break;
    }
    w->info->has_effect |= e->is_lvalue && (e->type->quals & QUAL_VOLATILE) != 0;
    walk_expr(w, e->a);
    walk_expr(w, e->b);
    walk_expr(w, e->c);
}

static void walk_expr(struct walk *w, const struct expr *e)
{
    if (e == NULL) {
        return;
    }
    if (lower_enter(w->l, e->loc)) {
        walk_kind(w, e);
    }
    lower_leave(w->l);
}

// ---- statements ----------------------------------------------------------------------------------------------------

static void walk_type_extents(struct walk *w, const struct type *type)
{
    while (type->kind == TYPE_POINTER || type->kind == TYPE_ARRAY) {
        if (type->kind == TYPE_ARRAY && type->extent != NULL) {
            walk_expr(w, type->extent);
        }
        type = type->base;
    }
}

static void walk_declaration(struct walk *w, const struct object *object, struct loc loc)
{
    if (object->kind == OBJECT_LOCAL && !object->is_extern) {
        walk_type_extents(w, object->type);
        walk_local(w, object, loc);
    }
}

static void walk_switch(struct walk *w, const struct stmt *stmt)
{
    bool is_regular = lower_switch_is_regular(stmt);
    w->info->has_jumps |= !is_regular;
    if (!is_regular && w->expression_depth > 0) {
        diag_error(w->l->diags, stmt->loc,
                   "not supported: in a statement expression a switch whose cases do not stand straight in its body");
        note_path(w);
    }
}

static void walk_stmt(struct walk *w, const struct stmt *stmt)
{
    if (stmt == NULL) {
        return;
    }
    switch (stmt->kind) {
    case STMT_DECL: walk_declaration(w, stmt->object, stmt->object->loc); break;
    case STMT_RETURN: w->info->return_count++; break;
    case STMT_GOTO: w->info->has_jumps = true; break;
    case STMT_SWITCH: walk_switch(w, stmt); break;
    case STMT_REFUSED:
        diag_error(w->l->diags, stmt->loc, "a kernel cannot use %s", stmt->text);
        note_path(w);
        break;
    default: break;
    }
    walk_stmt(w, stmt->init);
    walk_expr(w, stmt->expr);
    walk_expr(w, stmt->step);
    for (int i = 0; i < stmt->item_count; i++) {
        walk_stmt(w, stmt->items[i]);
    }
    bool is_block = stmt->kind == STMT_STREAM_PARALLEL;
    w->info->has_blocks |= is_block;
    w->block_depth += is_block;
    walk_stmt(w, stmt->body);
    w->block_depth -= is_block;
    walk_stmt(w, stmt->else_body);
}

// ---- functions -----------------------------------------------------------------------------------------------------

static void report_recursion(struct lower *l, const struct lower_info *again, const struct lower_info *caller,
                             struct loc call)
{
    diag_error(l->diags, call, "recursion: '%s' is called while it runs", again->function->name);
    for (const struct lower_info *info = caller; info != again && info != NULL; info = info->caller) {
        diag_note(l->diags, info->call_loc, "'%s' is called by '%s' here", info->function->name,
                  info->caller != NULL ? info->caller->function->name : "?");
    }
}

static bool returns_last(const struct lower_info *info)
{
    const struct stmt *body = info->function->body;
    if (info->has_jumps || info->return_count > 1) {
        return false;
    }
    return info->return_count == 0 || (body->item_count > 0 && body->items[body->item_count - 1]->kind == STMT_RETURN);
}

static void walk_params(struct walk *w, const struct function *function)
{
    for (int i = 0; i < function->param_count; i++) {
        const struct object *param = function->params[i];
        use_of(w->l, param);
        refuse_type(w, param->type, param->loc);
        walk_type_extents(w, param->array_type != NULL ? param->array_type : param->type);
    }
}

static void walk_function(struct lower *l, struct function *function, struct lower_info *caller, struct loc call)
{
    struct lower_info *info = pointer_map_get(&l->infos, function);
    if (info != NULL) {
        if (info->is_on_path) {
            report_recursion(l, info, caller, call);
        }
        return;
    }
    if (l->call_depth >= LOWER_MAX_CALLS) {
        if (!l->was_too_deep) {
            diag_error(l->diags, call, "calls are nested more than %d deep", LOWER_MAX_CALLS);
            l->was_too_deep = true;
        }
        return;
    }
    l->call_depth++;
    info = ARENA_NEW(l->arena, struct lower_info);
    pointer_map_set(l->arena, &l->infos, function, info);
    info->function = function;
    info->is_on_path = true;
    info->caller = caller;
    info->call_loc = call;
    struct walk w = {.l = l, .info = info};
    walk_params(&w, function);
    refuse_type(&w, function->type->base, function->loc);
    walk_stmt(&w, function->body);
    uint32_t written = lower_written_through(l, function, &w.pointers);
    info->has_effect |= (written & LOWER_ELSEWHERE) != 0;
    info->written_params = written & ~LOWER_ELSEWHERE;
    l->call_depth--;
    info->is_on_path = false;
    info->is_done = true;
    info->returns_last = returns_last(info);
    if (info->has_jumps) {
        lower_label_survey(l, info);
    }
}

struct lower_info *lower_reach(struct lower *l, struct function *kernel)
{
    walk_function(l, kernel, NULL, kernel->loc);
    struct lower_info *info = lower_info(l, kernel);
    info->caller = NULL;
    return info;
}
