// Read before every C file of a release: functions that got a new version after glibc 2.34 are bound to the one before,
// so that the release runs with glibc 2.34 too.
#ifdef __x86_64__
__asm__(".symver hypot, hypot@GLIBC_2.2.5");
__asm__(".symver hypotf, hypotf@GLIBC_2.2.5");
#endif
