# Finds LLVM 22 through its llvm-config and makes the target rill_llvm: headers and libraries. Without it everything but
# codegen, compiler and librill-compiler.so is built, and librill says at the first compile what is missing.
set(RILL_LLVM_CONFIG "" CACHE FILEPATH "llvm-config of LLVM 22; found by itself if empty")
set(RILL_LLVM_FOUND FALSE)

# Only what the three targets need: "all" would drag in every back end LLVM has.
set(RILL_LLVM_COMPONENTS core support target analysis passes ipo linker bitreader bitwriter irreader instrumentation
    x86codegen x86asmparser x86desc x86info nvptxcodegen nvptxdesc nvptxinfo
    amdgpucodegen amdgpuasmparser amdgpudesc amdgpuinfo)

find_program(rill_llvm_config_found NAMES llvm-config-22 llvm-config HINTS /usr/lib/llvm-22/bin NO_CACHE)
if(RILL_LLVM_CONFIG)
    set(rill_llvm_config_found ${RILL_LLVM_CONFIG})
endif()

function(rill_llvm_config out)
    execute_process(COMMAND ${rill_llvm_config_found} ${ARGN} OUTPUT_VARIABLE text RESULT_VARIABLE result
        OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT result EQUAL 0)
        message(FATAL_ERROR "${rill_llvm_config_found} ${ARGN} failed: ${result}")
    endif()
    separate_arguments(text UNIX_COMMAND "${text}")
    set(${out} ${text} PARENT_SCOPE)
endfunction()

if(rill_llvm_config_found)
    rill_llvm_config(rill_llvm_version --version)
    if(rill_llvm_version MATCHES "^22\\.")
        set(RILL_LLVM_FOUND TRUE)
    elseif(RILL_LLVM_CONFIG)
        message(FATAL_ERROR "${RILL_LLVM_CONFIG} is LLVM ${rill_llvm_version}; Rill needs 22")
    endif()
endif()

if(RILL_LLVM_FOUND)
    rill_llvm_config(rill_llvm_include --includedir)
    rill_llvm_config(rill_llvm_libdir --libdir)
    rill_llvm_config(RILL_LLVM_BINDIR --bindir)
    add_library(rill_llvm INTERFACE)
    target_include_directories(rill_llvm SYSTEM INTERFACE ${rill_llvm_include})
    if(RILL_STATIC_LLVM)
        # z3 and libxml2 are in LLVM's list for parts that Rill does not link; zlib and zstd are taken as archives, so
        # that the result needs libc and libm only.
        rill_llvm_config(rill_llvm_libs --link-static --libs ${RILL_LLVM_COMPONENTS})
        target_link_libraries(rill_llvm INTERFACE ${rill_llvm_libs} -l:libz.a -l:libzstd.a m ${CMAKE_DL_LIBS})
        # gcc looks for ld.lld in the -B folder first: the lld-14 of Debian 12 makes a library that glibc refuses.
        target_link_options(rill_llvm INTERFACE -B${RILL_LLVM_BINDIR} -fuse-ld=lld -Wl,--icf=all -Wl,--gc-sections
            -static-libstdc++ -static-libgcc)
    else()
        rill_llvm_config(rill_llvm_libs --link-shared --libs)
        target_link_libraries(rill_llvm INTERFACE ${rill_llvm_libs})
    endif()
    target_link_directories(rill_llvm INTERFACE ${rill_llvm_libdir})
    message(STATUS "LLVM ${rill_llvm_version}: ${rill_llvm_config_found}")
else()
    message(STATUS "LLVM 22 not found: building without the compiler (-DRILL_LLVM_CONFIG=/path/to/llvm-config)")
endif()
