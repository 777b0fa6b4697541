// SPDX-License-Identifier: Apache-2.0

// Orphans: processes that a child of this process started and that outlived it. A process leaves
// its group by setpgid() or setsid(), but not its ancestors: the kernel makes an orphan a child of
// its nearest ancestor that asked for orphans, which this process does.
#pragma once

#include <sys/types.h>

namespace lockbench {

// From now on orphans become children of this process. The children that it has now, and those
// that are not orphans because a ChildGuard names them, are left alone.
void adopt_orphans();

// While it lives, the child `pid` is none of the orphans.
class ChildGuard {
 public:
  explicit ChildGuard(pid_t pid);
  ~ChildGuard();
  ChildGuard(const ChildGuard&) = delete;
  ChildGuard& operator=(const ChildGuard&) = delete;

 private:
  pid_t pid_;
};

// Kills all orphans, those that they leave included, and takes them off the process table. Returns
// whether none is left; gives up after two seconds, as of one that the kernel cannot end. Requires
// that each other child has its ChildGuard.
bool end_orphans();

}  // namespace lockbench
