// Kernel files built by gcc. Each is compiled once for all its rows, behind functions of one signature that take sizes,
// doubles and arrays from tables: what a row's parameters are is known here only.
#include "nests.h"
#include "tree.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void write_call(FILE *file, const struct row *row)
{
    const char *comma = "";
    fprintf(file, "void call_%s(const int *n, const double *d, void *const *a)\n{\n    %s(", row->name, row->name);
    for (size_t i = 0; i < strlen(row->sizes); i++, comma = ", ") {
        fprintf(file, "%sn[%zu]", comma, i);
    }
    for (int i = 0; i < row->double_count; i++, comma = ", ") {
        fprintf(file, "%sd[%d]", comma, i);
    }
    for (int i = 0; i < row_array_count(row); i++, comma = ", ") {
        fprintf(file, "%sa[%d]", comma, i);
    }
    fprintf(file, ");\n}\n");
}

// The kernel file with its `omp:` comments as pragmas if they are wanted, and the calls of its rows.
static bool write_source(const char *kernels, bool with_openmp, const char *path)
{
    char name[64];
    char line[512];
    snprintf(name, sizeof name, "bench/kernels/%s.c", kernels);
    FILE *in = fopen(tree_file(name), "r");
    FILE *out = in != NULL ? fopen(path, "w") : NULL;
    while (out != NULL && fgets(line, sizeof line, in) != NULL) {
        const char *comment = with_openmp ? strstr(line, "// omp:") : NULL;
        if (comment != NULL) {
            fprintf(out, "#pragma omp%s", comment + strlen("// omp:"));
        } else {
            fputs(line, out);
        }
    }
    for (int i = 0; out != NULL && i < nest_row_count; i++) {
        if (strcmp(nest_rows[i].file, kernels) == 0) {
            write_call(out, &nest_rows[i]);
        }
    }
    if (in != NULL) {
        fclose(in);
    }
    return out != NULL && fclose(out) == 0;
}

native_function *native_build(const struct row *row, bool with_openmp, const char *dir)
{
    char source[512];
    char object[512];
    char command[4096];
    char name[64];
    const char *build = with_openmp ? "omp" : "serial";
    snprintf(source, sizeof source, "%s/%s-%s.c", dir, row->file, build);
    snprintf(object, sizeof object, "%s/%s-%s.so", dir, row->file, build);
    if (access(object, R_OK) != 0) {
        snprintf(command, sizeof command, "gcc -O3 -march=native -std=gnu11 %s -shared -fPIC -w -I%s -o %s %s -lm",
                 with_openmp ? "-fopenmp" : "", tree_file("include"), object, source);
        if (!write_source(row->file, with_openmp, source) || system(command) != 0) {
            fprintf(stderr, "%s: '%s' failed; that column is left out\n", row->file, command);
            return NULL;
        }
    }
    native_function *function = NULL;
    void *library = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    snprintf(name, sizeof name, "call_%s", row->name);
    void *symbol = library != NULL ? dlsym(library, name) : NULL;
    memcpy(&function, &symbol, sizeof function);
    return function;
}
