// SPDX-License-Identifier: Apache-2.0

// The compiler's messages about a class that promises nothing, about a lock by key that is added as
// one lock, and about two locks that are each added as the only one: tests/command/test_plugins.py.
#include "harness/plugin/plugin.h"

struct Handle {
  void lock() {}
  bool try_lock() { return true; }
  void unlock() {}
};

#if defined(WITHOUT_PROMISES) || defined(ALONE)
struct Keyed {
#if defined(ALONE)
  static constexpr lockbench::LockPromises kPromises{};
#endif
  Handle handle(std::uint64_t /*key*/) {
    return {};
  }
  std::uint32_t capacity() const {
    return 1;
  }
  std::size_t lock_bytes() const {
    return sizeof *this;
  }
};
#endif

#if defined(WITHOUT_PROMISES)
LOCKBENCH_PRIMITIVE("keyed_without_promises", "promises nothing", Keyed)
#elif defined(ALONE)
LOCKBENCH_PLUGIN(locks) {
  locks.add_alone<Keyed>("keyed", "a lock by key");
}
#else
LOCKBENCH_PRIMITIVE("one", "the first", Handle)
LOCKBENCH_PRIMITIVE("another", "the second", Handle)
#endif
