// Runs a fuzz target over files instead of over a fuzzer's inputs: every file named, and every file straight in a
// folder named, is one input. The corpus is replayed this way by every build of the tests, and a crash by the one who
// looks into it. One line says how many went through.
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replayed_count;

static int replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        printf("FAIL %s: cannot be read\n", path);
        return 1;
    }
    // The target gets a buffer of exactly the file's size, so that AddressSanitizer sees a read beyond it.
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    uint8_t *data = malloc(size > 0 ? (size_t)size : 1);
    size_t count = data == NULL ? 0 : fread(data, 1, (size_t)size, file);
    fclose(file);
    if (getenv("RILL_TEST_PROGRESS") != NULL) {
        printf("run %s\n", path);
    }
    LLVMFuzzerTestOneInput(data, count);
    free(data);
    replayed_count++;
    return 0;
}

static int replay_folder(const char *path)
{
    DIR *folder = opendir(path);
    if (folder == NULL) {
        printf("FAIL %s: cannot be read\n", path);
        return 1;
    }
    int failed = 0;
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        if (entry->d_name[0] != '.') {
            char name[4096];
            snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
            failed |= replay_file(name);
        }
    }
    closedir(folder);
    return failed;
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    int failed = 0;
    for (int i = 1; i < argc; i++) {
        struct stat info;
        bool is_folder = stat(argv[i], &info) == 0 && S_ISDIR(info.st_mode);
        failed |= is_folder ? replay_folder(argv[i]) : replay_file(argv[i]);
    }
    if (failed == 0) {
        printf("ok replayed %d inputs\n", replayed_count);
    }
    return failed;
}
