# rill._core, the extension of the Python package: <build>/python/rill is a package that can be imported, its Python files
# links to those in the tree. One file serves CPython 3.9 and every later version, whichever one's headers are here.
# Sanitizers want the interpreter built with them too: their builds go without.
find_program(RILL_PYTHON NAMES python3)
if(RILL_PYTHON AND NOT RILL_PYTHON_INCLUDE)
    execute_process(COMMAND ${RILL_PYTHON} -c "import sysconfig; print(sysconfig.get_path('include'))"
        OUTPUT_VARIABLE folder OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    find_path(RILL_PYTHON_INCLUDE Python.h HINTS ${folder} PATHS /usr/include/python3.11)
endif()
if(NOT TARGET librill OR RILL_SANITIZE OR RILL_COVERAGE OR NOT RILL_PYTHON_INCLUDE)
    return()
endif()
rill_sources(python_sources ${PROJECT_SOURCE_DIR}/python/src)
add_library(rill_python MODULE ${python_sources})
target_include_directories(rill_python PRIVATE ${PROJECT_SOURCE_DIR}/include)
target_include_directories(rill_python SYSTEM PRIVATE ${RILL_PYTHON_INCLUDE})
# CPython keeps functions of several kinds under one type, and as void pointers.
target_compile_options(rill_python PRIVATE -Wno-cast-function-type -Wno-pedantic)
target_link_libraries(rill_python PRIVATE librill)
set_target_properties(rill_python PROPERTIES PREFIX "" OUTPUT_NAME _core SUFFIX .abi3.so
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/python/rill
    BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN/lib:$ORIGIN/../../lib") # in a wheel; in a build
file(GLOB_RECURSE python_files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/python/rill
    ${PROJECT_SOURCE_DIR}/python/rill/*.py ${PROJECT_SOURCE_DIR}/python/rill/*.pyi ${PROJECT_SOURCE_DIR}/python/rill/py.typed)
foreach(file IN LISTS python_files)
    get_filename_component(folder ${PROJECT_BINARY_DIR}/python/rill/${file} DIRECTORY)
    file(MAKE_DIRECTORY ${folder})
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/python/rill/${file} ${PROJECT_BINARY_DIR}/python/rill/${file} SYMBOLIC)
endforeach()
