# SPDX-License-Identifier: Apache-2.0
# lockbench_add_parts(folder…): adds those of the folders that are there. A capability that is deleted
# (scripts/modules.sh) leaves nothing behind that names its folders but these lines.
function(lockbench_add_parts)
  foreach(folder ${ARGN})
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/CMakeLists.txt)
      add_subdirectory(${folder})
    endif()
  endforeach()
endfunction()
