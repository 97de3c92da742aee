#include "codegen/emit.h"

#include "base/status.h"
#include "base/symbol.h"
#include "codegen/math.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void emit_fail(struct emitter *e, struct loc loc, const char *format, ...)
{
    if (e->status != RILL_OK) {
        return;
    }
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const char *file = loc.file < (uint32_t)e->module->file_count ? e->module->files[loc.file] : "?";
    e->status = status_fail(RILL_ERR_UNSUPPORTED, "%s:%u: target %s: %s", file, loc.line, e->target->cpu, text);
}

// ---- small makers
// ----------------------------------------------------------------------------------------------------

LLVMValueRef emit_const(struct emitter *e, enum ir_type type, int64_t value)
{
    if (type == IR_PTR) {
        assert(value == 0); // no other address is known here
        return LLVMConstNull(e->types[type]);
    }
    return LLVMConstInt(e->types[type], (uint64_t)value, true);
}

LLVMValueRef emit_i64(struct emitter *e, int64_t value)
{
    return emit_const(e, IR_I64, value);
}

LLVMBasicBlockRef emit_block(struct emitter *e, const char *name)
{
    assert(e->function != NULL);
    return LLVMAppendBasicBlockInContext(e->context, e->function->llvm, name);
}

void emit_go(struct emitter *e, LLVMBasicBlockRef block)
{
    if (LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(e->builder)) == NULL) {
        LLVMBuildBr(e->builder, block);
    }
}

void emit_at(struct emitter *e, LLVMBasicBlockRef block)
{
    LLVMPositionBuilderAtEnd(e->builder, block);
}

LLVMValueRef emit_alloca(struct emitter *e, LLVMTypeRef type, uint32_t align, const char *name)
{
    assert((align & (align - 1)) == 0);
    LLVMValueRef slot = LLVMBuildAlloca(e->function->entry, type, name);
    LLVMSetAlignment(slot, align);
    return slot;
}

LLVMValueRef emit_intrinsic(struct emitter *e, const char *name, LLVMTypeRef *types, int type_count, LLVMValueRef *args,
                            int arg_count)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(e->llvm, id, types, (size_t)type_count);
    LLVMTypeRef type = LLVMIntrinsicGetType(e->context, id, types, (size_t)type_count);
    return LLVMBuildCall2(e->builder, type, function, args, (unsigned)arg_count, "");
}

LLVMValueRef emit_intrinsic1(struct emitter *e, const char *name, LLVMValueRef x)
{
    LLVMTypeRef type = LLVMTypeOf(x);
    return emit_intrinsic(e, name, &type, 1, &x, 1);
}

LLVMValueRef emit_intrinsic2(struct emitter *e, const char *name, LLVMValueRef x, LLVMValueRef y)
{
    LLVMTypeRef type = LLVMTypeOf(x);
    return emit_intrinsic(e, name, &type, 1, (LLVMValueRef[]){x, y}, 2);
}

void emit_attribute(struct emitter *e, LLVMValueRef function, int index, const char *name, uint64_t value)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)index, LLVMCreateEnumAttribute(e->context, kind, value));
}

void emit_attribute_text(struct emitter *e, LLVMValueRef function, const char *name, const char *value)
{
    LLVMAddAttributeAtIndex(
        function, LLVMAttributeFunctionIndex,
        LLVMCreateStringAttribute(e->context, name, (unsigned)strlen(name), value, (unsigned)strlen(value)));
}

LLVMValueRef emit_generic(struct emitter *e, LLVMValueRef pointer)
{
    LLVMTypeRef type = LLVMTypeOf(pointer);
    if (LLVMGetPointerAddressSpace(type) == TARGET_SPACE_GENERIC) {
        return pointer;
    }
    return LLVMIsConstant(pointer) ? LLVMConstAddrSpaceCast(pointer, e->types[IR_PTR])
                                   : LLVMBuildAddrSpaceCast(e->builder, pointer, e->types[IR_PTR], "");
}

// ---- metadata
// --------------------------------------------------------------------------------------------------------

