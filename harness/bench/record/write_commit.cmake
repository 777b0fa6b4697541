# SPDX-License-Identifier: Apache-2.0
# Writes OUTPUT from TEMPLATE with the commit of SOURCE, at build time, since a commit does not
# configure anew. An unchanged header is left alone, so that nothing is compiled again.
set(LOCKBENCH_COMMIT "")
set(LOCKBENCH_MODIFIED false)

find_program(GIT git)
if(GIT)
  execute_process(COMMAND ${GIT} rev-parse --show-prefix HEAD WORKING_DIRECTORY ${SOURCE}
                  OUTPUT_VARIABLE lines ERROR_QUIET RESULT_VARIABLE failed
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  # The first line is empty at the top of a checkout. Elsewhere the sources were unpacked inside
  # somebody else's repository, whose commit says nothing of them.
  if(NOT failed AND lines MATCHES "^\n([0-9a-f]+)$")
    set(LOCKBENCH_COMMIT ${CMAKE_MATCH_1})
    execute_process(COMMAND ${GIT} status --porcelain --untracked-files=no
                    WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE changes ERROR_QUIET)
    if(changes)
      set(LOCKBENCH_MODIFIED true)
    endif()
  endif()
endif()

configure_file(${TEMPLATE} ${OUTPUT} @ONLY)
