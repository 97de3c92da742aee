#include "differ_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// A program that includes the file, fills the buffers from its input, calls the kernel and writes what it left.
static void write_program(FILE *f, const struct differ_case *c, const struct differ_gcc_job *job, const char *file)
{
    fprintf(f, "#include \"%s\"\n#include <stdio.h>\n", file);
    for (int i = 0; i < c->buffer_count; i++) {
        size_t size = (size_t)c->buffers[i].count * (size_t)c->buffers[i].type->size;
        fprintf(f, "static unsigned char buffer%d[%zu] __attribute__((aligned(64)));\n", i, size + 1);
    }
    fprintf(f, "int main(void)\n{\n");
    for (int i = 0; i < c->buffer_count; i++) {
        fprintf(f, "fread(buffer%d, 1, sizeof buffer%d - 1, stdin);\n", i, i);
    }
    bool returns = job->kernel->return_type != IR_VOID;
    fprintf(f, "%s%s(", returns ? "__auto_type returned = " : "", job->kernel->name);
    for (int i = 0; i < c->arg_count; i++) {
        const struct differ_arg *arg = &c->args[i];
        const char *comma = i > 0 ? ", " : "";
        switch (arg->kind) {
        case DIFFER_INT: fprintf(f, "%s%lldLL", comma, (long long)arg->i); break;
        case DIFFER_FLOAT: fprintf(f, "%s%a", comma, arg->f); break;
        case DIFFER_STRUCT:
            fprintf(f, "%s*(%s *)buffer%d", comma, job->kernel->params[i].ctype->name, arg->buffer);
            break;
        case DIFFER_ARRAY:
            fprintf(f, "%s(void *)(buffer%d + %llu)", comma, arg->buffer,
                    (unsigned long long)(arg->offset * (uint64_t)c->buffers[arg->buffer].type->size));
            break;
        }
    }
    fprintf(f, ");\nFILE *out_ = fopen(\"gcc_out\", \"wb\");\n");
    for (int i = 0; i < c->buffer_count; i++) {
        fprintf(f, "fwrite(buffer%d, 1, sizeof buffer%d - 1, out_);\n", i, i);
    }
    for (int i = 0; i < job->module->global_count; i++) {
        const struct ir_global *global = job->module->globals[i];
        if (!global->is_const) {
            fprintf(f, "fwrite(&%s, 1, sizeof %s, out_);\n", global->name, global->name);
        }
    }
    if (returns) {
        fprintf(f, "fwrite(&returned, 1, sizeof returned, out_);\n");
    }
    fprintf(f, "return fclose(out_) != 0;\n}\n");
}

static bool write_file(const char *path, const void *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");
    bool ok = f != NULL && fwrite(bytes, 1, size, f) == size;
    return (f == NULL || fclose(f) == 0) && ok;
}

static bool write_input(const char *path, const struct differ_case *c)
{
    FILE *f = fopen(path, "wb");
    if (f == NULL) {
        return false;
    }
    for (int i = 0; i < c->buffer_count; i++) {
        const struct differ_buffer *b = &c->buffers[i];
        fwrite(b->start, (size_t)b->type->size, (size_t)b->count, f);
    }
    return fclose(f) == 0;
}

bool differ_gcc_run(struct differ *differ, const struct differ_case *c, const struct differ_gcc_job *job, bool *out_ran,
                    struct str *out_why)
{
    char text[4096];
    char path[1024];
    *out_ran = false;
    snprintf(path, sizeof path, "%s/gcc_kernel.c", differ->scratch);
    if (!write_file(path, c->text, strlen(c->text))) {
        str_printf(out_why, "cannot write %s\n", path);
        return false;
    }
    snprintf(path, sizeof path, "%s/gcc_main.c", differ->scratch);
    FILE *f = fopen(path, "w");
    if (f == NULL) {
        str_printf(out_why, "cannot write %s\n", path);
        return false;
    }
    write_program(f, c, job, "gcc_kernel.c");
    fclose(f);
    snprintf(path, sizeof path, "%s/gcc_in", differ->scratch);
    write_input(path, c);
    // Where C leaves a result open, the program dies and nothing is compared.
    snprintf(text, sizeof text,
             "cd '%s' && gcc -std=gnu99 -w -O1 -fwrapv -fno-strict-aliasing -fsigned-char -ffp-contract=off "
             "-fsanitize=shift-exponent,integer-divide-by-zero,float-cast-overflow -fno-sanitize-recover=all -I'%s' "
             "gcc_main.c -o gcc_run -lm 2>gcc_errors",
             differ->scratch, differ->include_dir);
    if (system(text) != 0) {
        str_printf(out_why, "gcc refuses the file, see %s/gcc_errors\n", differ->scratch);
        return false;
    }
    snprintf(text, sizeof text, "cd '%s' && timeout 60 ./gcc_run <gcc_in >/dev/null 2>gcc_errors", differ->scratch);
    if (system(text) != 0) {
        return true;
    }
    snprintf(path, sizeof path, "%s/gcc_out", differ->scratch);
    f = fopen(path, "rb");
    size_t got = f != NULL ? fread(job->out, 1, job->out_size, f) : 0;
    if (f != NULL) {
        fclose(f);
    }
    // The returned value may be shorter than its place.
    *out_ran = got + 8 >= job->out_size;
    return true;
}
