# The math library of GPU kernels: our own functions (library/*.c, which clang of LLVM's version makes bitcode of) and
# libclc's bitcode for the rest, joined and trimmed by a program that is built and run here.
find_file(RILL_LIBCLC nvptx64--.bc PATHS /usr/lib/clc /usr/share/clc /usr/lib/llvm-22/share/clc NO_DEFAULT_PATH)
find_program(RILL_BITCODE_CLANG NAMES clang-22)
if(NOT RILL_LIBCLC)
    message(STATUS "libclc not found: kernels for GPUs will have no math functions beyond the hardware's")
    set(rill_libclc ${CMAKE_CURRENT_BINARY_DIR}/no-libclc)
else()
    set(rill_libclc ${RILL_LIBCLC})
endif()
set(rill_own_math)
if(NOT RILL_BITCODE_CLANG)
    message(STATUS "clang-22 not found: kernels for GPUs will have no math functions beyond the hardware's")
else()
    file(GLOB sources CONFIGURE_DEPENDS ${folder}/library/*.c)
    list(REMOVE_ITEM sources ${folder}/library/trim.c)
    foreach(source ${sources})
        get_filename_component(name ${source} NAME_WE)
        set(bitcode ${PROJECT_BINARY_DIR}/generated/${name}.bc)
        # Contraction is written out in the source. The triple is libclc's; math_library.c sets the kernel's own.
        add_custom_command(OUTPUT ${bitcode}
            COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/generated
            COMMAND ${RILL_BITCODE_CLANG} --target=nvptx64-- -std=c11 -O2 -ffp-contract=off -fno-math-errno
                -ffreestanding -fno-convergent-functions -fno-vectorize -fno-slp-vectorize -Wall -Wextra -Werror
                -I${PROJECT_SOURCE_DIR}/src
                -emit-llvm -c ${source} -o ${bitcode}
            DEPENDS ${source} ${folder}/library/float.h ${folder}/library/double.h VERBATIM)
        list(APPEND rill_own_math ${bitcode})
    endforeach()
endif()
add_executable(rill_trim ${folder}/library/trim.c)
target_link_libraries(rill_trim PRIVATE rill_llvm)
if(RILL_STATIC_LLVM)
    set_target_properties(rill_trim PROPERTIES LINKER_LANGUAGE CXX)
endif()
set(rill_math_library ${PROJECT_BINARY_DIR}/generated/math_library.c)
add_custom_command(OUTPUT ${rill_math_library}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/generated
    COMMAND ${CMAKE_COMMAND} -E env ASAN_OPTIONS=detect_leaks=0 $<TARGET_FILE:rill_trim> ${rill_math_library}
        ${rill_libclc} ${rill_own_math}
    DEPENDS rill_trim ${rill_own_math} VERBATIM)
target_sources(rill_codegen PRIVATE ${rill_math_library})
