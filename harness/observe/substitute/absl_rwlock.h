// SPDX-License-Identifier: Apache-2.0

// AbslRwlock: AbslSharedMutex for a program that does not know of it (substituted_absl_mutex.h says
// why).
#pragma once

#include "harness/observe/substitute/substituted_absl_mutex.h"
#include "primitives/peers/absl_shared_mutex.h"

namespace lockbench {

class AbslRwlock : public AbslSharedMutex {
 public:
  void lock() {
    switch_absl_search_off();
    AbslSharedMutex::lock();
  }
  bool try_lock() {
    switch_absl_search_off();
    return AbslSharedMutex::try_lock();
  }
  void lock_shared() {
    switch_absl_search_off();
    AbslSharedMutex::lock_shared();
  }
  bool try_lock_shared() {
    switch_absl_search_off();
    return AbslSharedMutex::try_lock_shared();
  }
};

}  // namespace lockbench
