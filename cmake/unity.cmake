# SPDX-License-Identifier: Apache-2.0
# Several sources of a target are compiled as one: more than half of the time goes to the headers
# that they share, and to the same templates. So a name in an anonymous namespace belongs to its
# whole target, and a helper that two sources need has one owner.
#
# A source in the middle of others may lack an include: scripts/maintain/alone.sh compiles each one
# alone.

option(LOCKBENCH_UNITY "Compiles several sources of a target as one" ON)
set(CMAKE_UNITY_BUILD ${LOCKBENCH_UNITY})
set(CMAKE_UNITY_BUILD_BATCH_SIZE 8)

# lockbench_compile_alone(target…): each source by itself, because it is measured, and the others
# must not change how it is optimised; or because it is large, and would keep one processor busy
# while the others are idle.
function(lockbench_compile_alone)
  set_target_properties(${ARGN} PROPERTIES UNITY_BUILD OFF)
endfunction()
