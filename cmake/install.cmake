# SPDX-License-Identifier: Apache-2.0
# What is installed, and where. Two components: `program`, and `dev`: headers, the plug-in's part
# of the measured loop, and the package files. Nothing of it knows the place that it was built in.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(share ${CMAKE_INSTALL_DATADIR}/lockbench)
install(TARGETS lockbench lockbench-micro RUNTIME COMPONENT program)
foreach(engine lockbench-sim lockbench-real lockbench-proc)
  if(TARGET ${engine})
    install(TARGETS ${engine} RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/lockbench
                                      COMPONENT program)
  endif()
endforeach()
install(DIRECTORY workloads/presets DESTINATION ${share}/workloads COMPONENT program)
install(PROGRAMS scripts/plot.py scripts/compare.py scripts/report.py scripts/advise.py
                 scripts/animation.py scripts/follow.py DESTINATION ${share}/scripts
        COMPONENT program)
install(DIRECTORY scripts/analysis DESTINATION ${share}/scripts COMPONENT program
        PATTERN __pycache__ EXCLUDE)
install(FILES cmake/completion/lockbench.bash RENAME lockbench
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
install(FILES cmake/completion/_lockbench
        DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT program)

# Below a folder of their own, so that they are found by the names that they have in the checkout.
set(headers ${CMAKE_INSTALL_INCLUDEDIR}/lockbench/headers)
set(public ${CMAKE_INSTALL_INCLUDEDIR})
set(archives ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY primitives workloads DESTINATION ${headers} COMPONENT dev
        FILES_MATCHING PATTERN *.h
        PATTERN presets EXCLUDE PATTERN database EXCLUDE)
install(DIRECTORY harness/measure harness/plugin DESTINATION ${headers}/harness COMPONENT dev
        FILES_MATCHING PATTERN *.h
        PATTERN public EXCLUDE)
install(FILES ${CMAKE_BINARY_DIR}/generated/harness/plugin/version.h
        DESTINATION ${headers}/harness/plugin COMPONENT dev)
install(FILES harness/catalog/entry.h harness/catalog/line.h
        DESTINATION ${headers}/harness/catalog COMPONENT dev)
install(FILES harness/plan/cell.h DESTINATION ${headers}/harness/plan COMPONENT dev)
install(FILES harness/stress/lock_adapter.h harness/stress/registered_lock.h
        DESTINATION ${headers}/harness/stress COMPONENT dev)
install(FILES harness/stress/litmus/keys.h harness/stress/litmus/lock_under_test.h
        DESTINATION ${headers}/harness/stress/litmus COMPONENT dev)
install(FILES harness/stress/oracles/failure.h
        DESTINATION ${headers}/harness/stress/oracles COMPONENT dev)
install(DIRECTORY harness/plugin/public/lockbench DESTINATION ${public} COMPONENT dev)
install(TARGETS lockbench_loop lockbench_workloads ARCHIVE COMPONENT dev)
if(CMAKE_STRIP)
  # A program that is linked with them would carry their debug information.
  install(CODE "file(GLOB made \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/liblockbench_*.a\")
                execute_process(COMMAND ${CMAKE_STRIP} --strip-debug \${made})"
          COMPONENT dev)
endif()

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/lockbench)
configure_package_config_file(cmake/lockbenchConfig.cmake.in ${CMAKE_BINARY_DIR}/lockbenchConfig.cmake
                              INSTALL_DESTINATION ${package}
                              PATH_VARS headers public archives)
# Before 1.0 a minor version may change what the major one promises, see docs/versioning.md.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/lockbenchConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/lockbenchConfig.cmake
              ${CMAKE_BINARY_DIR}/lockbenchConfigVersion.cmake cmake/lockbench_add_plugin.cmake
              cmake/lockbench_instrument.cmake
        DESTINATION ${package} COMPONENT dev)