void emit_metadata(struct emitter *e, LLVMValueRef inst, const char *kind, LLVMMetadataRef node)
{
    LLVMSetMetadata(inst, LLVMGetMDKindIDInContext(e->context, kind, (unsigned)strlen(kind)),
                    LLVMMetadataAsValue(e->context, node));
}

LLVMMetadataRef emit_note(struct emitter *e, const char *name, LLVMMetadataRef value)
{
    LLVMMetadataRef parts[2] = {LLVMMDStringInContext2(e->context, name, strlen(name)), value};
    return LLVMMDNodeInContext2(e->context, parts, value != NULL ? 2 : 1);
}

// A loop's node refers to itself first, which makes it distinct from every other.
LLVMMetadataRef emit_loop_id(struct emitter *e, LLVMMetadataRef *parts, int count)
{
    assert(count >= 0);
    LLVMMetadataRef all[8];
    LLVMMetadataRef self = LLVMTemporaryMDNode(e->context, NULL, 0);
    all[0] = self;
    for (int i = 0; i < count; i++) {
        all[i + 1] = parts[i];
    }
    LLVMMetadataRef node = LLVMMDNodeInContext2(e->context, all, (size_t)count + 1);
    LLVMMetadataReplaceAllUsesWith(self, node);
    return node;
}

// ---- values
// ----------------------------------------------------------------------------------------------------------

LLVMValueRef emit_value(struct emitter *e, const struct ir_inst *inst)
{
    LLVMValueRef value = e->function->values[inst->id];
    if (value == NULL) { // only in code that no path reaches
        return LLVMGetPoison(e->types[inst->type]);
    }
    return value;
}

void emit_set_value(struct emitter *e, const struct ir_inst *inst, LLVMValueRef value)
{
    assert((inst->id >= 0) == ir_has_result(inst));
    if (inst->id >= 0) {
        e->function->values[inst->id] = value;
    }
}

// ---- globals
// ---------------------------------------------------------------------------------------------------------

LLVMValueRef emit_string(struct emitter *e, const char *text, const char *name)
{
    LLVMValueRef bytes = LLVMConstStringInContext2(e->context, text, strlen(text), false);
    unsigned space = target_is_gpu(e->target) ? TARGET_SPACE_GLOBAL : TARGET_SPACE_GENERIC;
    LLVMValueRef global = LLVMAddGlobalInAddressSpace(e->llvm, LLVMTypeOf(bytes), name, space);
    LLVMSetInitializer(global, bytes);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    LLVMSetUnnamedAddress(global, LLVMGlobalUnnamedAddr);
    LLVMSetAlignment(global, 1);
    return emit_generic(e, global);
}

static int compare_relocs(const void *a, const void *b)
{
    uint64_t x = ((const struct ir_reloc *)a)->offset;
    uint64_t y = ((const struct ir_reloc *)b)->offset;
    return (x > y) - (x < y);
}

static LLVMValueRef reloc_value(struct emitter *e, const struct ir_reloc *reloc)
{
    LLVMValueRef base = emit_generic(e, e->globals[reloc->target->index]);
    LLVMValueRef addend = emit_i64(e, reloc->addend);
    return reloc->addend == 0 ? base : LLVMConstGEP2(e->types[IR_I8], base, &addend, 1);
}

// The type of all numbers in it; VOID: there are several, or pointers.
static enum ir_type number_type(const struct ir_ctype *ctype)
{
    switch (ctype->kind) {
    case IR_CTYPE_SCALAR: return ctype->scalar;
    case IR_CTYPE_ARRAY: return number_type(ctype->element);
    case IR_CTYPE_POINTER: return IR_VOID;
    case IR_CTYPE_RECORD: break;
    }
    enum ir_type type = ctype->member_count > 0 ? number_type(ctype->members[0].type) : IR_VOID;
    for (int i = 0; i < ctype->member_count; i++) {
        bool is_same = ctype->members[i].bit_offset < 0 && number_type(ctype->members[i].type) == type;
        type = is_same ? type : IR_VOID;
    }
    return type;
}

