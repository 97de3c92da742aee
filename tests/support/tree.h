// Where the files lie that a test or a benchmark reads. In a checkout that is where it was built from; in an unpacked
// archive it is the folder above the program, which has the same files at the same places.
#ifndef RILL_TESTS_SUPPORT_TREE_H
#define RILL_TESTS_SUPPORT_TREE_H

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TREE_APART __attribute__((noinline, unused)) // paths are long, and nobody warns about what he cannot see

// Writes to |path| the nearest folder above the program that holds |name|, and whether there is one.
static TREE_APART int tree_above(const char *name, char path[PATH_MAX])
{
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    path[length < 0 ? 0 : length] = '\0';
    for (char *slash = strrchr(path, '/'); slash != NULL && slash != path; slash = strrchr(path, '/')) {
        char candidate[PATH_MAX + 64];
        *slash = '\0';
        snprintf(candidate, sizeof candidate, "%s/%s", path, name);
        if (access(candidate, R_OK) == 0) {
            return 1;
        }
    }
    return 0;
}

// The root of the tree: the same text as long as the thread lives.
static TREE_APART const char *tree_root(void)
{
    static _Thread_local char root[PATH_MAX];
    if (root[0] == '\0' && !tree_above("include/rill/rill.h", root)) {
        snprintf(root, sizeof root, "%s", RILL_SOURCE_DIR);
    }
    return root;
}

// The path of |name| in the tree; the text holds until the thread asks for the next.
static TREE_APART const char *tree_file(const char *name)
{
    static _Thread_local char path[PATH_MAX + 256];
    snprintf(path, sizeof path, "%s/%s", tree_root(), name);
    return path;
}

#endif // RILL_TESTS_SUPPORT_TREE_H
