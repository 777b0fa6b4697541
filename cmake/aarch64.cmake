# SPDX-License-Identifier: Apache-2.0
# Builds for aarch64 with Debian's cross compiler. LOCKBENCH_SYSROOT is a folder with what is linked,
# as scripts/maintain/aarch64.sh makes one; what is built runs under qemu's emulation of that processor.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

# Headers that differ by processor: Debian's compiler looks for them in its own folder only.
set(CMAKE_C_STANDARD_INCLUDE_DIRECTORIES ${LOCKBENCH_SYSROOT}/usr/include/aarch64-linux-gnu)
set(CMAKE_CXX_STANDARD_INCLUDE_DIRECTORIES ${CMAKE_C_STANDARD_INCLUDE_DIRECTORIES})

list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES LOCKBENCH_SYSROOT)
set(CMAKE_FIND_ROOT_PATH ${LOCKBENCH_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_EXE_LINKER_FLAGS_INIT
    "-Wl,-rpath-link,${LOCKBENCH_SYSROOT}/usr/lib/aarch64-linux-gnu")
set(CMAKE_SHARED_LINKER_FLAGS_INIT ${CMAKE_EXE_LINKER_FLAGS_INIT})
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L ${LOCKBENCH_SYSROOT})

set(ENV{PKG_CONFIG_SYSROOT_DIR} ${LOCKBENCH_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${LOCKBENCH_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${LOCKBENCH_SYSROOT}/usr/share/pkgconfig)
