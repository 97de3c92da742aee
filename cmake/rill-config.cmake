# find_package(rill): the target rill::rill, wherever the folder that holds lib/ and include/ was put.
get_filename_component(rill_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET rill::rill)
    add_library(rill::rill SHARED IMPORTED)
    set_target_properties(rill::rill PROPERTIES
        IMPORTED_LOCATION "${rill_prefix}/lib/librill.so"
        IMPORTED_SONAME librill.so.0
        INTERFACE_INCLUDE_DIRECTORIES "${rill_prefix}/include")
endif()
unset(rill_prefix)
