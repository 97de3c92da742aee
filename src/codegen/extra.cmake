# The math library of GPU kernels: libclc's bitcode, trimmed by a program that is built and run here.
find_file(RILL_LIBCLC nvptx64--.bc PATHS /usr/lib/clc /usr/share/clc /usr/lib/llvm-22/share/clc NO_DEFAULT_PATH)
if(NOT RILL_LIBCLC)
    message(STATUS "libclc not found: kernels for GPUs will have no math functions beyond the hardware's")
    set(rill_libclc ${CMAKE_CURRENT_BINARY_DIR}/no-libclc)
else()
    set(rill_libclc ${RILL_LIBCLC})
endif()
add_executable(rill_trim ${folder}/library/trim.c)
target_link_libraries(rill_trim PRIVATE rill_llvm)
if(RILL_STATIC_LLVM)
    set_target_properties(rill_trim PROPERTIES LINKER_LANGUAGE CXX)
endif()
set(rill_math_library ${PROJECT_BINARY_DIR}/generated/math_library.c)
add_custom_command(OUTPUT ${rill_math_library}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/generated
    COMMAND ${CMAKE_COMMAND} -E env ASAN_OPTIONS=detect_leaks=0 $<TARGET_FILE:rill_trim> ${rill_libclc} ${rill_math_library}
    DEPENDS rill_trim VERBATIM)
target_sources(rill_codegen PRIVATE ${rill_math_library})
