// The folder in which compiles are kept: where it is, what is in it, whether it can be used, and, unless time is short,
// whether it works: something small is compiled, and found by the next context.
#include "cli/doctor.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { REMEDY_SIZE = PATH_MAX + 256 };

static const char is_elsewhere[] = "RILL_CACHE=FOLDER, one that this user can write";

struct contents {
    uint64_t count, damaged, size;
};

static void add_entry(void *user, const rill_cache_entry *entry)
{
    struct contents *contents = user;
    contents->count++;
    contents->damaged += entry->problem[0] != '\0';
    contents->size += entry->size;
}

static const char *name_of_user(uid_t user, char out[64])
{
    const struct passwd *entry = getpwuid(user);
    if (entry != NULL) {
        snprintf(out, 64, "%.60s", entry->pw_name);
    } else {
        snprintf(out, 64, "%u", (unsigned)user);
    }
    return out;
}

// A folder that is not there yet: whether it can be made, below the nearest one that is.
static bool check_place(struct doctor *doctor, const char *path)
{
    char above[PATH_MAX], text[PATH_MAX + 64];
    snprintf(above, sizeof above, "%s", path);
    for (char *slash = strrchr(above, '/'); access(above, F_OK) != 0 && slash != NULL; slash = strrchr(above, '/')) {
        slash[slash == above] = '\0'; // the root stays
    }
    if (access(above, W_OK | X_OK) != 0) {
        snprintf(text, sizeof text, "cannot be made: this user may not write to %s", above);
        doctor_complain(doctor, "usable", text, is_elsewhere);
        return false;
    }
    doctor_say("usable", "is made when something is kept");
    return true;
}

