# The tests: each tests/<dir>/<name>_test.c is one program, <build>/tests/<dir>/<name>_test, and its target is <name>_test
# (<dir>_<name>_test where that name is taken). What it links is settled by its directory. tools/run-tests finds and runs
# them, so there is no list to keep. tests/<dir>/<name>_cases.c is built like them, for a script that runs it.
set(rill_links_unit rill_runtime rill_backend rill_object rill_plan rill_ir rill_base)
set(rill_links_lang rill_lang rill_base)
set(rill_links_ir rill_ir rill_base)
set(rill_links_passes rill_pipeline rill_offload rill_passes rill_analysis rill_lower rill_plan rill_ir rill_lang
    rill_base)
set(rill_links_codegen rill_codegen ${rill_links_passes} rill_object)
set(rill_links_compiler rill_compiler ${rill_links_codegen})
# Kernels run every way there is: through the passes and the interpreter, and by the runtime, which opens
# librill-compiler.so.
set(rill_links_generate rill_runtime rill_backend rill_object ${rill_links_passes})
set(rill_links_conformance librill)
set(rill_links_stress librill)
set(rill_links_oracle ${rill_links_passes})
set(rill_links_fakes rill_codegen rill_backend rill_object rill_plan rill_ir rill_base)

# What several tests share.
rill_sources(support_sources ${PROJECT_SOURCE_DIR}/tests/support)
if(support_sources)
    add_library(rill_test_support STATIC ${support_sources})
    target_include_directories(rill_test_support PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src
        ${PROJECT_SOURCE_DIR}/tests/support)
    target_compile_definitions(rill_test_support PRIVATE RILL_SOURCE_DIR="${rill_tree}")
endif()

# A release builds none of them by itself. What sees the public API alone, and the generator, go with its archive:
# `cmake --build build/release --target archive_tests`.
set(rill_archive_dirs conformance stress generate)
if(NOT RILL_TESTS)
    add_custom_target(archive_tests)
endif()

function(rill_test_program target source)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src
        ${PROJECT_SOURCE_DIR}/tests/support)
    target_compile_definitions(${target} PRIVATE RILL_SOURCE_DIR="${rill_tree}" RILL_BUILD_DIR="${rill_built}")
    rill_link(${target} PRIVATE rill_test_support ${ARGN} Threads::Threads m ${CMAKE_DL_LIBS})
endfunction()

# The stand-in drivers: libraries that are opened by name in place of libcuda.so.1 and libamdhip64.so, and stay open.
# HIP's functions are layers over the bodies of CUDA's, which that library has and does not export.
function(rill_stand_in target map)
    add_library(${target} SHARED ${ARGN} $<TARGET_OBJECTS:rill_object> $<TARGET_OBJECTS:rill_base>)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
    set_target_properties(${target} PROPERTIES C_VISIBILITY_PRESET hidden
        LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/fakes LINK_DEPENDS ${map})
    target_link_options(${target} PRIVATE -Wl,-z,nodelete -Wl,-Bsymbolic -Wl,--version-script=${map})
    if(NOT RILL_SANITIZE)
        target_link_options(${target} PRIVATE -Wl,-z,defs)
    endif()
    target_link_libraries(${target} PRIVATE Threads::Threads m ${CMAKE_DL_LIBS})
endfunction()

