# SPDX-License-Identifier: Apache-2.0
# lockbench_add_plugin(name source… [LINK library…] [SIMULATE])
#
# Builds name.so, which `lockbench run --plugin ./name.so` takes. Sources in C++ include
# <lockbench/plugin.h>, sources in C <lockbench/c_lock.h>. LINK: libraries that the locks come from.
# SIMULATE: builds name.sim.so, too, for the simulated engine of `lockbench stress`; requires that
# the locks reach atomics, futexes and clocks through lockbench::platform alone.
function(lockbench_add_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 PLUGIN "SIMULATE" "" "LINK")
  lockbench_plugin_library(${name} ${name})
  if(PLUGIN_SIMULATE)
    lockbench_plugin_library(${name}_sim ${name}.sim)
    target_compile_definitions(${name}_sim PRIVATE LOCKBENCH_SIMULATE)
  else()
    # What is missing is missed now, and not when it is loaded.
    target_link_options(${name} PRIVATE -Wl,-z,defs)
  endif()
endfunction()

# One library; reads what its caller parsed.
function(lockbench_plugin_library target output)
  add_library(${target} MODULE ${PLUGIN_UNPARSED_ARGUMENTS})
  set_target_properties(
    ${target}
    PROPERTIES PREFIX ""
               SUFFIX ".so"
               OUTPUT_NAME ${output}
               C_VISIBILITY_PRESET hidden
               CXX_VISIBILITY_PRESET hidden
               VISIBILITY_INLINES_HIDDEN ON
               CXX_EXTENSIONS OFF)
  target_link_libraries(${target} PRIVATE lockbench::plugin ${PLUGIN_LINK})
  target_link_options(${target} PRIVATE -Wl,--exclude-libs,ALL)
  # Unless the build says how, as lockbench itself is measured.
  if(NOT CMAKE_BUILD_TYPE)
    target_compile_options(${target} PRIVATE -O2)
  endif()
endfunction()
