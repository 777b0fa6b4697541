# SPDX-License-Identifier: Apache-2.0
# PREDICT: name.predict.so, for `lockbench predict`. It requires of the locks what SIMULATE does. On
# x86-64 with g++, the model charges for pauses; elsewhere they take no time.

# LOCKBENCH_PAUSES: options by which each `pause` becomes a call, for the model of a machine.
set(LOCKBENCH_PAUSES "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
  set(LOCKBENCH_PAUSES "SHELL:-include lockbench/count_pauses.h" -mno-red-zone)
endif()

# LOCKBENCH_WRAPPED_FREE: operator delete, which tells the model of a machine of memory that is freed.
set(LOCKBENCH_WRAPPED_FREE _ZdlPv _ZdlPvm _ZdlPvSt11align_val_t _ZdlPvmSt11align_val_t
                           _ZdaPv _ZdaPvm _ZdaPvSt11align_val_t _ZdaPvmSt11align_val_t)
list(TRANSFORM LOCKBENCH_WRAPPED_FREE PREPEND -Wl,--wrap=)

# The folder of the checkout; once installed, it is among the others.
set(LOCKBENCH_COUNT_PAUSES_FOLDER ${CMAKE_CURRENT_LIST_DIR}/../public)

function(lockbench_build_in_form_PREDICT target)
  lockbench_instrument(${target})
  if(EXISTS ${LOCKBENCH_COUNT_PAUSES_FOLDER})
    target_include_directories(${target} PRIVATE ${LOCKBENCH_COUNT_PAUSES_FOLDER})
  endif()
  target_compile_definitions(
    ${target} PRIVATE LOCKBENCH_SIMULATE LOCKBENCH_MACHINE_MODEL
                      LOCKBENCH_PLUGIN_FORM="harness/predict/plugin/form.h")
  target_compile_options(${target} PRIVATE ${LOCKBENCH_FRAMES_UNSEEN} ${LOCKBENCH_PAUSES})
  target_link_options(${target} PRIVATE ${LOCKBENCH_WRAPPED_FREE})
endfunction()
