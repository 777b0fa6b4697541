# SPDX-License-Identifier: Apache-2.0
# cpack -G DEB: the packages `lockbench`, the program, and `liblockbench-dev`, the headers.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME lockbench)
set(CPACK_PACKAGE_VENDOR "lockbench")
set(CPACK_PACKAGE_CONTACT "lockbench maintainers <maintainers@lockbench.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program dev)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME lockbench)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS python3)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS
    "python3-jinja2, python3-matplotlib, python3-pandas, python3-scipy")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "liblockbench-dev, graphviz, linux-perf, spin")
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "benchmark and stress test for locking by key
 Measures one global lock, a mutex per key, hashed stripes, reentrant locks and
 queues of leases on this machine, beside what people would pick instead, and
 shows the figures only of trials that proved that no update was lost. Looks
 for ways to break a lock: by every interleaving of small programs, simulated,
 and by threads that are disturbed.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME liblockbench-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
# The packages that the headers include. Only headers of other libraries' locks need the last ones.
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libc6-dev | libc-dev, libstdc++-12-dev | libstdc++-dev")
set(CPACK_DEBIAN_DEV_PACKAGE_RECOMMENDS "cmake, pkgconf | pkg-config")
set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS "lockbench, libabsl-dev, libtbb-dev")
set(CPACK_DEBIAN_DEV_PACKAGE_MULTIARCH same)  # ignored by CMake before 3.31
set(CPACK_COMPONENT_DEV_DESCRIPTION "locks by key, and lockbench's plug-in interface
 Headers in C++20: a mutex for every key in use, hashed stripes, a reentrant
 lock, queues of leases. With them what locks of your own need to be measured
 by lockbench, as plug-ins in C++ or by a C interface.")

# The files that Debian wants in every package. Only gzip without a date makes the same file twice.
set(debian ${PROJECT_BINARY_DIR}/debian)
file(MAKE_DIRECTORY ${debian})
configure_file(cmake/debian/copyright ${debian}/copyright COPYONLY)
find_program(GZIP gzip)
if(GZIP)
  foreach(man lockbench lockbench-micro)
    execute_process(COMMAND ${GZIP} -9nc ${PROJECT_SOURCE_DIR}/docs/man/${man}.1
                    OUTPUT_FILE ${debian}/${man}.1.gz)
  endforeach()
  execute_process(COMMAND ${GZIP} -9nc ${PROJECT_SOURCE_DIR}/cmake/debian/changelog
                  OUTPUT_FILE ${debian}/changelog.gz)
  install(FILES ${debian}/changelog.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/lockbench
          COMPONENT program)
  install(FILES ${debian}/changelog.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/liblockbench-dev
          COMPONENT dev)
  install(FILES ${debian}/lockbench.1.gz ${debian}/lockbench-micro.1.gz
          DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
endif()
install(FILES ${debian}/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/lockbench
        COMPONENT program)
install(FILES ${debian}/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/liblockbench-dev
        COMPONENT dev)

include(CPack)
