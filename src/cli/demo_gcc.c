#include "cli/demo.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// The serial program around the kernel file: the same first cells, the same checksum.
static const char driver[] =
    "#include \"heat.c\"\n"
    "#include <stdint.h>\n"
    "#include <stdio.h>\n"
    "#include <stdlib.h>\n"
    "#include <time.h>\n"
    "int main(int argc, char **argv)\n"
    "{\n"
    "    int n = argc > 2 ? atoi(argv[1]) : 0, steps = argc > 2 ? atoi(argv[2]) : 0;\n"
    "    size_t size = (size_t)n * (size_t)n * sizeof(float);\n"
    "    float *t = calloc(1, size), *next = calloc(1, size);\n"
    "    for (int i = 0; i < n; i++) t[(size_t)n * (size_t)n / 2 + (size_t)i] = 100;\n"
    "    struct timespec a, b;\n"
    "    clock_gettime(CLOCK_MONOTONIC, &a);\n"
    "    heat(n, steps, 0.2f, (void *)t, (void *)next);\n"
    "    clock_gettime(CLOCK_MONOTONIC, &b);\n"
    "    uint64_t hash = UINT64_C(0xcbf29ce484222325);\n"
    "    for (size_t i = 0; i < size; i++)\n"
    "        hash = (hash ^ ((unsigned char *)t)[i]) * UINT64_C(0x100000001b3);\n"
    "    printf(\"%016llx %.3f\\n\", (unsigned long long)hash,\n"
    "           (double)(b.tv_sec - a.tv_sec) * 1e3 + (double)(b.tv_nsec - a.tv_nsec) * 1e-6);\n"
    "    return 0;\n"
    "}\n";

// Runs a program; what it prints, cut to |size|, goes to |out|. False if it cannot be run or fails.
static bool run_program(char *const argv[], char *out, size_t size)
{
    int ends[2];
    out[0] = '\0';
    if (pipe(ends) != 0) {
        return false;
    }
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execvp(argv[0], argv);
        _exit(127);
    }
    close(ends[1]);
    size_t used = 0;
    ssize_t got = 0;
    while (child > 0 && used + 1 < size && (got = read(ends[0], out + used, size - 1 - used)) > 0) {
        used += (size_t)got;
    }
    out[used] = '\0';
    close(ends[0]);
    int state = 0;
    while (child > 0 && waitpid(child, &state, 0) < 0 && errno == EINTR) {
    }
    return child > 0 && WIFEXITED(state) && WEXITSTATUS(state) == 0;
}

// The folder that holds rill/kernel.h: beside an installed program, or the repository's.
static bool find_headers(char *out, size_t size)
{
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    const char *folder = dirname(program);
    static const char *const places[] = {"../include", "../../../include"};
    for (int i = 0; i < 3; i++) {
        char header[PATH_MAX + 64];
        if (i < 2) {
            snprintf(out, size, "%s/%s", folder, places[i]);
        } else {
            snprintf(out, size, "include");
        }
        snprintf(header, sizeof header, "%s/rill/kernel.h", out);
        if (access(header, R_OK) == 0) {
            return true;
        }
    }
    return false;
}

static bool write_text(const char *folder, const char *name, const char *text)
{
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        return false;
    }
    bool is_written = fputs(text, file) >= 0;
    return fclose(file) == 0 && is_written;
}

static void remove_folder(const char *folder)
{
    static const char *const names[] = {"heat.c", "main.c", "heat"};
    for (int i = 0; i < 3; i++) {
        char path[PATH_MAX + 64];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
}

static bool compare(const struct demo_heat *heat, const char *folder, const char *headers)
{
    char include[PATH_MAX + 64];
    char source[PATH_MAX + 64];
    char program[PATH_MAX + 64];
    char n[16];
    char steps[16];
    char text[128];
    snprintf(include, sizeof include, "-I%s", headers);
    snprintf(source, sizeof source, "%s/main.c", folder);
    snprintf(program, sizeof program, "%s/heat", folder);
    snprintf(n, sizeof n, "%d", heat->n);
    snprintf(steps, sizeof steps, "%d", heat->steps);
    double start = demo_now();
    if (!run_program((char *[]){"gcc", "-std=gnu99", "-O3", "-march=native", "-ffp-contract=off", include, source, "-o",
                                program, "-lm", NULL},
                     text, sizeof text)) {
        puts("not compared with gcc: it is not here, or did not build the file");
        return true;
    }
    double compiled = demo_now() - start;
    unsigned long long checksum = 0;
    double time = 0;
    if (!run_program((char *[]){program, n, steps, NULL}, text, sizeof text) ||
        sscanf(text, "%llx %lf", &checksum, &time) != 2) {
        puts("not compared with gcc: its program did not run");
        return true;
    }
    printf("the same file by gcc -O3 -march=native, serial: %.1f ms to run, %.0f ms to build; rill: %.1f ms\n", time,
           compiled, heat->time);
    printf(checksum == heat->checksum ? "all %d x %d cells have the same bits\n"
                                      : "THE CELLS DIFFER (%d x %d): this is a fault of Rill or of gcc\n",
           heat->n, heat->n);
    return checksum == heat->checksum;
}

bool demo_compare_with_gcc(const struct demo_heat *heat)
{
    char headers[PATH_MAX + 32];
    if (!find_headers(headers, sizeof headers)) {
        puts("not compared with gcc: there is no rill/kernel.h beside this program");
        return true;
    }
    const char *temporary = getenv("TMPDIR");
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s/rill-demo-XXXXXX",
             temporary != NULL && *temporary != '\0' ? temporary : "/tmp");
    if (mkdtemp(folder) == NULL) {
        printf("not compared with gcc: cannot make a folder '%s': %s\n", folder, strerror(errno));
        return true;
    }
    bool is_same = true;
    if (write_text(folder, "heat.c", heat->source) && write_text(folder, "main.c", driver)) {
        is_same = compare(heat, folder, headers);
    } else {
        printf("not compared with gcc: cannot write into '%s'\n", folder);
    }
    remove_folder(folder);
    return is_same;
}
