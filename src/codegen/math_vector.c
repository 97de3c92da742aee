#include "codegen/math.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { FORM_COUNT = 5 };
static const int form_lanes[FORM_COUNT] = {2, 4, 8, 16, 32};

// ---- which routine
// -------------------------------------------------------------------------------------------------------------

// What libmvec has since glibc 2.35; before that only the first six.
static bool may_have_routine(enum ir_math math)
{
    switch (math) {
    case IR_MATH_SIN:
    case IR_MATH_COS:
    case IR_MATH_EXP:
    case IR_MATH_LOG:
    case IR_MATH_POW:
    case IR_MATH_TAN:
    case IR_MATH_ACOS:
    case IR_MATH_ACOSH:
    case IR_MATH_ASIN:
    case IR_MATH_ASINH:
    case IR_MATH_ATAN:
    case IR_MATH_ATAN2:
    case IR_MATH_ATANH:
    case IR_MATH_CBRT:
    case IR_MATH_COSH:
    case IR_MATH_ERF:
    case IR_MATH_ERFC:
    case IR_MATH_EXP2:
    case IR_MATH_EXPM1:
    case IR_MATH_HYPOT:
    case IR_MATH_LOG10:
    case IR_MATH_LOG1P:
    case IR_MATH_LOG2:
    case IR_MATH_SINH:
    case IR_MATH_TANH: return true;
    default: return false;
    }
}

static int routine_bytes(enum target_isa isa)
{
    return isa == TARGET_ISA_AVX512 ? 64 : isa == TARGET_ISA_AVX2 ? 32 : isa == TARGET_ISA_SSE ? 16 : 0;
}

