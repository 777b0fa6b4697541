// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/proc/lineup.h"

#include "harness/catalog/in_scratch_folder.h"
#include "harness/stress/suspect_of.h"
#include "primitives/baselines/file_kernel_lock.h"
#include "primitives/baselines/file_robust_mutex.h"
#include "primitives/file_lock.h"

namespace lockbench::stress::proc {

std::vector<Lineup> lineup() {
  using Ours = InScratchFolder<FileLock<SymlinkForm>>;
  return {
      suspect<Ours>("file", "a lock file for every key in use"),
      suspect<InScratchFolder<FileLock<DirectoryForm>>>("file:form=directory",
                                                        "the same, its lock files folders"),
      suspect<Ours>("file:wake_words=off", "as in a folder whose file system shares no memory",
                    FileLockOptions{.wake_words = false}),
      suspect<Ours>(
          "file:watches=off", "as without inotify and pidfd, too",
          FileLockOptions{.wake_words = false, .watch_folder = false, .watch_owner = false}),
      suspect<InScratchFolder<FileFlock>>("file_flock", "the kernel's lock of a file, by flock()"),
      suspect<InScratchFolder<FileOfd>>("file_ofd", "the kernel's lock of a file, by fcntl()"),
      suspect<InScratchFolder<FileRobustMutex>>("file_robust_mutex",
                                                "a robust pthread_mutex_t in shared memory"),
  };
}

}  // namespace lockbench::stress::proc
