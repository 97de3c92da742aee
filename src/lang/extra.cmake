# The built-in headers become a C file of this library.
file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/lang/include/*.h)
file(GLOB own CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/rill/*.h)
set(embedded ${PROJECT_BINARY_DIR}/generated/lang_headers_text.c)
add_custom_command(OUTPUT ${embedded}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/generated
    COMMAND ${CMAKE_COMMAND} -DOUT=${embedded} -DSTANDARD=${PROJECT_SOURCE_DIR}/src/lang/include
        -DOWN=${PROJECT_SOURCE_DIR}/include/rill -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${headers} ${own} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    VERBATIM)
target_sources(rill_lang PRIVATE ${embedded})