// Found in the C library of this process, which is the one that will run the code.
static bool is_there(const char *name)
{
    void *library = dlopen("libmvec.so.1", RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
    if (library == NULL) {
        return false;
    }
    bool found = dlsym(library, name) != NULL;
    dlclose(library);
    return found;
}

static const char *routine_name(struct emitter *e, enum ir_math math, enum ir_type type, int *out_lanes)
{
    static const char letters[] = {[TARGET_ISA_SSE] = 'b', [TARGET_ISA_AVX2] = 'd', [TARGET_ISA_AVX512] = 'e'};
    enum target_isa isa = e->target->isa;
    if (math == IR_MATH_ERF && type == IR_F32 && isa == TARGET_ISA_AVX512) {
        isa = TARGET_ISA_AVX2; // the wider routine is 4.0 ulp off near 3.65; this one 1.9 at most
    }
    if (e->options->no_vector_math || isa == TARGET_ISA_NONE || !may_have_routine(math)) {
        return NULL;
    }
    *out_lanes = routine_bytes(isa) / ir_type_size(type);
    const char *name =
        arena_printf(e->arena, "_ZGV%cN%d%s_%s%s", letters[isa], *out_lanes, ir_math_arg_count(math) == 2 ? "vv" : "v",
                     ir_math_name(math), type == IR_F32 ? "f" : "");
    return is_there(name) ? name : NULL;
}

// ---- the forms that LLVM sees
// ----------------------------------------------------------------------------------------------------

static void set_pure(struct emitter *e, LLVMValueRef function)
{
    emit_attribute(e, function, LLVMAttributeFunctionIndex, "nounwind", 0);
    emit_attribute(e, function, LLVMAttributeFunctionIndex, "willreturn", 0);
    emit_attribute(e, function, LLVMAttributeFunctionIndex, "memory", 0); // none
}

static LLVMTypeRef form_type(struct emitter *e, const struct math_use *use, int lanes, bool masked)
{
    LLVMTypeRef vector = LLVMVectorType(e->types[use->type], (unsigned)lanes);
    LLVMTypeRef params[3] = {vector, vector, vector};
    params[use->arg_count] = LLVMVectorType(e->types[IR_I1], (unsigned)lanes);
    return LLVMFunctionType(vector, params, (unsigned)(use->arg_count + masked), false);
}

static const char *form_name(struct emitter *e, const struct math_use *use, int lanes, bool masked)
{
    return arena_printf(e->arena, "%s_%c%d", use->name, masked ? 'M' : 'N', lanes);
}

// Vector forms of 2 to 32 elements, plain and masked, by the names of the vector function ABI.
static void declare_forms(struct emitter *e, struct math_use *use)
{
    struct str list;
    str_init(&list, e->arena);
    for (int i = 0; i < 2 * FORM_COUNT; i++) {
        int lanes = form_lanes[i / 2];
        bool masked = i % 2 != 0;
        const char *name = form_name(e, use, lanes, masked);
        set_pure(e, LLVMAddFunction(e->llvm, name, form_type(e, use, lanes, masked)));
        str_printf(&list, "%s_ZGV_LLVM_%c%d%s_%s(%s)", i > 0 ? "," : "", masked ? 'M' : 'N', lanes,
                   use->arg_count == 2 ? "vv" : "v", use->name, name);
    }
    emit_attribute_text(e, use->function, "vector-function-abi-variant", str_text(&list));
}

static struct math_use *find_use(struct emitter *e, enum ir_math math, enum ir_type type)
{
    struct math_use *use = e->math_uses;
    while (use != NULL && (use->math != math || use->type != type)) {
        use = use->next;
    }
    return use;
}

static struct math_use *add_use(struct emitter *e, enum ir_math math, enum ir_type type)
{
    struct math_use *use = ARENA_NEW(e->arena, struct math_use);
    use->math = math;
    use->type = type;
    use->arg_count = ir_math_arg_count(math);
    const char *suffix = type == IR_F32 ? "f" : "";
    use->routine = routine_name(e, math, type, &use->lanes);
    use->name = arena_printf(e->arena, "%s%s%s", use->routine != NULL ? "rill_" : "", ir_math_name(math), suffix);
    LLVMTypeRef t = e->types[type];
    LLVMTypeRef params[3] = {t, t, t};
    use->function_type = LLVMFunctionType(t, params, (unsigned)use->arg_count, false);
    use->function = LLVMAddFunction(e->llvm, use->name, use->function_type);
    set_pure(e, use->function);
    if (use->routine != NULL) {
        declare_forms(e, use);
    } else {
        // The library's function itself: LLVM is not to replace it by what it knows about functions of that name.
        emit_attribute(e, use->function, LLVMAttributeFunctionIndex, "nobuiltin", 0);
    }
    use->next = e->math_uses;
    e->math_uses = use;
    return use;
}

LLVMValueRef math_call_cpu(struct emitter *e, enum ir_math math, enum ir_type type, LLVMValueRef *args, int count)
{
    struct math_use *use = find_use(e, math, type);
    if (use == NULL) {
        use = add_use(e, math, type);
    }
    e->math_call_count += use->routine != NULL;
    return LLVMBuildCall2(e->builder, use->function_type, use->function, args, (unsigned)count, "");
}

// ---- their bodies
// ------------------------------------------------------------------------------------------------------------------

// Lane i of the result is lane from + i % count of |x|: repeats what is there, so that no lane holds a surprise.
static LLVMValueRef pick(struct emitter *e, LLVMValueRef x, int lanes, int from, int count)
{
    LLVMValueRef mask[32];
    for (int i = 0; i < lanes; i++) {
        mask[i] = emit_const(e, IR_I32, from + i % count);
    }
    LLVMValueRef picked = LLVMConstVector(mask, (unsigned)lanes);
    return LLVMBuildShuffleVector(e->builder, x, LLVMGetPoison(LLVMTypeOf(x)), picked, "");
}

static LLVMValueRef join(struct emitter *e, LLVMValueRef x, LLVMValueRef y, int lanes)
{
    LLVMValueRef mask[64];
    for (int i = 0; i < 2 * lanes; i++) {
        mask[i] = emit_const(e, IR_I32, i);
    }
    return LLVMBuildShuffleVector(e->builder, x, y, LLVMConstVector(mask, (unsigned)(2 * lanes)), "");
}

static LLVMValueRef call_routine(struct emitter *e, const struct math_use *use, LLVMValueRef *args)
{
    LLVMTypeRef type = form_type(e, use, use->lanes, false);
    LLVMValueRef function = LLVMGetNamedFunction(e->llvm, use->routine);
    if (function == NULL) {
        function = LLVMAddFunction(e->llvm, use->routine, type);
        set_pure(e, function);
    }
    return LLVMBuildCall2(e->builder, type, function, args, (unsigned)use->arg_count, "");
}

// |lanes| elements by calls of the routine: fewer than it takes are repeated, more are split.
static LLVMValueRef call_for(struct emitter *e, const struct math_use *use, LLVMValueRef *args, int lanes)
{
    if (lanes == use->lanes) {
        return call_routine(e, use, args);
    }
    LLVMValueRef parts[2];
    if (lanes < use->lanes) {
        for (int i = 0; i < use->arg_count; i++) {
            parts[i] = pick(e, args[i], use->lanes, 0, lanes);
        }
        return pick(e, call_routine(e, use, parts), lanes, 0, lanes);
    }
    LLVMValueRef halves[2];
    for (int half = 0; half < 2; half++) {
        for (int i = 0; i < use->arg_count; i++) {
            parts[i] = pick(e, args[i], lanes / 2, half * (lanes / 2), lanes / 2);
        }
        halves[half] = call_for(e, use, parts, lanes / 2);
    }
    return join(e, halves[0], halves[1], lanes / 2);
}

// What a lane that is switched off gets: a value that no routine has to treat specially.
static double harmless(enum ir_math math)
{
    return math == IR_MATH_ACOSH ? 2.0 : 0.5;
}

static void begin_body(struct emitter *e, LLVMValueRef function)
{
    LLVMSetLinkage(function, LLVMInternalLinkage);
    emit_attribute(e, function, LLVMAttributeFunctionIndex, "alwaysinline", 0);
    emit_at(e, LLVMAppendBasicBlockInContext(e->context, function, "entry"));
}

static void define_form(struct emitter *e, const struct math_use *use, LLVMValueRef function, int lanes, bool masked)
{
    begin_body(e, function);
    LLVMValueRef args[2];
    for (int i = 0; i < use->arg_count; i++) {
        args[i] = LLVMGetParam(function, (unsigned)i);
        if (masked) {
            LLVMValueRef some[32];
            for (int k = 0; k < lanes; k++) {
                some[k] = LLVMConstReal(e->types[use->type], harmless(use->math));
            }
            args[i] = LLVMBuildSelect(e->builder, LLVMGetParam(function, (unsigned)use->arg_count), args[i],
                                      LLVMConstVector(some, (unsigned)lanes), "");
        }
    }
    LLVMBuildRet(e->builder, call_for(e, use, args, lanes));
}

static void define_scalar(struct emitter *e, const struct math_use *use)
{
    begin_body(e, use->function);
    LLVMValueRef args[2];
    LLVMTypeRef vector = LLVMVectorType(e->types[use->type], (unsigned)use->lanes);
    for (int i = 0; i < use->arg_count; i++) {
        LLVMValueRef one = LLVMBuildInsertElement(
            e->builder, LLVMGetPoison(vector), LLVMGetParam(use->function, (unsigned)i), emit_const(e, IR_I32, 0), "");
        args[i] = pick(e, one, use->lanes, 0, 1);
    }
    LLVMValueRef all = call_routine(e, use, args);
    LLVMBuildRet(e->builder, LLVMBuildExtractElement(e->builder, all, emit_const(e, IR_I32, 0), ""));
}

void math_finish(struct emitter *e)
{
    for (struct math_use *use = e->math_uses; use != NULL; use = use->next) {
        if (use->routine == NULL) {
            continue;
        }
        for (int i = 0; i < 2 * FORM_COUNT; i++) {
            int lanes = form_lanes[i / 2];
            bool masked = i % 2 != 0;
            LLVMValueRef form = LLVMGetNamedFunction(e->llvm, form_name(e, use, lanes, masked));
            if (form == NULL) {
                continue;
            }
            if (LLVMGetFirstUse(form) == NULL) {
                LLVMDeleteFunction(form);
            } else {
                define_form(e, use, form, lanes, masked);
            }
        }
        if (LLVMGetFirstUse(use->function) == NULL) {
            LLVMDeleteFunction(use->function);
        } else {
            define_scalar(e, use);
        }
    }
}
