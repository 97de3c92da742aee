# The targets of src/, examples/ and bench/. A folder that is missing or empty makes no target, and whatever links it
# links what is there.

# The C files of some folders, looked for again at each build.
function(rill_sources out)
    set(found)
    foreach(folder IN LISTS ARGN)
        file(GLOB here CONFIGURE_DEPENDS ${folder}/*.c)
        list(APPEND found ${here})
    endforeach()
    set(${out} ${found} PARENT_SCOPE)
endfunction()

# Links |target| with those of the given libraries that exist.
function(rill_link target visibility)
    foreach(library IN LISTS ARGN)
        if(TARGET ${library} OR NOT library MATCHES "^(rill_|librill)")
            target_link_libraries(${target} ${visibility} ${library})
        endif()
    endforeach()
endfunction()

set(rill_whole_folders base plan object backend runtime)
set(rill_whole OFF)
set(rill_whole_options)
if(RILL_STATIC_LLVM AND CMAKE_C_COMPILER_ID STREQUAL GNU AND NOT RILL_SANITIZE)
    set(rill_whole ON)
    # gcc clears and copies structs of more than 32 bytes by `rep stos` and `rep movs`, and so it does what a loop over a
    # few arguments clears: that takes longer to begin than a launch's small ones need in all.
    list(APPEND rill_whole_options -fno-tree-loop-distribute-patterns)
    # Code that a launch runs after a pause is not in the caches: what lies between its parts would be fetched too.
    list(APPEND rill_whole_options -fno-align-functions -fno-align-jumps -fno-align-labels -fno-align-loops)
    if(CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64)
        foreach(what memset memcpy)
            list(APPEND rill_whole_options -m${what}-strategy=vector_loop:512:noalign,libcall:-1:noalign)
        endforeach()
    endif()
endif()

# rill_folder(name [SUBFOLDERS ...] [LIBS ...]): the static library rill_<name> from src/<name>. If the folder has an
# extra.cmake (generated sources, for instance), it is read once the target exists.
function(rill_folder name)
    cmake_parse_arguments(arg "" "" "SUBFOLDERS;LIBS" ${ARGN})
    set(folder ${PROJECT_SOURCE_DIR}/src/${name})
    set(folders ${folder})
    foreach(subfolder IN LISTS arg_SUBFOLDERS)
        list(APPEND folders ${folder}/${subfolder})
    endforeach()
    rill_sources(sources ${folders})
    if(NOT sources)
        return()
    endif()
    add_library(rill_${name} STATIC ${sources})
    target_include_directories(rill_${name} PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
    rill_link(rill_${name} PUBLIC ${arg_LIBS})
    # A launch passes through many small functions of several folders: a release optimises librill.so as a whole. Whatever
    # else links these objects takes the ordinary code that they have too.
    if(rill_whole AND name IN_LIST rill_whole_folders)
        target_compile_options(rill_${name} PRIVATE -flto -ffat-lto-objects ${rill_whole_options})
    endif()
    include(${folder}/extra.cmake OPTIONAL)
endfunction()

# rill_shared_library(target NAME n FOLDERS ... EXPORTS version-script [LIBS ...])
function(rill_shared_library target)
    cmake_parse_arguments(arg "" "NAME;EXPORTS" "FOLDERS;LIBS" ${ARGN})
    set(objects)
    foreach(folder IN LISTS arg_FOLDERS)
        if(TARGET rill_${folder})
            list(APPEND objects $<TARGET_OBJECTS:rill_${folder}>)
        endif()
    endforeach()
    list(GET arg_FOLDERS -1 last)
    if(NOT TARGET rill_${last}) # the library's reason to exist is not there yet
        return()
    endif()
    add_library(${target} SHARED ${objects})
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${arg_NAME} LINK_DEPENDS ${arg_EXPORTS} LINKER_LANGUAGE C)
    # A name of ours stays ours, whatever else in the process has it too: gdb's two names, for instance.
    target_link_options(${target} PRIVATE -Wl,--version-script=${arg_EXPORTS} -Wl,-Bsymbolic)
    if(NOT RILL_SANITIZE)
        target_link_options(${target} PRIVATE -Wl,-z,defs)
    endif()
    if(RILL_STATIC_LLVM)
        if("rill_llvm" IN_LIST arg_LIBS)
            target_link_options(${target} PRIVATE -s)
            set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX SKIP_BUILD_RPATH ON)
        else()
            # Names stay, for backtraces.
            target_link_options(${target} PRIVATE -Wl,--strip-debug)
            if(rill_whole)
                # In one part, so that what a launch runs lies side by side: see base/hot.h.
                target_link_options(${target} PRIVATE -flto -flto-partition=one ${rill_whole_options})
            endif()
        endif()
    endif()
    rill_link(${target} PRIVATE ${arg_LIBS} Threads::Threads m ${CMAKE_DL_LIBS})
endfunction()

# Where programs look for their files if those are not above them; a release knows nothing of the machine it was built on.
set(rill_tree ${PROJECT_SOURCE_DIR})
set(rill_built ${PROJECT_BINARY_DIR})
if(RILL_STATIC_LLVM)
    set(rill_tree .)
    set(rill_built .)
endif()

# Makes |target| a user's program: it sees the public headers and librill.so.
function(rill_program target)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include)
    target_link_libraries(${target} PRIVATE librill Threads::Threads m)
endfunction()

# Each .c file straight in |folder| is a program of its own, <build>/<folder>/<name>; those in |folder|/<name>/ are parts
# of it.
function(rill_programs folder)
    rill_sources(sources ${PROJECT_SOURCE_DIR}/${folder})
    if(NOT TARGET librill)
        return()
    endif()
    foreach(source IN LISTS sources)
        get_filename_component(name ${source} NAME_WE)
        rill_sources(parts ${PROJECT_SOURCE_DIR}/${folder}/${name})
        add_executable(${folder}_${name} ${source} ${parts})
        rill_program(${folder}_${name})
        target_include_directories(${folder}_${name} PRIVATE ${PROJECT_SOURCE_DIR}/${folder}/${name}
            ${PROJECT_SOURCE_DIR}/tests/support) # tree.h
        target_compile_definitions(${folder}_${name} PRIVATE RILL_SOURCE_DIR="${rill_tree}") # its kernel files
        set_target_properties(${folder}_${name} PROPERTIES OUTPUT_NAME ${name}
            RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${folder})
        if(RILL_STATIC_LLVM) # they travel with the libraries
            set_target_properties(${folder}_${name} PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN/../lib:$ORIGIN/../../lib")
        endif()
    endforeach()
endfunction()
