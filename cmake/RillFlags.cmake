# How everything is compiled: C11 with POSIX and GNU interfaces visible, warnings as errors, hidden symbols.
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tools) # rill itself and the tests say otherwise
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/archive)

find_package(Threads REQUIRED)

add_compile_definitions(_GNU_SOURCE RILL_VERSION="${PROJECT_VERSION}")
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Werror $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes>)
# Nothing in Rill may depend on whether the compiler fuses a multiplication and an addition.
add_compile_options(-ffp-contract=off -fno-strict-aliasing)
# The longest path in a message is the one in the tree, also when the build directory is elsewhere.
add_compile_options(-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
add_link_options(-Wl,-z,relro,-z,now)

if(RILL_SANITIZE)
    add_compile_definitions(RILL_IS_SANITIZED)
    # The function sanitizer reads a word before the entry of what is called, which code made at run time does not have.
    add_compile_options(-fsanitize=${RILL_SANITIZE} -fno-sanitize=function -fno-sanitize-recover=all
        -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${RILL_SANITIZE})
    # Each program has the sanitizer's runtime in it: the linker of LLVM takes a fifth of the time of the system's.
    find_program(RILL_LLD NAMES ld.lld-22 HINTS /usr/lib/llvm-22/bin)
    if(RILL_LLD AND CMAKE_C_COMPILER_ID STREQUAL Clang)
        add_link_options(-fuse-ld=lld)
    endif()
endif()
if(RILL_STATIC_LLVM)
    add_compile_options($<$<COMPILE_LANGUAGE:C>:-include$<SEMICOLON>${PROJECT_SOURCE_DIR}/cmake/older_glibc.h>)
endif()
if(RILL_COVERAGE)
    add_compile_options(-fprofile-instr-generate -fcoverage-mapping)
    add_link_options(-fprofile-instr-generate -fcoverage-mapping)
endif()
if(RILL_FUZZ)
    add_compile_options(-fsanitize=fuzzer-no-link)
endif()
