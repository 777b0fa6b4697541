# SPDX-License-Identifier: Apache-2.0
# The files that LOCKBENCH_HEADERS_ONLY installs, and its archive: `cpack --preset headers` makes
# lockbench-primitives-VERSION.tar.gz. Nothing of it depends on the machine's architecture.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(doc ${CMAKE_INSTALL_DATADIR}/doc/lockbench-primitives)
set(package ${CMAKE_INSTALL_DATADIR}/cmake/lockbench)
set(public ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${public_headers}/lockbench DESTINATION ${public} COMPONENT headers)
install(FILES LICENSE DESTINATION ${doc} COMPONENT headers)
install(FILES docs/use.md docs/choosing.md docs/reference.md docs/versioning.md
        DESTINATION ${doc}/docs COMPONENT headers)
install(DIRECTORY examples/use DESTINATION ${doc}/examples COMPONENT headers)

set(has_plugin FALSE)
configure_package_config_file(cmake/lockbenchConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/lockbenchConfig.cmake
                              INSTALL_DESTINATION ${package} PATH_VARS public)
include(cmake/install_config.cmake)

# In the archive alone: its root is a project, too, for FetchContent.
install(FILES LICENSE cmake/archive/CMakeLists.txt cmake/archive/README.md DESTINATION .
        COMPONENT archive EXCLUDE_FROM_ALL)
set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_NAME lockbench-primitives)
set(CPACK_PACKAGE_VENDOR lockbench)
set(CPACK_PACKAGE_FILE_NAME lockbench-primitives-${PROJECT_VERSION})
set(CPACK_COMPONENTS_ALL headers archive)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
include(CPack)
