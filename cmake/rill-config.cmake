# find_package(rill): the targets rill::rill and rill::command, and rill_add_kernels(), wherever the folder that holds lib/ and include/ was put.
get_filename_component(rill_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET rill::rill)
    add_library(rill::rill SHARED IMPORTED)
    set_target_properties(rill::rill PROPERTIES
        IMPORTED_LOCATION "${rill_prefix}/lib/librill.so"
        IMPORTED_SONAME librill.so.0
        INTERFACE_INCLUDE_DIRECTORIES "${rill_prefix}/include")
endif()
if(NOT TARGET rill::command)
    add_executable(rill::command IMPORTED)
    set_target_properties(rill::command PROPERTIES IMPORTED_LOCATION "${rill_prefix}/bin/rill")
endif()
unset(rill_prefix)

# rill_add_kernels(TARGET FILE.c … [TARGETS T …] [PREFIX P] [INCLUDE HEADER] [NO_SOURCE] [OPTIONS O …])
#
# Compiles kernel files ahead of time with `rill build`: the objects become part of TARGET, an executable or a library, and
# FILE.h is found by its #include lines. TARGET links rill::rill itself. TARGETS are those of `rill build --target`, OPTIONS
# whatever else it takes (-D, -I, --check=bounds …). What a kernel file includes is looked at in each build.
function(rill_add_kernels target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "NO_SOURCE" "PREFIX;INCLUDE" "TARGETS;OPTIONS")
    if(NOT TARGET ${target})
        message(FATAL_ERROR "rill_add_kernels: there is no target '${target}': add_executable() or add_library() comes first")
    endif()
    if(NOT arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "rill_add_kernels: which kernel files, for '${target}'?")
    endif()
    set(options ${arg_OPTIONS})
    if(arg_TARGETS)
        string(REPLACE ";" "," targets "${arg_TARGETS}")
        list(APPEND options --target ${targets})
    endif()
    foreach(name PREFIX INCLUDE)
        if(arg_${name})
            string(TOLOWER ${name} option)
            list(APPEND options --${option} ${arg_${name}})
        endif()
    endforeach()
    if(arg_NO_SOURCE)
        list(APPEND options --no-source)
    endif()
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/rill-kernels/${target})
    file(MAKE_DIRECTORY ${folder})
    foreach(file IN LISTS arg_UNPARSED_ARGUMENTS)
        get_filename_component(path ${file} ABSOLUTE)
        get_filename_component(name ${file} NAME_WLE)
        if(NOT EXISTS ${path} AND NOT IS_ABSOLUTE ${file})
            message(FATAL_ERROR "rill_add_kernels: there is no file '${path}'")
        endif()
        get_target_property(names ${target} RILL_KERNEL_NAMES)
        if(name IN_LIST names)
            message(FATAL_ERROR "rill_add_kernels: '${target}' has kernels of another file ${name}.c: both would be ${name}.h")
        endif()
        set_property(TARGET ${target} APPEND PROPERTY RILL_KERNEL_NAMES ${name})
        add_custom_command(OUTPUT ${folder}/${name}.o ${folder}/${name}.h
            COMMAND rill::command build ${path} -o ${folder}/${name} --depfile ${folder}/${name}.d ${options}
            DEPENDS ${path} rill::command
            DEPFILE ${folder}/${name}.d
            COMMENT "Building kernels ${name}.c ahead of time"
            VERBATIM)
        set_source_files_properties(${folder}/${name}.o PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
        target_sources(${target} PRIVATE ${folder}/${name}.o ${folder}/${name}.h)
    endforeach()
    target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${folder}>)
endfunction()
