// SPDX-License-Identifier: Apache-2.0

// original: the function of the C library that a preloaded function of the same name replaces.
#pragma once

#include <atomic>
#include <dlfcn.h>

namespace lockbench {

// `Function` is the replacement, and `name` its name. Works before main() and in constructors of
// other libraries. dlsym() does not allocate if it finds the name.
template <auto Function>
auto original(const char* name) {
  using Pointer = decltype(Function);
  static constinit std::atomic<Pointer> found{nullptr};
  // relaxed: each thread finds the same pointer, and the code behind it never changes.
  Pointer pointer = found.load(std::memory_order_relaxed);
  if (pointer == nullptr) [[unlikely]] {
    pointer = reinterpret_cast<Pointer>(dlsym(RTLD_NEXT, name));
    found.store(pointer, std::memory_order_relaxed);
  }
  return pointer;
}

}  // namespace lockbench

// The C library's own function of this name.
#define LOCKBENCH_ORIGINAL(name) ::lockbench::original<&name>(#name)
