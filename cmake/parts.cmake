# SPDX-License-Identifier: Apache-2.0
# lockbench_add_parts(folder…): adds those of the folders that are there. A capability that is deleted
# (scripts/maintain/modules.sh) leaves nothing behind that names its folders but these lines.
function(lockbench_add_parts)
  foreach(folder ${ARGN})
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/CMakeLists.txt)
      add_subdirectory(${folder})
    endif()
  endforeach()
endfunction()

# lockbench_net_check(ENGINE TARGET HEADER FUNCTION): the library TARGET has FUNCTION, of the type
# Engine in harness/stress/engine_program.h, with which the engine ENGINE runs the orders that have a
# net. HEADER declares it.
function(lockbench_net_check engine target header function)
  set_property(GLOBAL PROPERTY LOCKBENCH_NET_CHECK_${engine} ${target} ${header} ${function})
endfunction()

# lockbench_install_parts(PAGES …): the pages that messages of a capability name, which are installed.
function(lockbench_install_parts)
  cmake_parse_arguments(T "" "" "PAGES" ${ARGN})
  set_property(GLOBAL APPEND PROPERTY LOCKBENCH_INSTALLED_PAGES ${T_PAGES})
endfunction()
