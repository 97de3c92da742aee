// The texts of `rill --help` and `rill COMMAND --help`.
#ifndef RILL_CLI_HELP_H
#define RILL_CLI_HELP_H

static const char help_start[] =
    "\n"
    "A kernel file is plain C: the same file builds with any C compiler. Save this as saxpy.c:\n\n"
    "  #include <rill/kernel.h>\n\n"
    "  kernel void saxpy(int n, float a, const float x[n], float y[n])\n"
    "  {\n"
    "      for (int i = 0; i < n; i++)      // independent iterations: a parallel task\n"
    "          y[i] = a * x[i] + y[i];\n"
    "  }\n\n"
    "then\n\n"
    "  rill check saxpy.c                              is it right?\n"
    "  rill explain saxpy.c                            what runs in parallel, and why?\n"
    "  rill run saxpy.c --set n=1000000 --set a=2      run it on all cores\n"
    "  rill emit --ptx saxpy.c                         see the code for a GPU\n\n"
    "rill COMMAND --help says more of one, man rill all of it; rill --version says which rill this is.\n"
    "Exit status: 0 it worked, 1 the source or the kernel failed, 2 the command line is wrong, 3 a file could not be\n"
    "read or written.\n";

#define HELP_COMPILE                                                                                                   \
    "\nHow the file is compiled:\n"                                                                                    \
    "  -D NAME[=VALUE]      define a macro\n"                                                                          \
    "  -I DIR               look for #include \"…\" there too\n"                                                       \
    "  --contract=off       no fused multiply-add: the bits of a plain C build\n"                                      \
    "  --check=bounds       an index out of range is an error that names the place\n"                                  \
    "  --check=races        two iterations that race are an error that names both; --check=bounds,races: both "        \
    "checks\n"                                                                                                         \
    "  --fast-math          trade exact float results for speed\n"

static const char help_run[] =
    "usage: rill run FILE [KERNEL] [--set NAME=VALUE …] [options]\n\n"
    "Compiles FILE (- is standard input) and runs KERNEL, or its only kernel. Shows what the kernel printed, what it\n"
    "returned, the time, and of each array a checksum: the 64-bit FNV-1a of its bytes. Warnings go to standard error.\n"
    "\n"
    "What the kernel gets:\n"
    "  --set NAME=VALUE     a scalar: 1000, -1, 0x10, 1e6, 0.5, inf, nan, true; the shapes of arrays follow from them\n"
    "  --set NAME=COUNT     of a pointer parameter (T *p): its number of elements\n"
    "  --set NAME.MEMBER=V  a scalar inside a struct, also s.inner.x and s.table[3]; the others are zero\n"
    "  --in NAME=FILE.npy   an array's first contents; without it element k starts as k % 251 + 1, struct members\n"
    "                       counted in order\n"
    "What you get:\n"
    "  --out NAME=FILE.npy  the array afterwards, for NumPy\n"
    "  --json               one JSON object: kernel, printed, returned, arrays (name: type, shape, checksum), time_ms\n"
    "  --trace FILE.json    what ran when: 'rill trace FILE.json' draws it, Perfetto opens it\n"
    "  --repeat N           run it N times on the same arrays and show the best time\n"
    "  --device D           one that 'rill devices' lists, or auto (the default)\n" HELP_COMPILE "\nexamples:\n"
    "  rill run saxpy.c --set n=1000000 --set a=2 --repeat 20\n"
    "  rill run heat.c heat --set n=512 --set steps=100 --in t=start.npy --out t=end.npy\n"
    "  RILL_THREADS=1 rill run sum.c --set n=1e6 --json\n";

static const char help_check[] =
    "usage: rill check FILE [--json] [--strict] [options]\n\n"
    "Says what is wrong with FILE (- is standard input), with the line and a caret. A loop that ends up on one thread\n"
    "is a warning that says why. Shows at most 50 errors and 50 warnings, and counts the rest. Exit status 1 if there\n"
    "are errors.\n\n"
    "  --json               the diagnostics as one JSON object on standard output, for editors:\n"
    "                       errors, warnings (how many), diagnostics (severity, file, line, column, text; the first\n"
    "                       50 errors and 1,000 warnings)\n"
    "  --strict             warnings fail too\n" HELP_COMPILE;

static const char help_explain[] =
    "usage: rill explain FILE [options]\n"
    "       rill explain FILE [KERNEL] --set NAME=VALUE … [--device D] [options]\n\n"
    "Says of every loop what it became, with the lines that make it so:\n\n"
    "  parallel, proven     no two iterations touch the same memory, or they only update it\n"
    "  parallel, if …       the launch tests it, else the loop runs in order\n"
    "  parallel, scatter    it only stores to places that are not followed; each keeps the store of its last "
    "iteration\n"
    "  parallel, by atomics, by pragma\n"
    "                       the author's statement that any order will do\n"
    "  in order             an iteration needs one before it; loops inside are looked at the same way\n\n"
    "then the tasks, what each reads, writes and updates, what is atomic and why, and how stream_parallel blocks are\n"
    "grouped.\n\n"
    "With --set or --device: what a launch of KERNEL with these numbers does on the device, and why. Of each nest it "
    "shows\n"
    "which mapping is taken (outer, collapsed, inner, two-level, another order, whole, in order), what was compared, "
    "how\n"
    "iterations are shared out, and how neighbouring ones touch memory. Nothing runs.\n" HELP_COMPILE;

