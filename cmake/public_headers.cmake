# SPDX-License-Identifier: Apache-2.0
# The locks' headers under the names that programs include: <lockbench/keyed_mutex.h>.
#
# In the checkout a header of primitives/ includes another as "primitives/key.h". A program may have
# a folder of that name, so what programs see says <lockbench/key.h>. Also run at installation.

# lockbench_list_headers(result source [folder…]): paths from `source` of the headers in primitives/ and
# in the folders named below it; with those that capabilities add, in harness/<capability>/primitives.
function(lockbench_list_headers result source)
  set(found)
  get_property(role GLOBAL PROPERTY CMAKE_ROLE)
  set(depends)
  if(role STREQUAL PROJECT)  # elsewhere there is nothing to configure again
    set(depends CONFIGURE_DEPENDS)
  endif()
  list(TRANSFORM ARGN PREPEND "/")
  foreach(below "" ${ARGN})
    file(GLOB headers ${depends} RELATIVE ${source} ${source}/primitives${below}/*.h
         ${source}/harness/*/primitives${below}/*.h)
    list(APPEND found ${headers})
  endforeach()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# The name of a header in <lockbench/…>.
function(lockbench_public_name result header)
  string(REGEX REPLACE "^(harness/[a-z]+/)?primitives/" "" name ${header})
  set(${result} ${name} PARENT_SCOPE)
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
    file(READ ${source}/${header} text)
    set(folder "(harness/[a-z]+/)?primitives")
    string(REGEX REPLACE "#include \"${folder}/([^\"]+)\"" "#include <lockbench/\\2>" text "${text}")
    string(REGEX REPLACE "${folder}/([a-z_/]+\\.h)" "lockbench/\\2" text "${text}")
    lockbench_public_name(name ${header})
    lockbench_write_if_different(${target}/lockbench/${name} "${text}")
    list(REMOVE_ITEM stale ${name})
  endforeach()
  foreach(file ${stale})
    file(REMOVE ${target}/lockbench/${file})
  endforeach()
endfunction()

# lockbench_write_forwards(folder "#include …HEADER…" header…): in `folder`, headers that include
# the same one by its other name: HEADER is its path, NAME its name in <lockbench/…>.
function(lockbench_write_forwards folder include)
  foreach(header ${ARGN})
    lockbench_public_name(name ${header})
    string(REPLACE "HEADER" ${header} line "${include}")
    string(REPLACE "NAME" ${name} line "${line}")
    lockbench_write_if_different(
      ${folder}/${name} "// SPDX-License-Identifier: Apache-2.0\n\n#pragma once\n\n${line}\n")
  endforeach()
endfunction()
