# SPDX-License-Identifier: Apache-2.0
# The files that are installed, and their places. Two components: `program`, and `dev`: headers, the
# plug-in's part of the measured loop, and the package files. Nothing of it knows the place that it
# was built in.
#
# On Debian, what depends on the architecture goes into that architecture's folder.
if(NOT DEFINED CMAKE_INSTALL_LIBDIR AND CMAKE_LIBRARY_ARCHITECTURE AND EXISTS /etc/debian_version)
  set(CMAKE_INSTALL_LIBDIR lib/${CMAKE_LIBRARY_ARCHITECTURE} CACHE PATH "Object code libraries")
endif()
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(share ${CMAKE_INSTALL_DATADIR}/lockbench)
install(TARGETS lockbench lockbench-micro RUNTIME COMPONENT program)
# Capabilities add theirs to these properties.
get_property(engines GLOBAL PROPERTY LOCKBENCH_ENGINES)
foreach(engine lockbench-sim lockbench-real lockbench-proc ${engines})
  if(TARGET ${engine})
    install(TARGETS ${engine} RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/lockbench
                                      COMPONENT program)
  endif()
endforeach()
get_property(commands GLOBAL PROPERTY LOCKBENCH_COMMAND_PROGRAMS)
install(TARGETS ${commands} RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/lockbench/commands
                                    COMPONENT program)
get_property(loaded_by_engines GLOBAL PROPERTY LOCKBENCH_LOADED_BY_ENGINES)
if(loaded_by_engines)
  install(TARGETS ${loaded_by_engines} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/lockbench
                                               COMPONENT program)
endif()
get_property(preloaded GLOBAL PROPERTY LOCKBENCH_PRELOADED)
if(preloaded)
  # Executable, as find_engine() wants it; Debian's CMake installs libraries that are not.
  install(TARGETS ${preloaded}
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/lockbench
                  PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                              WORLD_READ WORLD_EXECUTE
                  COMPONENT program)
endif()
# The files that the programs find beside themselves have the paths that they have in the checkout.
install(DIRECTORY workloads/presets DESTINATION ${share}/workloads COMPONENT program)
install(DIRECTORY scripts/commands DESTINATION ${share}/scripts COMPONENT program
        USE_SOURCE_PERMISSIONS PATTERN __pycache__ EXCLUDE)
