# Writes a C file that holds the built-in headers as text:
#     cmake -DOUT=file.c -DSTANDARD=folder -DOWN=folder -P embed.cmake
# STANDARD is a folder of headers by their own names; of OWN those for kernels become rill/…. The table is ordered by name.

file(GLOB standard RELATIVE ${STANDARD} ${STANDARD}/*.h)
set(names ${standard} rill/kernel.h rill/vec.h rill/vec_of.h rill/mat_of.h rill/eigen_of.h
    rill/algorithms.h rill/algorithms_of.h rill/bounds_of.h rill/histogram_of.h rill/merge_of.h rill/partition_of.h
    rill/run_sums_of.h rill/runs_of.h rill/scan_of.h rill/sort_of.h rill/transpose_of.h)
list(SORT names)

set(texts "")
set(table "")
set(number 0)
foreach(name IN LISTS names)
    set(path ${STANDARD}/${name})
    if(name MATCHES "^rill/(.*)")
        set(path ${OWN}/${CMAKE_MATCH_1})
    endif()
    file(READ ${path} bytes HEX)
    string(LENGTH "${bytes}" length)
    math(EXPR length "${length} / 2")
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
    string(APPEND texts "static const unsigned char text_${number}[] = {${bytes}0};\n")
    string(APPEND table "    {\"${name}\", (const char *)text_${number}, ${length}},\n")
    math(EXPR number "${number} + 1")
endforeach()

set(source "// Made by cmake/embed.cmake.\n#include \"lang/headers.h\"\n\n${texts}\n")
string(APPEND source "const struct builtin_header builtin_headers[] = {\n${table}};\n")
string(APPEND source "const size_t builtin_header_count = ${number};\n")
file(WRITE ${OUT} "${source}")