static const char help_emit[] =
    "usage: rill emit KIND FILE [--target T] [--after PASS] [options]\n\n"
    "Writes FILE in another form to standard output.\n\n"
    "  --ir --plan          Rill's own forms: the code, and the tree of tasks that a launch runs\n"
    "  --after=PASS         of --ir: the code as it stands behind this pass, and what the pass has found out as "
    "comments;\n"
    "                       --after=list, or a wrong name, lists the passes in their order\n"
    "  --llvm --asm         the code for --target native (the default), x86-64-v3, sm_90, gfx942, …\n"
    "  --ptx --amdgcn       short for --asm with --target sm_90 and gfx942\n"
    "  --openmp             the C file with OpenMP pragmas on the loops that became tasks\n"
    "  --target T           a wrong name lists them all\n" HELP_COMPILE
    "\nexample: rill emit --openmp saxpy.c > saxpy_omp.c"
    " && gcc -O3 -fopenmp -c saxpy_omp.c\n";

static const char help_build[] =
    "usage: rill build FILE [--target LIST] [-o NAME] [options]\n\n"
    "Compiles FILE ahead of time. NAME.o holds the code, NAME.h has a function for each kernel, with the kernel's own\n"
    "parameters, which the C or C++ compiler checks. A program that includes the one and links the other, with "
    "librill,\n"
    "needs no compiler and no source. Without -o NAME is the file's own, in this folder.\n\n"
    "  --target LIST        what it is compiled for, with commas. What serves most machines is 'portable', which is\n"
    "                       taken without this: CPU code for x86-64 and faster versions for AVX2 and AVX-512, and "
    "PTX,\n"
    "                       which NVIDIA's driver compiles. 'cpu': the CPU code alone; 'native': this processor "
    "alone;\n"
    "                       x86-64-v3, sm_90, gfx942 …: as 'rill emit --target' has them\n"
    "  --prefix P           before the names of the functions\n"
    "  --include HEADER     that declares the structs which kernels take; without it NAME.h does\n"
    "  --depfile FILE       a rule for make and ninja: which files the source includes\n"
    "  --no-source          leaves the source out, from which other devices are served where there is the "
    "compiler\n" HELP_COMPILE "\nexample:\n"
    "  rill build solve.c --target cpu,sm_80,sm_90,gfx942 -o solve && cc main.c solve.o -lrill\n";

static const char help_trace[] =
    "usage: rill trace FILE.json [--svg OUT.svg] [--width N] [--tasks N]\n\n"
    "Draws what ran when, from a file that 'rill run' or any program with RILL_TRACE=FILE.json in its environment\n"
    "wrote (Perfetto opens it too): a row for each stream and each stream_parallel block, then the tasks in the order\n"
    "in which they began, with what each began after: why it did not overlap that.\n\n"
    "  --svg OUT.svg        a drawing for a browser instead; pointing at a task tells all of it\n"
    "  --width N            columns to use; without it those of the terminal, or 80\n"
    "  --tasks N            how many tasks are listed below the drawing: 20 without it\n\n"
    "example: RILL_TRACE=t.json ./program && rill trace t.json\n";

static const char help_devices[] =
    "usage: rill devices [--all]\n\nLists the devices that --device and rill_open take, best first.\n\n"
    "  --all                also kinds of device that are not there, and why\n";

static const char help_cache[] =
    "usage: rill cache list|stats|verify|clear [--folder DIR] [--remove]\n\n"
    "Looks after the folder in which compiles are kept for the next process: the one that RILL_CACHE names, else rill\n"
    "in $XDG_CACHE_HOME or ~/.cache. Nothing there is needed: what is removed is compiled again.\n\n"
    "  list                 the entries, the last used first: when that was, size, kind, name, what it was made of\n"
    "  stats                how many there are, how large, how many are damaged\n"
    "  verify               reads all of them and says which are damaged; exit status 1 if there are some\n"
    "  clear                removes all of them\n\n"
    "  --folder DIR         another folder\n"
    "  --remove             of verify: removes what is damaged\n";

static const char help_doctor[] =
    "usage: rill doctor [--quick] [--device D]\n\n"
    "Says which libraries, devices, limits and RILL_ variables are found, where the cache of compiles is and whether\n"
    "it can be used, and of what is missing or closed to this user the command that mends it. Then tries the cache,\n"
    "runs small kernels on each device and says what a launch, an event, a fork and join cost and whether two\n"
    "streams overlap, beside the driver's own calls on cuda:0 and a thread of the C library on cpu. Exit status 1 if\n"
    "something is to be mended.\n\n"
    "  --quick              no measurement, and the cache is only looked at\n"
    "  --device D           measure this one alone\n";

static const char help_selftest[] =
    "usage: rill selftest [--device D] [--jobs N] [--time SECONDS] [--report[=FILE]]\n\n"
    "Runs a small kernel and then the conformance programs that lie in ../tests/conformance, seen from this program, "
    "as\n"
    "they do in a release's archive and in a build. Says first how long that may take, then a line of each program "
    "when\n"
    "it ends, then what did not pass. Exit status 1 if one does not pass.\n\n"
    "  --device D           one that 'rill devices' lists, or auto (the default)\n"
    "  --jobs N             programs at once; as many as there are cores, at most 8, without it\n"
    "  --time SECONDS       what still runs after that time is ended, and named; 600 without it\n"
    "  --report[=FILE]      what happened, with the devices, the system's version and the end of what failing "
    "programs\n"
    "                       wrote, in rill-selftest-D.txt or FILE: to be sent to us\n";

static const char help_demo[] =
    "usage: rill demo\n\n"
    "Shows the devices, compiles a small simulation, explains its loops, runs it and compares every bit with the same\n"
    "file built by gcc; draws two kernels one after the other, on two streams and as blocks; and shows what happens "
    "to\n"
    "a kernel with a conflict and to one whose index is out of range.\n";

#endif
