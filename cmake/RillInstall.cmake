# What a user gets: the command, the two libraries, the public headers, and the papers.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(CMAKE_INSTALL_LIBDIR lib)
if(TARGET librill)
    install(TARGETS librill LIBRARY DESTINATION lib)
    install(DIRECTORY include/rill DESTINATION include)
    install(FILES LICENSE NOTICE DESTINATION share/doc/rill)
    # For pkg-config and for find_package(rill). Both find the rest from where they lie themselves.
    configure_file(${PROJECT_SOURCE_DIR}/cmake/rill.pc.in ${PROJECT_BINARY_DIR}/generated/rill.pc @ONLY)
    write_basic_package_version_file(${PROJECT_BINARY_DIR}/generated/rill-config-version.cmake
        COMPATIBILITY SameMinorVersion)
    install(FILES ${PROJECT_BINARY_DIR}/generated/rill.pc DESTINATION lib/pkgconfig)
    install(FILES cmake/rill-config.cmake ${PROJECT_BINARY_DIR}/generated/rill-config-version.cmake
        DESTINATION lib/cmake/rill)
endif()
if(TARGET librill_compiler)
    install(TARGETS librill_compiler LIBRARY DESTINATION lib)
endif()
if(TARGET rill)
    install(TARGETS rill RUNTIME DESTINATION bin)
    install(FILES docs/rill.1 DESTINATION share/man/man1)
    install(FILES docs/completion/rill.bash DESTINATION share/bash-completion/completions RENAME rill)
endif()
