// The texts of `rill COMMAND --help`.
#ifndef RILL_CLI_HELP_H
#define RILL_CLI_HELP_H

#define HELP_COMPILE                                                                                                   \
    "  -D NAME[=VALUE]      define a macro\n"                                                                          \
    "  -I DIR               look for #include \"…\" there too\n"                                                       \
    "  --contract=off       no fused multiply-add: the bits of a plain C build\n"                                      \
    "  --check=bounds       an index out of range is an error that names the place\n"                                  \
    "  --fast-math          trade exact float results for speed\n"

static const char help_run[] =
    "usage: rill run FILE [KERNEL] [--set NAME=VALUE …] [options]\n\n"
    "Compiles FILE and runs KERNEL (or its only kernel). Scalars get their values by --set; the shapes of arrays "
    "follow\n"
    "from them. Element k of an array starts as k % 251 + 1; struct members count in order. Shows what the kernel\n"
    "printed, what it returned, the time, and a checksum (64-bit FNV-1a of the bytes) of each array.\n\n"
    "  --set NAME=VALUE     a scalar; of a pointer parameter: its number of elements; NAME.MEMBER of a struct\n"
    "  --in NAME=FILE.npy   start the array with a file's contents\n"
    "  --out NAME=FILE.npy  write the array afterwards\n"
    "  --device D           cpu, auto\n"
    "  --repeat N           run it N times and show the best time\n"
    "  --json               one JSON object: printed, returned, arrays, time_ms\n" HELP_COMPILE
    "\nexample: rill run saxpy.c --set n=1000000 --set a=2 --repeat 20\n";

static const char help_check[] = "usage: rill check FILE [--json] [--strict] [options]\n\n"
                                 "Says what is wrong with FILE, with the line and a caret; for editors too.\n\n"
                                 "  --json               the diagnostics as one JSON object on standard output\n"
                                 "  --strict             warnings fail\n" HELP_COMPILE;

static const char help_explain[] =
    "usage: rill explain FILE [options]\n\n"
    "Says of every loop whether it is parallel (proven; if something holds that the launch tests; or assumed on the\n"
    "author's word) or runs in order, with the lines that make it so; then the tasks, what each reads, writes and\n"
    "updates, what is atomic, and how stream_parallel blocks are grouped.\n\n" HELP_COMPILE;

static const char help_emit[] =
    "usage: rill emit KIND FILE [--target T] [options]\n\n"
    "  --ir --plan          Rill's own intermediate forms\n"
    "  --llvm --asm         the code, for --target native (default), x86-64-v3, sm_90, gfx942, …\n"
    "  --ptx --amdgcn       short for --asm with --target sm_90, gfx942\n"
    "  --openmp             the file with OpenMP pragmas on the loops that became tasks\n" HELP_COMPILE;

static const char help_devices[] =
    "usage: rill devices\n\nLists the devices that --device and rill_open take, best first.\n";

static const char help_demo[] =
    "usage: rill demo\n\nCompiles a small simulation, explains its loops, runs it, and shows a refusal.\n";

#endif
