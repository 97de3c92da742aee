// rill cache: the folder in which compiles are kept for the next process.
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

struct item {
    char name[96];
    char label[128];
    char problem[600];
    rill_cache_entry entry; // its texts are the above
};

struct items {
    struct item *list; // owned
    size_t count;
    size_t damaged_count;
    size_t binary_count;
    size_t choice_count;
    uint64_t size;
    bool is_full; // there was no memory for all
};

static void add(void *user, const rill_cache_entry *entry)
{
    struct items *items = user;
    struct item *list = items->is_full ? NULL : realloc(items->list, (items->count + 1) * sizeof *list);
    if (list == NULL) {
        items->is_full = true;
        return;
    }
    items->list = list;
    struct item *item = &list[items->count++];
    item->entry = *entry;
    snprintf(item->name, sizeof item->name, "%s", entry->name);
    snprintf(item->label, sizeof item->label, "%s", entry->label);
    snprintf(item->problem, sizeof item->problem, "%s", entry->problem);
    items->damaged_count += entry->problem[0] != '\0';
    items->binary_count += entry->is_binary;
    items->choice_count += entry->is_choice;
    items->size += entry->size;
}

static int compare_use(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    return a->entry.used > b->entry.used ? -1 : a->entry.used < b->entry.used;
}

// "12 min", since |used|.
static void print_age(int64_t used, char out[16])
{
    static const struct {
        int64_t seconds;
        const char *unit;
    } units[] = {{86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}};
    int64_t age = (int64_t)time(NULL) - used;
    age = age > 0 ? age : 0;
    int i = 0;
    while (i < 3 && age < 2 * units[i].seconds) {
        i++;
    }
    snprintf(out, 16, "%d %s", (int)(age / units[i].seconds), units[i].unit);
}

static int list(const struct items *items)
{
    for (size_t i = 0; i < items->count; i++) {
        const struct item *item = &items->list[i];
        char age[16];
        print_age(item->entry.used, age);
        printf("%8s %8.1f kB  %-6s  %.12s  %s%s\n", age, (double)item->entry.size * 1e-3,
               item->entry.is_binary   ? "binary"
               : item->entry.is_choice ? "choice"
                                       : "image",
               item->name, item->label, item->problem[0] != '\0' ? "damaged" : "");
    }
    return CLI_OK;
}

static int show_stats(const struct items *items, const char *path)
{
    printf("folder    %s\nentries   %zu: %zu of the compiler, %zu of a GPU's driver, %zu choices of a kernel\ndamaged  "
           " %zu\nsize      %.1f MB\n",
           path, items->count, items->count - items->binary_count - items->choice_count, items->binary_count,
           items->choice_count, items->damaged_count, (double)items->size * 1e-6);
    if (items->count > 0) {
        char age[16], oldest[16];
        print_age(items->list[0].entry.used, age);
        print_age(items->list[items->count - 1].entry.used, oldest);
        printf("used      %s ago, the one that was not used for longest %s ago\n", age, oldest);
    }
    return CLI_OK;
}

static int verify(const struct items *items, bool removes, const char *folder)
{
    for (size_t i = 0; i < items->count; i++) {
        if (items->list[i].problem[0] != '\0') {
            printf("%s\n", items->list[i].problem);
        }
    }
    uint64_t removed = 0;
    if (removes) {
        rill_status status = rill_cache_remove(folder, true, &removed);
        if (status != RILL_OK) {
            return cli_fail_status(status);
        }
    }
    printf("%zu entries, %zu damaged", items->count, items->damaged_count);
    if (removes) {
        printf(", %llu removed\n", (unsigned long long)removed);
    } else {
        puts(items->damaged_count > 0 ? ": they are never used, and made again when they are needed" : "");
    }
    return items->damaged_count > removed ? CLI_FAILED : CLI_OK;
}

static int clear(const char *folder, const char *path)
{
    uint64_t count = 0;
    rill_status status = rill_cache_remove(folder, false, &count);
    if (status != RILL_OK) {
        return cli_fail_status(status);
    }
    printf("%llu entries removed from %s\n", (unsigned long long)count, path);
    return CLI_OK;
}

static int look(const char *what, const char *folder, bool removes)
{
    char path[4096];
    struct items items = {.list = NULL};
    rill_status status = rill_cache_folder(folder, path, sizeof path);
    if (status == RILL_OK && strcmp(what, "clear") == 0) {
        return clear(folder, path);
    }
    status = status == RILL_OK ? rill_cache_visit(folder, add, &items) : status;
    int code = CLI_OK;
    if (status != RILL_OK) {
        code = cli_fail_status(status);
    } else if (items.is_full) {
        code = cli_fail(CLI_FAILED, "there is no memory for the list of entries");
    } else {
        if (items.count > 0) {
            qsort(items.list, items.count, sizeof *items.list, compare_use);
        }
        code = strcmp(what, "list") == 0    ? list(&items)
               : strcmp(what, "stats") == 0 ? show_stats(&items, path)
                                            : verify(&items, removes, folder);
    }
    free(items.list);
    return code;
}

int cmd_cache(int argc, char **argv)
{
    static const char *const words[] = {"list", "stats", "verify", "clear"};
    const char *what = NULL, *folder = NULL;
    bool removes = false;
    for (int i = 1, taken; i < argc; i += taken) {
        taken = 1;
        const char *value = cli_option_value("--folder", argc, argv, i, &taken);
        bool is_word = false;
        for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
            is_word = is_word || strcmp(argv[i], words[k]) == 0;
        }
        if (value != NULL) {
            folder = value;
        } else if (strcmp(argv[i], "--remove") == 0) {
            removes = true;
        } else if (is_word && what == NULL) {
            what = argv[i];
        } else {
            return cli_fail(CLI_USAGE, "cache takes list, stats, verify or clear, --folder and --remove, not '%s'",
                            argv[i]);
        }
    }
    if (what == NULL || (removes && strcmp(what, "verify") != 0)) {
        return cli_fail(CLI_USAGE, what == NULL ? "cache needs one of list, stats, verify, clear"
                                                : "--remove goes with 'rill cache verify'");
    }
    return look(what, folder, removes);
}
