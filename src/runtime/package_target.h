// Targets of packages: which there are for a word of `rill build --target`, and how well what was built for one serves
// a device.
#ifndef RILL_RUNTIME_PACKAGE_TARGET_H
#define RILL_RUNTIME_PACKAGE_TARGET_H

#include <stdbool.h>
#include <stddef.h>

enum { PACKAGE_TARGET_SIZE = 96 };

// What stands for a target that is a set: names of the compiler's, ended by NULL. NULL: |word| is no set.
const char *const *package_target_set(const char *word);

// The name of what was compiled for |target|, a name of the compiler's: in a package "native" says for which processor.
void package_target_name(const char *target, char out[PACKAGE_TARGET_SIZE]);
// The same, for words: without the processor's digest.
void package_target_words(const char *name, char out[PACKAGE_TARGET_SIZE]);

// 0: code for |name| does not run on the device; of several the one with the highest rank is best. |device|: the target
// of a GPU; NULL: the CPU, of which |level| is what package_processor_level() says.
int package_target_rank(const char *name, const char *device, int level);

// 1 to 4: the level of x86-64 that this processor has.
int package_processor_level(void);

// For messages: what the device is. |device| as above.
void package_device_words(const char *device, char out[PACKAGE_TARGET_SIZE]);

#endif
