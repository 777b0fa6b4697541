// SPDX-License-Identifier: Apache-2.0

// A variable that another part of the program may or may not have.
#pragma once

#if defined(__linux__)
#include <dlfcn.h>
#endif

namespace lockbench::platform {

// The address of the symbol in the program and the libraries that it was started with; null if
// there is none, if the program is linked statically, and on other systems than Linux.
inline const void* program_symbol([[maybe_unused]] const char* name) noexcept {
#if defined(__linux__)
  return dlsym(RTLD_DEFAULT, name);
#else
  return nullptr;
#endif
}

}  // namespace lockbench::platform
