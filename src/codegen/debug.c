// Debug information: a compile unit, a subprogram for each function and a place for each instruction, so that debuggers
// stop on lines and profilers name them; in PTX the places alone, since a driver compiles what has more without
// optimising it. Variables are left out: following them through the optimiser costs a tenth of
// a compile, and most have no place when it is done.
#include "codegen/emit.h"

#include <string.h>

static LLVMMetadataRef file_of(struct emitter *e, uint32_t index)
{
    if (index >= (uint32_t)e->module->file_count) {
        index = 0;
    }
    if (e->debug.files[index] == NULL) {
        const char *path = index < (uint32_t)e->module->file_count ? e->module->files[index] : "?";
        const char *dir = e->options->work_dir != NULL ? e->options->work_dir : ".";
        e->debug.files[index] = LLVMDIBuilderCreateFile(e->debug.builder, path, strlen(path), dir, strlen(dir));
    }
    return e->debug.files[index];
}

static void add_flag(struct emitter *e, const char *name, uint64_t value, LLVMModuleFlagBehavior behavior)
{
    LLVMMetadataRef node = LLVMValueAsMetadata(LLVMConstInt(e->types[IR_I32], value, false));
    LLVMAddModuleFlag(e->llvm, behavior, name, strlen(name), node);
}

void debug_begin(struct emitter *e)
{
    add_flag(e, "Debug Info Version", LLVMDebugMetadataVersion(), LLVMModuleFlagBehaviorWarning);
    add_flag(e, "Dwarf Version", 4, LLVMModuleFlagBehaviorWarning);
    e->debug.builder = LLVMCreateDIBuilder(e->llvm);
    e->debug.files = ARENA_ARRAY(e->arena, LLVMMetadataRef, e->module->file_count + 1);
    const char *producer = "rill " RILL_VERSION;
    // The C interface has no name for it: directives in the text, and no section of debug information.
    LLVMDWARFEmissionKind directives_only = (LLVMDWARFEmissionKind)3;
    LLVMDWARFEmissionKind kind = e->target->kind == TARGET_NVPTX ? directives_only : LLVMDWARFEmissionFull;
    e->debug.unit =
        LLVMDIBuilderCreateCompileUnit(e->debug.builder, LLVMDWARFSourceLanguageC99, file_of(e, 0), producer,
                                       strlen(producer), true, "", 0, 0, "", 0, kind, 0, false, false, "", 0, "", 0);
    e->debug.subroutine = LLVMDIBuilderCreateSubroutineType(e->debug.builder, file_of(e, 0), NULL, 0, LLVMDIFlagZero);
}

void debug_end(struct emitter *e)
{
    if (e->debug.builder != NULL) {
        LLVMDIBuilderFinalize(e->debug.builder);
        LLVMDisposeDIBuilder(e->debug.builder);
        e->debug.builder = NULL;
    }
}

LLVMMetadataRef debug_function(struct emitter *e, const struct ir_function *ir, LLVMValueRef llvm)
{
    if (e->debug.builder == NULL) {
        return NULL;
    }
    LLVMMetadataRef file = file_of(e, ir->loc.file);
    bool is_local = ir->kind == IR_FUNCTION_HELPER;
    LLVMMetadataRef scope = LLVMDIBuilderCreateFunction(e->debug.builder, file, ir->name, strlen(ir->name), ir->name,
                                                        strlen(ir->name), file, ir->loc.line, e->debug.subroutine,
                                                        is_local, true, ir->loc.line, LLVMDIFlagZero, true);
    LLVMSetSubprogram(llvm, scope);
    return scope;
}

// A location names no file of its own: code from another file than the function's stands in a lexical block of that
// file.
void debug_at(struct emitter *e, LLVMBuilderRef builder, struct loc loc)
{
    LLVMMetadataRef scope = e->function->scope;
    if (scope == NULL) {
        return;
    }
    if (loc.line == 0) { // made by a pass: part of whatever stands around it
        loc.line = e->function->ir->loc.line;
        loc.column = 0;
    } else if (loc.file != e->function->ir->loc.file) {
        scope = LLVMDIBuilderCreateLexicalBlockFile(e->debug.builder, scope, file_of(e, loc.file), 0);
    }
    LLVMSetCurrentDebugLocation2(builder,
                                 LLVMDIBuilderCreateDebugLocation(e->context, loc.line, loc.column, scope, NULL));
}
