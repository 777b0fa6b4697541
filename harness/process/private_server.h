// SPDX-License-Identifier: Apache-2.0

// PrivateServer: a server for this process alone, on a free port of the loopback interface, with
// its data in a scratch folder.
//
// Guarantees   start() returns when the server accepts connections. The destructor ends the server
//              and removes its folder. The kernel kills the server if this process is killed; the
//              folder is then removed by a later process (ScratchFolder). end_orphans() does not
//              end the server.
// Not offered  Privacy: other users of this machine can connect to the port.
// Requires     A program that stays in the foreground; one call at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/process/orphans.h"
#include "primitives/platform/scratch_folder.h"

namespace lockbench {

class PrivateServer {
 public:
  // The program and its arguments for a port and a folder.
  using Words =
      std::function<std::vector<std::string>(std::uint16_t port, const std::string& folder)>;

  // Internal: the program is missing, ended, or accepts no connections within ten seconds; the
  // message has the last line that the program printed. Cancelled if a signal was noted.
  static absl::StatusOr<std::unique_ptr<PrivateServer>> start(const Words& words);

  ~PrivateServer();
  PrivateServer(const PrivateServer&) = delete;
  PrivateServer& operator=(const PrivateServer&) = delete;

  // `127.0.0.1:PORT`.
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

 private:
  PrivateServer() = default;

  absl::Status launch(std::vector<std::string> words);
  absl::Status await();
  bool has_ended();
  std::string last_line() const;

  platform::ScratchFolder folder_;
  std::uint16_t port_ = 0;
  pid_t process_ = -1;  // -1: it was not started, or has ended
  std::unique_ptr<ChildGuard> guard_;
};

}  // namespace lockbench
