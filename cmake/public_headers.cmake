# SPDX-License-Identifier: Apache-2.0
# The locks' headers under the names that programs include: <lockbench/keyed_mutex.h>.
#
# In the checkout a header of primitives/ includes another as "primitives/key.h". A program may have
# a folder of that name, so what programs see says <lockbench/key.h>. Also run at installation.

# lockbench_list_headers(result source [folder…]): paths below `source`/primitives of its headers,
# and of those in the folders named.
function(lockbench_list_headers result source)
  set(found)
  get_property(role GLOBAL PROPERTY CMAKE_ROLE)
  set(depends)
  if(role STREQUAL PROJECT)  # elsewhere there is nothing to configure again
    set(depends CONFIGURE_DEPENDS)
  endif()
  foreach(folder . ${ARGN})
    file(GLOB headers ${depends} RELATIVE ${source}/primitives ${source}/primitives/${folder}/*.h)
    list(APPEND found ${headers})
  endforeach()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# Also run by scripts of installation, where the policies are those of old CMake: no @names@ here.
# Writes the file unless it has that text already: what includes it is not compiled again.
function(lockbench_write_if_different file text)
  if(EXISTS ${file})
    file(READ ${file} before)
  endif()
  if(NOT "${before}" STREQUAL "${text}")
    file(WRITE ${file} "${text}")
  endif()
endfunction()

# lockbench_write_public_headers(source target header…): the headers, of which each includes the
# others by their public names, in `target`/lockbench; other files there are removed.
function(lockbench_write_public_headers source target)
  file(GLOB_RECURSE stale RELATIVE ${target}/lockbench ${target}/lockbench/*)
  foreach(header ${ARGN})
    file(READ ${source}/primitives/${header} text)
    string(REGEX REPLACE "#include \"primitives/([^\"]+)\"" "#include <lockbench/\\1>" text "${text}")
    string(REGEX REPLACE "primitives/([a-z_/]+\\.h)" "lockbench/\\1" text "${text}")
    lockbench_write_if_different(${target}/lockbench/${header} "${text}")
    list(REMOVE_ITEM stale ${header})
  endforeach()
  foreach(file ${stale})
    file(REMOVE ${target}/lockbench/${file})
  endforeach()
endfunction()

# lockbench_write_forwards(folder "#include …HEADER…" header…): in `folder`, headers that include
# the same one by its other name.
function(lockbench_write_forwards folder include)
  foreach(header ${ARGN})
    string(REPLACE "HEADER" ${header} line "${include}")
    lockbench_write_if_different(
      ${folder}/${header} "// SPDX-License-Identifier: Apache-2.0\n\n#pragma once\n\n${line}\n")
  endforeach()
endfunction()
