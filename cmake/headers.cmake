# SPDX-License-Identifier: Apache-2.0
# lockbench::primitives, as other projects use it: <lockbench/keyed_mutex.h>. It sets none of the
# options that lockbench itself is compiled with.
#
# With LOCKBENCH_HEADERS_ONLY, this and its installation are all that there is.
include(${CMAKE_CURRENT_LIST_DIR}/public_headers.cmake)

add_library(lockbench_locks INTERFACE)
add_library(lockbench::primitives ALIAS lockbench_locks)
target_compile_features(lockbench_locks INTERFACE cxx_std_20)
target_link_libraries(lockbench_locks INTERFACE Threads::Threads)

# For WaitOnAddress.
target_link_libraries(lockbench_locks INTERFACE $<$<PLATFORM_ID:Windows>:synchronization>)

set(public_headers ${PROJECT_BINARY_DIR}/generated/public)
if(LOCKBENCH_HEADERS_ONLY)
  lockbench_list_headers(headers ${PROJECT_SOURCE_DIR} internal platform platform/portable
                         platform/windows)
  list(TRANSFORM headers PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE watched)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${watched})
  lockbench_write_public_headers(${PROJECT_SOURCE_DIR} ${public_headers} ${headers})
else()
  # Who builds the whole project may include a header by both names.
  lockbench_list_headers(headers ${PROJECT_SOURCE_DIR} internal platform platform/portable
                         platform/windows peers)
  lockbench_write_forwards(${public_headers}/lockbench "#include \"HEADER\"" ${headers})
  target_include_directories(lockbench_locks SYSTEM INTERFACE ${PROJECT_SOURCE_DIR})
endif()
target_include_directories(lockbench_locks SYSTEM INTERFACE ${public_headers})
