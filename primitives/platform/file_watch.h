// SPDX-License-Identifier: Apache-2.0

// RemovalWatch: reports when a file leaves a folder.
//
// Guarantees   each removal between start() and stop(), by any process, ends a wait_for_either().
// Not offered  removals by other machines (NFS) and file systems or limits without inotify: then it
//              does not start, and a wait ends when time is up.
// Cost         start() and stop() a few microseconds; closing it milliseconds (the kernel waits for
//              its own readers): keep it and use it again.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <poll.h>
#include <string>
#include <sys/inotify.h>
#include <unistd.h>

#include "primitives/platform/clock.h"
#include "primitives/platform/file.h"

namespace lockbench::platform {

class RemovalWatch {
 public:
  // Starts to watch all names in the folder: the kernel watches folders, not names that may come to
  // be.
  bool start(const FileDescriptor& folder) {
    if (!instance_.open()) instance_ = FileDescriptor(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
    if (!instance_.open()) return false;
    const std::string path = "/proc/self/fd/" + std::to_string(folder.number());
    forget();
    watch_ = inotify_add_watch(instance_.number(), path.c_str(), IN_DELETE | IN_MOVED_FROM);
    return watch_ >= 0;
  }

  // Left running, it would slow every removal in the folder.
  void stop() {
    if (watch_ >= 0) inotify_rm_watch(instance_.number(), watch_);
    watch_ = -1;
  }

  // Forgets the removals that were seen.
  void forget() {
    std::array<char, 4096> events;
    while (read(instance_.number(), events.data(), events.size()) > 0) {
    }
  }

  // To poll; -1, which polls as nothing, while it is not started.
  int number() const { return watch_ < 0 ? -1 : instance_.number(); }

 private:
  FileDescriptor instance_;
  int watch_ = -1;
};

// Until something has left the folder, the process (if open) has ended, or `deadline`.
inline void wait_for_either(RemovalWatch& removals, const FileDescriptor& process, Time deadline) {
  std::array<pollfd, 2> watched{pollfd{removals.number(), POLLIN, 0},
                                pollfd{process.number(), POLLIN, 0}};
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - now()).count();
  poll(watched.data(), watched.size(), static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000)));
  if (removals.number() >= 0) removals.forget();
}

}  // namespace lockbench::platform
