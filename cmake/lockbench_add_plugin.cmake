# SPDX-License-Identifier: Apache-2.0
# lockbench_add_plugin(name source… [LINK library…] [SIMULATE] [FORM…] [STRESS_ONLY] [SANITIZE]
#                      [NO_DELAYS])
#
# Builds name.so, which `lockbench run --plugin ./name.so` takes. Sources in C++ include
# <lockbench/plugin.h>, sources in C <lockbench/c_lock.h>. LINK: libraries that the locks come from.
# Builds name.delays.so, too: the same locks, instrumented, for the engine of native threads.
# SIMULATE: builds name.sim.so, too, for the simulated engine of `lockbench stress`; requires that
# the locks reach atomics, futexes and clocks through lockbench::platform, or as far as that is known
# to the engine, by std::atomic and the system's library; the engine names what it does not know.
# FORM, of those in LOCKBENCH_PLUGIN_FORMS: builds name.form.so, too, for a program that needs the
# locks in a form of its own; its file says which.
# SANITIZE: builds name.asan.so, too: the same locks under AddressSanitizer, for `stress --engine
# real` with the sanitizer's runtime before all others (LD_PRELOAD).
# NO_DELAYS: leaves out name.delays.so.
# Sets CMAKE_BUILD_TYPE to RelWithDebInfo, as lockbench itself is built, if it is not set.
# STRESS_ONLY: leaves out what `lockbench run` needs, which takes most of the compiler's time.
#
# lockbench_add_simulated_plugin(name source… [SOURCES source…] [INCLUDES folder…] [LINK library…]
#                                [FORM…] [NO_DELAYS])
#
# Builds name.so, name.delays.so and name.sim.so for `lockbench stress`, and with each FORM
# name.form.so, of locks that know nothing of lockbench::platform. SOURCES: of the library that
# they come from, if its code is not all in headers; they are compiled for each of these as they
# are, without warnings. INCLUDES: its folders. NO_DELAYS: leaves out name.delays.so.
include(${CMAKE_CURRENT_LIST_DIR}/lockbench_instrument.cmake)
# Each file defines lockbench_build_in_form_<FORM>(target), by which a library gets the form that the
# file is named after. They lie in the folders of capabilities; once installed, beside this file.
set(LOCKBENCH_PLUGIN_FORMS)
file(GLOB files ${CMAKE_CURRENT_LIST_DIR}/plugin_forms/*.cmake
     ${CMAKE_CURRENT_LIST_DIR}/../harness/*/plugin/forms/*.cmake)
foreach(file ${files})
  include(${file})
  cmake_path(GET file STEM form)
  string(TOUPPER ${form} form)
  list(APPEND LOCKBENCH_PLUGIN_FORMS ${form})
endforeach()
set(LOCKBENCH_AUDIT ${CMAKE_CURRENT_LIST_DIR}/lockbench_audit.cmake)

function(lockbench_add_simulated_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 THEIR "${LOCKBENCH_PLUGIN_FORMS};NO_DELAYS" "" "SOURCES;INCLUDES;LINK")
  set(options SIMULATE STRESS_ONLY)
  foreach(option ${LOCKBENCH_PLUGIN_FORMS} NO_DELAYS)
    if(THEIR_${option})
      list(APPEND options ${option})
    endif()
  endforeach()
  set_source_files_properties(${THEIR_SOURCES} PROPERTIES COMPILE_OPTIONS -w
                                                         SKIP_PRECOMPILE_HEADERS ON)
  lockbench_add_plugin(${name} ${THEIR_UNPARSED_ARGUMENTS} ${THEIR_SOURCES} LINK ${THEIR_LINK}
                       ${options})
  target_include_directories(${name} BEFORE PRIVATE ${THEIR_INCLUDES})
endfunction()

function(lockbench_add_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 PLUGIN "SIMULATE;STRESS_ONLY;SANITIZE;NO_DELAYS;${LOCKBENCH_PLUGIN_FORMS}"
                        "" "LINK")
  lockbench_set_build_type()
  lockbench_plugin_library(${name} ${name})
  if(PLUGIN_STRESS_ONLY)
    target_compile_definitions(${name} PRIVATE LOCKBENCH_STRESS_ONLY)
  endif()
  if(NOT PLUGIN_NO_DELAYS)
    lockbench_plugin_library(${name}_delays ${name}.delays)
    lockbench_compile_like(${name}_delays ${name})
    target_compile_options(${name}_delays PRIVATE ${LOCKBENCH_INSTRUMENT} ${LOCKBENCH_FRAMES_UNSEEN})
    target_compile_definitions(${name}_delays PRIVATE LOCKBENCH_STRESS_ONLY)
  endif()
  if(PLUGIN_SANITIZE)
    lockbench_plugin_library(${name}_asan ${name}.asan)
    lockbench_compile_like(${name}_asan ${name})
    target_compile_definitions(${name}_asan PRIVATE LOCKBENCH_STRESS_ONLY)
    target_compile_options(${name}_asan PRIVATE -fsanitize=address -fno-omit-frame-pointer -g1)
    target_link_options(${name}_asan PRIVATE -fsanitize=address)
  endif()
  if(PLUGIN_SIMULATE)
    lockbench_plugin_library(${name}_sim ${name}.sim)
    lockbench_compile_like(${name}_sim ${name})
    lockbench_instrument(${name}_sim)
    target_compile_definitions(${name}_sim PRIVATE LOCKBENCH_SIMULATE)
    target_compile_options(${name}_sim PRIVATE ${LOCKBENCH_FRAMES_SEEN})
  endif()
  set(simulated ${PLUGIN_SIMULATE})
  foreach(FORM ${LOCKBENCH_PLUGIN_FORMS})
    if(PLUGIN_${FORM})
      string(TOLOWER ${FORM} form)
      lockbench_plugin_library(${name}_${form} ${name}.${form})
      lockbench_compile_like(${name}_${form} ${name})
      cmake_language(CALL lockbench_build_in_form_${FORM} ${name}_${form})
      set(simulated TRUE)
    endif()
  endforeach()
  if(NOT simulated)
    # An undefined symbol is an error now, and not when the plug-in is loaded.
    target_link_options(${name} PRIVATE -Wl,-z,defs)
  endif()
endfunction()

# The accesses and library calls of `target` become calls that a simulation sees.
function(lockbench_instrument target)
  # With lines of source, for messages.
  target_compile_options(${target} PRIVATE ${LOCKBENCH_INSTRUMENT} ${LOCKBENCH_THREAD_VARIABLES} -g1)
  target_link_options(${target} PRIVATE ${LOCKBENCH_WRAPPED})
  add_custom_command(
    TARGET ${target}
    POST_BUILD
    COMMAND ${CMAKE_COMMAND} -DLIBRARY=$<TARGET_FILE:${target}> -DOBJDUMP=${CMAKE_OBJDUMP} -P
            ${LOCKBENCH_AUDIT}
    VERBATIM)
endfunction()

# With what the caller's project sets for `other`, later too.
function(lockbench_compile_like target other)
  target_compile_options(${target} PRIVATE $<TARGET_PROPERTY:${other},COMPILE_OPTIONS>)
  # Each has its own stamp.
  target_compile_definitions(
    ${target} PRIVATE
    $<FILTER:$<TARGET_PROPERTY:${other},COMPILE_DEFINITIONS>,EXCLUDE,^LOCKBENCH_PLUGIN_FLAGS=>)
  target_include_directories(${target} SYSTEM PRIVATE
                             $<TARGET_PROPERTY:${other},INCLUDE_DIRECTORIES>)
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
  lockbench_stamp(${target})
endfunction()

# Code that is built without a build type is measured without optimisation.
function(lockbench_set_build_type)
  get_property(multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  if(NOT CMAKE_BUILD_TYPE AND NOT multi_config)
    message(STATUS "lockbench: no build type is set; RelWithDebInfo is taken")
    set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Set by lockbench_add_plugin()" FORCE)
  endif()
endfunction()

# Gives the sources the flags that they are compiled with, for <lockbench/build_stamp.h>.
function(lockbench_stamp target)
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  foreach(language C CXX)
    set(flags "${CMAKE_${language}_FLAGS} ${CMAKE_${language}_FLAGS_${type}}")
    # As text of a C string. Definitions are left out: they are the locks' own.
    string(REGEX REPLACE "-D[^ ]*|[\"\\;]" "" flags "${flags}")
    string(STRIP "${flags}" flags)
    set(options "$<FILTER:$<TARGET_PROPERTY:${target},COMPILE_OPTIONS>,INCLUDE,^-[Ofm][-A-Za-z0-9=_.]*$>")
    set(lto "$<$<BOOL:$<TARGET_PROPERTY:${target},INTERPROCEDURAL_OPTIMIZATION>>: -flto>")
    target_compile_definitions(
      ${target} PRIVATE
      "$<$<COMPILE_LANGUAGE:${language}>:LOCKBENCH_PLUGIN_FLAGS=\"${flags} $<JOIN:${options}, >${lto}\">")
  endforeach()
endfunction()
