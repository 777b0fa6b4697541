# SPDX-License-Identifier: Apache-2.0
# cmake -DLIBRARY=name.sim.so -DOBJDUMP=objdump -P lockbench_audit.cmake
#
# Names the functions of a plug-in that is built for simulation which have atomic instructions of
# their own: inline assembly, or code that was compiled without instrumentation. The engine does
# not see them.
if(NOT OBJDUMP)
  return()
endif()
execute_process(
  COMMAND ${OBJDUMP} -d -C --no-show-raw-insn --section=.text ${LIBRARY}
  OUTPUT_VARIABLE code
  ERROR_QUIET)
# On x86-64: a prefix, and an exchange with memory; on aarch64: exclusive pairs and LSE.
set(atomic "^ *[0-9a-f]+:[ \t]+(lock |xchg .*\\(|ldx?r?a?xr|stl?xr|casa?l?[bh]? |swpa?l?[bh]? |ldadda?l?[bh]? )")
# Brackets and semicolons mean something in lists.
string(REGEX REPLACE "[][;]" "_" code "${code}")
string(REGEX REPLACE "\n" ";" code "${code}")
set(function "")
set(named "")
foreach(line IN LISTS code)
  if(line MATCHES "^[0-9a-f]+ <(.*)>:$")
    set(function "${CMAKE_MATCH_1}")
  elseif(line MATCHES "${atomic}")
    list(APPEND named "${function}")
  endif()
endforeach()
list(REMOVE_DUPLICATES named)
if(named)
  list(JOIN named "\n  " named)
  message(WARNING "${LIBRARY}: these functions have atomic instructions that the engine `sim` does "
                  "not see; build them without inline assembly:\n  ${named}")
endif()
