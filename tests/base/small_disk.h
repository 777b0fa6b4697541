// SPDX-License-Identifier: Apache-2.0

// SmallDisk: while it lives, no file of this process grows beyond a number of bytes, and the kernel
// says so by an error instead of a signal.
#pragma once

#include <csignal>
#include <sys/resource.h>

#include <absl/status/status.h>

namespace lockbench {

class SmallDisk {
 public:
  explicit SmallDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  void (*const handler_)(int);
  rlimit before_;
};

// Returns what `write()` returns where a file has room for `bytes`.
template <class Write>
absl::Status on_small_disk(rlim_t bytes, const Write& write) {
  const SmallDisk disk(bytes);
  return write();
}

}  // namespace lockbench
