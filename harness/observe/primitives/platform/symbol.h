// SPDX-License-Identifier: Apache-2.0

// Symbol: what a preloaded library offers by name. None on other systems than Linux.
#pragma once

#if defined(__linux__)
#include <dlfcn.h>
#endif

namespace lockbench::platform {

// Null if no loaded object has it.
inline const void* find_symbol([[maybe_unused]] const char* name) noexcept {
#if defined(__linux__)
  return dlsym(RTLD_DEFAULT, name);
#else
  return nullptr;
#endif
}

}  // namespace lockbench::platform
