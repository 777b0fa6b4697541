# SPDX-License-Identifier: Apache-2.0
# The package files of CMake and of pkg-config. Its includer has set `package`, where CMake's go,
# and made lockbenchConfig.cmake.
set(component dev)
set(any_architecture)
if(LOCKBENCH_HEADERS_ONLY)
  set(component headers)
  set(any_architecture ARCH_INDEPENDENT)
endif()
# Before 1.0 a minor version may change what the major one promises, see docs/versioning.md.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/lockbenchConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion ${any_architecture})
install(FILES ${PROJECT_BINARY_DIR}/lockbenchConfig.cmake
              ${PROJECT_BINARY_DIR}/lockbenchConfigVersion.cmake
        DESTINATION ${package} COMPONENT ${component})

# Relative to the file itself, so that the tree can be moved.
set(pkgconfig ${CMAKE_INSTALL_DATADIR}/pkgconfig)
file(RELATIVE_PATH up /${pkgconfig} /)
configure_file(cmake/lockbench-primitives.pc.in ${PROJECT_BINARY_DIR}/lockbench-primitives.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/lockbench-primitives.pc DESTINATION ${pkgconfig}
        COMPONENT ${component})
