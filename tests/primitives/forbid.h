// SPDX-License-Identifier: Apache-2.0

// Seccomp filters that refuse system calls. A filter cannot be removed, so use it in a child.
#pragma once

#include <cstddef>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace lockbench {

enum class FilterFor : unsigned { kThisThread = 0, kAllThreads = SECCOMP_FILTER_FLAG_TSYNC };

// From now on `forbidden` fail with `error`.
inline bool forbid(const std::vector<long>& forbidden, int error, FilterFor whom) {
  std::vector<sock_filter> filter{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (const long call : forbidden) {
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0, 1));
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(error)));
  }
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  sock_fprog program{.len = static_cast<unsigned short>(filter.size()), .filter = filter.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, static_cast<unsigned>(whom), &program) == 0;
}

}  // namespace lockbench
