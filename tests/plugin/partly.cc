// SPDX-License-Identifier: Apache-2.0

// A lock of two sources, of which partly_plain.c was compiled without instrumentation: no
// simulation would see what it does.
#include <lockbench/plugin.h>

extern "C" int take_plainly(int* word);
extern "C" void give_plainly(int* word);

namespace {

class PartlySeen {
 public:
  void lock() {
    while (!try_lock()) {
    }
  }
  bool try_lock() { return take_plainly(&word_) == 0; }
  void unlock() { give_plainly(&word_); }

 private:
  int word_ = 0;
};

}  // namespace

LOCKBENCH_PRIMITIVE("partly_seen", "half of it is instrumented", PartlySeen)
