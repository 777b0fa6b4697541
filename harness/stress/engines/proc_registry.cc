// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/engines/proc_registry.h"

#include "harness/bench/catalog/in_scratch_folder.h"
#include "harness/stress/lock_adapter.h"
#include "primitives/file_lock.h"
#include "primitives/peers/file_kernel_lock.h"
#include "primitives/peers/file_robust_mutex.h"

namespace lockbench::stress::processes {

std::vector<RegisteredLock> stress_registry() {
  using Ours = InScratchFolder<FileLock<SymlinkForm>>;
  return {
      lock_under_test<Ours>("file", "a lock file for every key in use"),
      lock_under_test<InScratchFolder<FileLock<DirectoryForm>>>("file:form=directory",
                                                                "the same, its lock files folders"),
      lock_under_test<Ours>("file:wake_words=off",
                            "as in a folder whose file system shares no memory",
                            FileLockOptions{.wake_words = false}),
      lock_under_test<Ours>(
          "file:watches=off", "as without inotify and pidfd, too",
          FileLockOptions{.wake_words = false, .watch_folder = false, .watch_owner = false}),
      lock_under_test<InScratchFolder<FileFlock>>("file_flock",
                                                  "the kernel's lock of a file, by flock()"),
      lock_under_test<InScratchFolder<FileOfd>>("file_ofd",
                                                "the kernel's lock of a file, by fcntl()"),
      lock_under_test<InScratchFolder<FileRobustMutex>>(
          "file_robust_mutex", "a robust pthread_mutex_t in shared memory"),
  };
}

}  // namespace lockbench::stress::processes
