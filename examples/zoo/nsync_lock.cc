// SPDX-License-Identifier: Apache-2.0

// nsync's mutex before lockbench's workloads, and, from its own sources, in the simulation.
#include <lockbench/plugin.h>
#include <nsync.h>

namespace {

class NsyncMutex {
 public:
  void lock() { nsync::nsync_mu_lock(&mu_); }
  bool try_lock() { return nsync::nsync_mu_trylock(&mu_) != 0; }
  void unlock() { nsync::nsync_mu_unlock(&mu_); }

 private:
  nsync::nsync_mu mu_ = NSYNC_MU_INIT;
};

}  // namespace

LOCKBENCH_PRIMITIVE("nsync", "a word, and a queue of sleepers", NsyncMutex)