// Each of these, and what mends it, is what the runtime refuses.
static bool check_access(struct doctor *doctor, const char *path, const struct stat *info)
{
    char text[256], remedy[REMEDY_SIZE], owner[64], mine[64];
    if (S_ISLNK(info->st_mode)) {
        snprintf(remedy, sizeof remedy, "RILL_CACHE=\"$(readlink -f '%s')\"", path);
        doctor_complain(doctor, "usable", "it is a symbolic link, and is not used", remedy);
        return false;
    }
    if (!S_ISDIR(info->st_mode)) {
        snprintf(remedy, sizeof remedy, "rm '%s', or RILL_CACHE=FOLDER", path);
        doctor_complain(doctor, "usable", "it is no folder", remedy);
        return false;
    }
    if (info->st_uid != geteuid()) {
        snprintf(text, sizeof text, "it belongs to %s, and this is %s", name_of_user(info->st_uid, owner),
                 name_of_user(geteuid(), mine));
        snprintf(remedy, sizeof remedy, "as root: chown -R %s '%s', or RILL_CACHE=FOLDER", mine, path);
        doctor_complain(doctor, "usable", text, remedy);
        return false;
    }
    if ((info->st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        snprintf(text, sizeof text, "others may write to it (mode %03o), so that it is not used",
                 (unsigned)info->st_mode & 0777);
        snprintf(remedy, sizeof remedy, "chmod 700 '%s'", path);
        doctor_complain(doctor, "usable", text, remedy);
        return false;
    }
    if (access(path, R_OK | W_OK | X_OK) != 0) {
        bool is_fixed = errno == EROFS;
        snprintf(text, sizeof text, "it cannot be written: %s", strerror(errno));
        snprintf(remedy, sizeof remedy, is_fixed ? "%s" : "chmod 700 '%s'", is_fixed ? is_elsewhere : path);
        doctor_complain(doctor, "usable", text, remedy);
        return false;
    }
    snprintf(text, sizeof text, "mode %03o, of this user", (unsigned)info->st_mode & 0777);
    doctor_say("usable", text);
    return true;
}

static void check_contents(struct doctor *doctor)
{
    struct contents contents = {0};
    char text[256];
    if (rill_cache_visit(NULL, add_entry, &contents) != RILL_OK) {
        doctor_complain(doctor, "entries", rill_message(), "RILL_CACHE=FOLDER");
        return;
    }
    snprintf(text, sizeof text, "%" PRIu64 ", %.1f MB", contents.count, (double)contents.size * 1e-6);
    doctor_say("entries", text);
    if (contents.damaged > 0) {
        snprintf(text, sizeof text, "%" PRIu64 " that are not used", contents.damaged);
        doctor_complain(doctor, "damaged", text, "rill cache verify --remove");
    }
}

static void check_space(struct doctor *doctor, const char *path)
{
    enum { LEAST = 16 << 20 };
    struct statvfs info;
    char text[64];
    if (statvfs(path, &info) != 0) {
        return;
    }
    double bytes = (double)info.f_bavail * (double)info.f_frsize;
    snprintf(text, sizeof text, "%.0f MB", bytes * 1e-6);
    if (bytes < LEAST) {
        doctor_complain(doctor, "free", text, "rill cache clear, or RILL_CACHE=FOLDER on another disk");
    } else {
        doctor_say("free", text);
    }
}

// Compiles |source| in a context of its own; |out| is what its cache has counted. |inout_least|: the time of the
// module, if that was less.
static rill_status compile_once(const char *source, rill_cache_stats *out, double *inout_least)
{
    rill_context context;
    rill_module module;
    rill_stats stats = {0};
    RILL_TRY(rill_open("cpu", NULL, &context));
    double begin = doctor_now();
    rill_status status = rill_module_create(context, source, &(rill_module_options){.sanitize = "off"}, &module);
    double time = doctor_now() - begin;
    *inout_least = time < *inout_least ? time : *inout_least;
    status = status == RILL_OK ? rill_context_stats(context, &stats) : status;
    *out = stats.cache;
    rill_status closed = rill_close(context);
    return status != RILL_OK ? status : closed;
}

static void check_use(struct doctor *doctor)
{
    static const char source[] = "#include <rill/kernel.h>\n"
                                 "kernel void doctor(int n, float x[n]) { for (int i = 0; i < n; i++) x[i] += 1; }\n";
    enum { TIMES = 4 };
    rill_cache_stats last = {0};
    double least = INFINITY;
    char text[128];
    rill_status status = RILL_OK;
    for (int i = 0; i < TIMES && status == RILL_OK; i++) {
        status = compile_once(source, &last, &least);
    }
    if (status != RILL_OK) {
        doctor_complain(doctor, "works", rill_message(), "rill selftest --device cpu --report says more");
    } else if (last.hit_count == 0) {
        bool is_unknown = last.passed_count > 0;
        doctor_complain(doctor, "works", "what was compiled is not found again",
                        is_unknown ? "librill-compiler.so belongs beside librill.so"
                                   : "RILL_LOG=note rill demo: it says why");
    } else {
        snprintf(text, sizeof text, "a kernel was found again in %.2f ms", least * 1e-3);
        doctor_say("works", text);
    }
}

void doctor_check_cache(struct doctor *doctor, bool uses_it)
{
    char path[PATH_MAX];
    struct stat info;
    puts("\ncache");
    if (rill_cache_folder(NULL, path, sizeof path) != RILL_OK) {
        const char *named = getenv("RILL_CACHE");
        if (named != NULL && strcmp(named, "off") == 0) {
            doctor_say("folder", "none: RILL_CACHE=off");
        } else {
            doctor_complain(doctor, "folder", "none: neither RILL_CACHE, XDG_CACHE_HOME nor HOME names one",
                            is_elsewhere);
        }
        return;
    }
    doctor_say("folder", path);
    bool is_there = lstat(path, &info) == 0;
    if (is_there ? !check_access(doctor, path, &info) : !check_place(doctor, path)) {
        return;
    }
    if (is_there) {
        check_contents(doctor);
        check_space(doctor, path);
    }
    if (uses_it && doctor->problem_count == 0) {
        check_use(doctor);
    }
}