foreach(kind presets machines python)
  file(GLOB folders RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/harness/*/${kind})
  foreach(folder ${folders})
    cmake_path(GET folder PARENT_PATH capability)
    install(DIRECTORY ${folder} DESTINATION ${share}/${capability} COMPONENT program
            USE_SOURCE_PERMISSIONS PATTERN __pycache__ EXCLUDE PATTERN laboratory EXCLUDE)
  endforeach()
endforeach()
install(FILES cmake/completion/lockbench.bash RENAME lockbench
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
install(FILES cmake/completion/_lockbench
        DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT program)

# The locks' headers by their public names; and below a folder of their own by the names that they
# have in the checkout, as what plug-ins need in addition.
set(headers ${CMAKE_INSTALL_INCLUDEDIR}/lockbench/headers)
set(public ${CMAKE_INSTALL_INCLUDEDIR})
set(archives ${CMAKE_INSTALL_LIBDIR})
set(staged ${PROJECT_BINARY_DIR}/generated/installed)
install(CODE "include(${PROJECT_SOURCE_DIR}/cmake/public_headers.cmake)
              set(source ${PROJECT_SOURCE_DIR})
              lockbench_list_headers(
                names \${source} internal platform platform/portable platform/simulated
                platform/windows peers as_published)
              lockbench_write_public_headers(\${source} ${staged} \${names})
              lockbench_write_forwards(
                ${staged}/primitives \"#include <lockbench/NAME>\" \${names})"
        COMPONENT dev)
install(DIRECTORY ${staged}/lockbench DESTINATION ${public} COMPONENT dev)
install(DIRECTORY ${staged}/primitives DESTINATION ${headers} COMPONENT dev)
install(DIRECTORY workloads DESTINATION ${headers} COMPONENT dev
        FILES_MATCHING PATTERN *.h
        PATTERN presets EXCLUDE PATTERN database EXCLUDE)
install(DIRECTORY harness/bench/measure DESTINATION ${headers}/harness/bench COMPONENT dev
        FILES_MATCHING PATTERN *.h)
install(DIRECTORY harness/plugin DESTINATION ${headers}/harness COMPONENT dev
        FILES_MATCHING PATTERN *.h
        PATTERN public EXCLUDE)
install(FILES ${PROJECT_BINARY_DIR}/generated/harness/plugin/version.h
        DESTINATION ${headers}/harness/plugin COMPONENT dev)
install(FILES harness/bench/catalog/entry.h harness/bench/catalog/line.h harness/bench/catalog/workloads.h
        DESTINATION ${headers}/harness/bench/catalog COMPONENT dev)
install(FILES harness/bench/plan/cell.h DESTINATION ${headers}/harness/bench/plan COMPONENT dev)
install(FILES harness/stress/forms.h harness/stress/lock_adapter.h harness/stress/lock_promises.h
              harness/stress/registered_lock.h harness/stress/several_keys.h
              harness/stress/shared_holds.h harness/stress/stopped_waits.h
              harness/stress/wrapped_members.h
        DESTINATION ${headers}/harness/stress COMPONENT dev)
install(FILES harness/stress/litmus/capacity_lock.h harness/stress/litmus/keys.h harness/stress/litmus/lock_limits.h
              harness/stress/litmus/lock_under_test.h harness/stress/litmus/readers_order.h
        DESTINATION ${headers}/harness/stress/litmus COMPONENT dev)
install(DIRECTORY harness/plugin/public/lockbench DESTINATION ${public} COMPONENT dev)
# The forms of plug-ins that capabilities add (cmake/lockbench_add_plugin.cmake).
file(GLOB forms RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/harness/*/plugin)
foreach(form ${forms})
  cmake_path(GET form PARENT_PATH capability)
  install(DIRECTORY ${form} DESTINATION ${headers}/${capability} COMPONENT dev
          FILES_MATCHING PATTERN *.h PATTERN public EXCLUDE)
  install(DIRECTORY ${form}/public/lockbench DESTINATION ${public} COMPONENT dev)
endforeach()
install(TARGETS lockbench_loop lockbench_workloads ARCHIVE COMPONENT dev)
if(CMAKE_STRIP)
  # A program that is linked with them would carry their debug information.
  install(CODE "file(GLOB made \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/liblockbench_*.a\")
                execute_process(COMMAND ${CMAKE_STRIP} --strip-debug \${made})"
          COMPONENT dev)
endif()

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/lockbench)
set(has_plugin TRUE)
configure_package_config_file(cmake/lockbenchConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/lockbenchConfig.cmake
                              INSTALL_DESTINATION ${package} PATH_VARS headers public archives)
include(cmake/install_config.cmake)
install(FILES cmake/lockbench_add_plugin.cmake cmake/lockbench_audit.cmake cmake/lockbench_instrument.cmake
        DESTINATION ${package} COMPONENT dev)
file(GLOB forms ${PROJECT_SOURCE_DIR}/harness/*/plugin/forms/*.cmake)
install(FILES ${forms} DESTINATION ${package}/plugin_forms COMPONENT dev)

# The pages that messages name: tests/scripts/test_cited_pages.py.
get_property(pages GLOBAL PROPERTY LOCKBENCH_INSTALLED_PAGES)
foreach(page docs/continuous-integration.md docs/method.md
             docs/presets.md docs/stress.md docs/stress-engines.md
             ${pages})
  if(EXISTS ${PROJECT_SOURCE_DIR}/${page})
    install(FILES ${page} DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/lockbench/docs COMPONENT program)
  endif()
endforeach()
set(doc ${CMAKE_INSTALL_DATADIR}/doc/liblockbench-dev)
install(FILES docs/use.md docs/choosing.md docs/reference.md docs/versioning.md docs/add-a-primitive.md
        DESTINATION ${doc}/docs COMPONENT dev)
install(DIRECTORY docs/design DESTINATION ${doc}/docs COMPONENT dev)
install(DIRECTORY examples/use examples/ten-lines DESTINATION ${doc}/examples COMPONENT dev)