// What a global without pointers is an array of. Before LLVM unrolls a loop it works out what becomes of loads from
// constants, but only of those that have the type of the elements.
static enum ir_type element_type(const struct ir_global *global)
{
    enum ir_type type = global->ctype != NULL && global->bytes != NULL ? number_type(global->ctype) : IR_VOID;
    bool is_number = type != IR_VOID && type != IR_PTR && type != IR_I1;
    return is_number && global->size % (uint64_t)ir_type_size(type) == 0 ? type : IR_I8;
}

// A global with pointers in it is a packed struct: bytes, pointer, bytes, pointer, …
static LLVMTypeRef global_type(struct emitter *e, const struct ir_global *global, const struct ir_reloc *relocs)
{
    if (global->reloc_count == 0) {
        enum ir_type element = element_type(global);
        return LLVMArrayType2(e->types[element], global->size / (uint64_t)ir_type_size(element));
    }
    LLVMTypeRef *parts = ARENA_ARRAY(e->arena, LLVMTypeRef, 2 * global->reloc_count + 1);
    uint64_t at = 0;
    unsigned count = 0;
    for (int i = 0; i < global->reloc_count; i++) {
        parts[count++] = LLVMArrayType2(e->types[IR_I8], relocs[i].offset - at);
        parts[count++] = e->types[IR_PTR];
        at = relocs[i].offset + 8;
    }
    parts[count++] = LLVMArrayType2(e->types[IR_I8], global->size - at);
    return LLVMStructTypeInContext(e->context, parts, count, true);
}

static LLVMValueRef bytes_value(struct emitter *e, const struct ir_global *global, uint64_t from, uint64_t to)
{
    assert(from <= to && to <= global->size);
    if (global->bytes == NULL) {
        return LLVMConstNull(LLVMArrayType2(e->types[IR_I8], to - from));
    }
    return LLVMConstStringInContext2(e->context, (const char *)global->bytes + from, to - from, true);
}

static struct ir_reloc *sorted_relocs(struct emitter *e, const struct ir_global *global)
{
    if (global->reloc_count == 0) {
        return NULL;
    }
    struct ir_reloc *relocs = ARENA_ARRAY(e->arena, struct ir_reloc, global->reloc_count);
    memcpy(relocs, global->relocs, sizeof *relocs * (size_t)global->reloc_count);
    qsort(relocs, (size_t)global->reloc_count, sizeof *relocs, compare_relocs);
    return relocs;
}

static void set_initial(struct emitter *e, const struct ir_global *global, const struct ir_reloc *relocs)
{
    LLVMValueRef llvm = e->globals[global->index];
    if (global->reloc_count == 0 && global->bytes != NULL) {
        const char *bytes = (const char *)global->bytes;
        LLVMSetInitializer(llvm, LLVMConstDataArray(e->types[element_type(global)], bytes, global->size));
        return;
    }
    if (global->reloc_count == 0) {
        LLVMSetInitializer(llvm, LLVMConstNull(LLVMGlobalGetValueType(llvm)));
        return;
    }
    LLVMValueRef *parts = ARENA_ARRAY(e->arena, LLVMValueRef, 2 * global->reloc_count + 1);
    uint64_t at = 0;
    unsigned count = 0;
    for (int i = 0; i < global->reloc_count; i++) {
        parts[count++] = bytes_value(e, global, at, relocs[i].offset);
        parts[count++] = reloc_value(e, &relocs[i]);
        at = relocs[i].offset + 8;
    }
    parts[count++] = bytes_value(e, global, at, global->size);
    LLVMSetInitializer(llvm, LLVMConstStructInContext(e->context, parts, count, true));
}

const char *emit_symbol(struct emitter *e, const char *name)
{
    if (!target_is_gpu(e->target)) {
        return name;
    }
    size_t size = symbol_size(strlen(name));
    char *symbol = ARENA_ARRAY(e->arena, char, size);
    (void)symbol_spell(name, e->target->kind == TARGET_AMDGPU ? '.' : '$', symbol, size); // there is room
    return symbol;
}

