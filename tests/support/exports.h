// Tables that have a row for every exported call.
#ifndef RILL_TESTS_SUPPORT_EXPORTS_H
#define RILL_TESTS_SUPPORT_EXPORTS_H

#include "test.h"
#include "tree.h"

// Fails unless the |count| names are those of the exported calls. |missing| is what is said of a call without a row.
static inline void exports_check(const char *(*name_of)(int row), int count, const char *missing)
{
    FILE *list = fopen(tree_file("tests/house/exports.list"), "r");
    REQUIRE(list != NULL);
    char line[256];
    int exported = 0;
    while (fgets(line, sizeof line, list) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "rill_", 5) != 0) {
            continue;
        }
        bool has_row = false;
        for (int i = 0; i < count && !has_row; i++) {
            has_row = strcmp(name_of(i), line) == 0;
        }
        if (!has_row) {
            FAIL("%s is exported, and %s", line, missing);
        }
        exported++;
    }
    fclose(list);
    CHECK_INT(exported, count);
}

#endif // RILL_TESTS_SUPPORT_EXPORTS_H
