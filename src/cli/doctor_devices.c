// The devices that are there, and why one that is in a slot cannot be used: its files under /dev, which the kernel's
// driver makes and only some users may open, or the vendor's library.
#include "cli/doctor.h"

#include <dirent.h>
#include <errno.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct family {
    const char *name;
    const char *vendor;   // as /sys has it
    const char *nodes[5]; // under /dev: all of them are opened
    const char *load;     // what makes the nodes
    const char *install;
    const char *library; // the variable that names another library
};

static const struct family families[] = {
    {"cuda",
     "0x10de",
     {"/dev/nvidiactl", "/dev/nvidia0", "/dev/nvidia-uvm"},
     "modprobe nvidia && modprobe nvidia-uvm; in a container: docker run --gpus all",
     "install NVIDIA's driver, which has libcuda.so.1 (Debian: apt-get install nvidia-driver)",
     "RILL_CUDA_LIBRARY"},
    {"amdgpu",
     "0x1002",
     {"/dev/kfd", "/dev/dri/renderD128"},
     "modprobe amdgpu; in a container: docker run --device /dev/kfd --device /dev/dri",
     "install the HIP runtime, which is libamdhip64.so (Debian: apt-get install libamdhip64-5)",
     "RILL_HIP_LIBRARY"},
};

// ---- what is in the slots -----------------------------------------------------------------------------------------

// Tests have a folder of their own in place of /.
static void path_of(const char *path, char *out, size_t size)
{
    const char *root = getenv("RILL_TEST_ROOT");
    snprintf(out, size, "%s%s", root != NULL ? root : "", path);
}

// Whether a display or compute device of this vendor is in a slot.
static bool has_card(const char *vendor)
{
    bool is_found = false;
    char slots[512];
    path_of("/sys/bus/pci/devices", slots, sizeof slots);
    DIR *folder = opendir(slots);
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL && !is_found;) {
        static const char *const files[] = {"vendor", "class"};
        char value[2][16] = {"", ""};
        for (int i = 0; i < 2; i++) {
            char path[1024];
            snprintf(path, sizeof path, "%s/%s/%s", slots, entry->d_name, files[i]);
            FILE *file = fopen(path, "r");
            if (file != NULL) {
                (void)!fgets(value[i], sizeof value[i], file);
                fclose(file);
            }
        }
        bool computes = strncmp(value[1], "0x03", 4) == 0 || strncmp(value[1], "0x12", 4) == 0;
        is_found = computes && strncmp(value[0], vendor, strlen(vendor)) == 0;
    }
    if (folder != NULL) {
        closedir(folder);
    }
    return is_found;
}

static bool has_device(const char *family)
{
    for (size_t i = 0; i < rill_device_count(); i++) {
        rill_device_info info;
        if (rill_device_get(i, &info) == RILL_OK && strncmp(info.name, family, strlen(family)) == 0) {
            return true;
        }
    }
    return false;
}

// ---- why it cannot be used ----------------------------------------------------------------------------------------

static void complain_of_node(struct doctor *doctor, const char *name, const char *node, const struct stat *info)
{
    char is[640], remedy[640];
    const struct group *group = (info->st_mode & 060) == 060 && info->st_gid != 0 ? getgrgid(info->st_gid) : NULL;
    snprintf(is, sizeof is, "this user may not open %s (mode %03o)", node, (unsigned)info->st_mode & 0777);
    if (group != NULL) {
        snprintf(remedy, sizeof remedy, "usermod -aG %s $USER, and log in again", group->gr_name);
    } else {
        snprintf(remedy, sizeof remedy, "as root: chmod a+rw %s", node);
    }
    doctor_complain(doctor, name, is, remedy);
}

// Complains of the first node that is missing or closed to this user, and says whether there was one.
static bool check_nodes(struct doctor *doctor, const struct family *family, const char *name, bool is_in_slot)
{
    for (int i = 0; family->nodes[i] != NULL; i++) {
        char path[512], is[640];
        struct stat info;
        path_of(family->nodes[i], path, sizeof path);
        if (stat(path, &info) == 0 && access(path, R_OK | W_OK) != 0) {
            complain_of_node(doctor, name, path, &info);
            return true;
        }
        if (is_in_slot && access(path, F_OK) != 0) {
            snprintf(is, sizeof is, "there is a card, and no %s", path);
            doctor_complain(doctor, name, is, family->load);
            return true;
        }
    }
    return false;
}

static void check_family(struct doctor *doctor, const struct family *family)
{
    char name[32], why[512], remedy[256];
    if (has_device(family->name)) {
        return;
    }
    snprintf(name, sizeof name, "%s:0", family->name);
    rill_context context;
    if (rill_open(name, NULL, &context) == RILL_OK) { // it was plugged in just now
        (void)!rill_close(context);
        return;
    }
    snprintf(why, sizeof why, "%s", rill_message());
    bool is_in_slot = has_card(family->vendor);
    if (check_nodes(doctor, family, name, is_in_slot)) {
        return;
    }
    const char *library = getenv(family->library);
    if (library != NULL && library[0] != '\0') { // somebody wants it, card or not
        snprintf(remedy, sizeof remedy, "unset %s, or %s", family->library,
                 is_in_slot ? family->install : "let it name a library that can be used");
        doctor_complain(doctor, name, why, remedy);
    } else if (is_in_slot) {
        doctor_complain(doctor, name, why, family->install);
    } else {
        doctor_say(name, "no such card");
    }
}

void doctor_check_devices(struct doctor *doctor)
{
    puts("\ndevices");
    for (size_t i = 0; i < rill_device_count(); i++) {
        rill_device_info info;
        char text[256];
        if (rill_device_get(i, &info) == RILL_OK) {
            snprintf(text, sizeof text, "%s, %.1f GB", info.description, (double)info.memory_size * 1e-9);
            doctor_say(info.name, text);
        }
    }
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        check_family(doctor, &families[i]);
    }
}