static void emit_globals(struct emitter *e)
{
    unsigned space = target_is_gpu(e->target) ? TARGET_SPACE_GLOBAL : TARGET_SPACE_GENERIC;
    int count = e->module->global_count;
    struct ir_reloc **relocs = ARENA_ARRAY(e->arena, struct ir_reloc *, count + 1);
    e->globals = ARENA_ARRAY(e->arena, LLVMValueRef, count + 1);
    for (int i = 0; i < count; i++) {
        const struct ir_global *global = e->module->globals[i];
        relocs[i] = sorted_relocs(e, global);
        LLVMTypeRef type = global_type(e, global, relocs[i]);
        LLVMValueRef llvm = LLVMAddGlobalInAddressSpace(e->llvm, type, emit_symbol(e, global->name), space);
        LLVMSetAlignment(llvm, global->align != 0 ? global->align : 1);
        bool is_inside = global->is_const && global->piece_count == 0; // otherwise the host finds it by its name
        if (is_inside) {
            LLVMSetGlobalConstant(llvm, true);
            LLVMSetLinkage(llvm, LLVMInternalLinkage);
        }
        // Reached without an indirection: the image is placed as a whole.
        LLVMSetVisibility(llvm, is_inside ? LLVMDefaultVisibility : LLVMProtectedVisibility);
        e->globals[i] = llvm;
    }
    for (int i = 0; i < count; i++) {
        set_initial(e, e->module->globals[i], relocs[i]);
    }
}

// ---- the module
// ------------------------------------------------------------------------------------------------------

static void make_types(struct emitter *e)
{
    LLVMContextRef c = e->context;
    e->types[IR_VOID] = LLVMVoidTypeInContext(c);
    e->types[IR_I1] = LLVMInt1TypeInContext(c);
    e->types[IR_I8] = LLVMInt8TypeInContext(c);
    e->types[IR_I16] = LLVMInt16TypeInContext(c);
    e->types[IR_I32] = LLVMInt32TypeInContext(c);
    e->types[IR_I64] = LLVMInt64TypeInContext(c);
    e->types[IR_F16] = e->types[IR_BF16] = e->types[IR_I16];
    e->types[IR_F32] = LLVMFloatTypeInContext(c);
    e->types[IR_F64] = LLVMDoubleTypeInContext(c);
    e->types[IR_PTR] = LLVMPointerTypeInContext(c, TARGET_SPACE_GENERIC);
    unsigned space = target_is_gpu(e->target) ? TARGET_SPACE_GLOBAL : TARGET_SPACE_GENERIC;
    e->global_ptr = LLVMPointerTypeInContext(c, space);
}

static bool is_entry(const struct ir_function *function)
{
    return function->kind == IR_FUNCTION_TASK || function->kind == IR_FUNCTION_FINISH;
}

static bool has_remote(const struct emitter *e)
{
    for (int i = 0; i < e->module->function_count; i++) {
        if (is_entry(e->module->functions[i]) && emit_plan_is_remote(e, e->module->functions[i])) {
            return true;
        }
    }
    return false;
}

static void emit_entries(struct emitter *e)
{
    for (int i = 0; i < e->module->function_count; i++) {
        const struct ir_function *function = e->module->functions[i];
        bool is_late = emit_is_fallback(function) || (function->is_serial && emit_is_spare(e, function));
        enum codegen_part part = is_late ? CODEGEN_LATE : CODEGEN_FIRST;
        if (!is_entry(function) || (e->options->part != CODEGEN_ALL && e->options->part != part)) {
            continue;
        }
        emit_entry(e, function);
        if (e->has_remote && emit_plan_is_remote(e, function)) {
            e->is_remote = true;
            emit_entry(e, function);
            e->is_remote = false;
        }
    }
}

void emit_module(struct emitter *e)
{
    make_types(e);
    if (e->target->kind == TARGET_AMDGPU) {
        static const char name[] = "amdhsa_code_object_version";
        LLVMMetadataRef version = LLVMValueAsMetadata(emit_const(e, IR_I32, 100 * e->target->code_object));
        LLVMAddModuleFlag(e->llvm, LLVMModuleFlagBehaviorError, name, sizeof name - 1, version);
    }
    debug_begin(e);
    emit_globals(e);
    e->has_remote = target_has_remote(e->target) && has_remote(e);
    emit_helpers(e);
    emit_entries(e);
    if (target_is_gpu(e->target) && e->options->part != CODEGEN_LATE) {
        emit_plan_nodes(e);
        emit_residents(e);
    }
    debug_end(e);
}
