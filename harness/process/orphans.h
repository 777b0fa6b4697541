// SPDX-License-Identifier: Apache-2.0

// Orphans: processes that a child of this process started and that outlived it. A process leaves
// its group by setpgid() or setsid(), but not its ancestors: the kernel makes an orphan a child of
// its nearest ancestor that asked for orphans, which this process does.
#pragma once

#include <sys/types.h>

namespace lockbench {

// From this call on, orphans become children of this process. The children that it has now, and
// those that have a ChildGuard, are not treated as orphans.
void adopt_orphans();

// While this object exists, the child `pid` does not count as an orphan.
class ChildGuard {
 public:
  explicit ChildGuard(pid_t pid);
  ~ChildGuard();
  ChildGuard(const ChildGuard&) = delete;
  ChildGuard& operator=(const ChildGuard&) = delete;

 private:
  pid_t pid_;
};

// Kills all orphans and the orphans that they leave, and removes them from the process table.
// Returns whether none is left. It gives up after two seconds, for example if the kernel cannot end
// one. Requires that each other child has its ChildGuard.
bool end_orphans();

}  // namespace lockbench