rill_sources(fake_sources ${PROJECT_SOURCE_DIR}/tests/fakes/core ${PROJECT_SOURCE_DIR}/tests/fakes/cuda)
rill_sources(fake_hip_sources ${PROJECT_SOURCE_DIR}/tests/fakes/hip)
if(RILL_TESTS AND fake_sources)
    rill_stand_in(fake_cuda ${PROJECT_SOURCE_DIR}/tests/fakes/fake.map ${fake_sources})
    list(REMOVE_ITEM fake_sources ${PROJECT_SOURCE_DIR}/tests/fakes/cuda/table.c)
    rill_stand_in(fake_hip ${PROJECT_SOURCE_DIR}/tests/fakes/fake_hip.map ${fake_sources} ${fake_hip_sources})
    set_target_properties(fake_hip PROPERTIES NO_SONAME ON) # it has that of the runtime, by which Rill finds it
    target_link_options(fake_hip PRIVATE -Wl,-soname,libamdhip64.so.6)
    # A compiler that remembers, for the programs that run on them.
    add_library(keep_images SHARED ${PROJECT_SOURCE_DIR}/tests/fakes/compiler/keep_images.c)
    target_include_directories(keep_images PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
    set_target_properties(keep_images PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/fakes)
    target_link_libraries(keep_images PRIVATE ${CMAKE_DL_LIBS})
    set(rill_stand_ins fake_cuda fake_hip keep_images)
endif()

# isl is an oracle in tests alone. Without it they are built as a program that says so and counts as skipped.
find_path(RILL_ISL_INCLUDE isl/ctx.h)
find_library(RILL_ISL_LIBRARY isl)
mark_as_advanced(RILL_ISL_INCLUDE RILL_ISL_LIBRARY)
if(RILL_ISL_INCLUDE AND RILL_ISL_LIBRARY)
    rill_sources(oracle_sources ${PROJECT_SOURCE_DIR}/tests/oracle)
    list(FILTER oracle_sources EXCLUDE REGEX "(_test|/missing)\\.c$")
elseif(RILL_TESTS)
    message(WARNING "isl is missing (Debian: libisl-dev): tests/oracle is skipped")
endif()

# All programs of a folder, by the target tests_<dir>.
foreach(dir unit lang ir passes codegen compiler conformance generate oracle stress fakes)
    add_custom_target(tests_${dir})
    list(GET rill_links_${dir} 0 first)
    file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${dir}/*_test.c
        ${PROJECT_SOURCE_DIR}/tests/${dir}/*_cases.c)
    if((NOT TARGET ${first} AND NOT dir STREQUAL "unit") OR NOT (RILL_TESTS OR dir IN_LIST rill_archive_dirs))
        continue()
    endif()
    foreach(source IN LISTS sources)
        get_filename_component(name ${source} NAME_WE)
        set(target ${name})
        if(TARGET ${target})
            set(target ${dir}_${name})
        endif()
        set(links ${rill_links_${dir}})
        if(dir STREQUAL "oracle" AND NOT oracle_sources)
            set(source ${PROJECT_SOURCE_DIR}/tests/oracle/missing.c)
        endif()
        add_executable(${target} ${source})
        if(target MATCHES "^(faults|hip_faults|flight|hip_flight|closing|hip_closing|host|hip_host|launches|hip_launches|devices|hip_devices|hip_atomics|steady|order_calls|step_graph|late|many_blocks|lent)_test$") # users of the public API, on the stand-in
            set(links librill)
        endif()
        rill_test_program(${target} ${source} ${links})
        if(dir STREQUAL "oracle" AND oracle_sources)
            target_sources(${target} PRIVATE ${oracle_sources})
            target_include_directories(${target} SYSTEM PRIVATE ${RILL_ISL_INCLUDE})
            target_link_libraries(${target} PRIVATE ${RILL_ISL_LIBRARY})
        endif()
        add_dependencies(tests_${dir} ${target})
        set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name}
            RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/${dir})
        if(NOT RILL_TESTS)
            set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON BUILD_WITH_INSTALL_RPATH ON
                INSTALL_RPATH "$ORIGIN/../../lib")
            target_link_options(${target} PRIVATE -s)
            add_dependencies(archive_tests ${target})
        endif()
        if(dir STREQUAL "generate" AND TARGET librill_compiler)
            add_dependencies(${target} librill_compiler)
        endif()
        if(dir STREQUAL "fakes" OR name MATCHES "^(gpu_run|cache_binary)_test$")
            add_dependencies(${target} ${rill_stand_ins})
        endif()
    endforeach()
endforeach()

if(NOT RILL_TESTS AND NOT RILL_FUZZ)
    return()
endif()
# Fuzz targets: with libFuzzer in the fuzz preset; elsewhere with a main() that replays a corpus.
file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/*_fuzz.c)
foreach(source IN LISTS sources)
    get_filename_component(name ${source} NAME_WE)
    add_executable(${name} ${source})
    set(links ${rill_links_passes} rill_object)
    if(name MATCHES "^(cache|package)_fuzz$")
        set(links ${rill_links_unit})
    endif()
    rill_test_program(${name} ${source} ${links})
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/fuzz)
    if(RILL_FUZZ)
        target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    else()
        target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests/fuzz/replay.c)
    endif()
endforeach()
