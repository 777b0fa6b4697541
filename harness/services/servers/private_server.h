// SPDX-License-Identifier: Apache-2.0

// PrivateServer: a server for this process alone, on a free port of the loopback interface or of a
// host in a network namespace, with its data in a scratch folder.
//
// Guarantees   start() returns when the server accepts connections. The destructor ends the server
//              and removes its folder. The kernel kills the server if this process is killed; the
//              folder is then removed by a later process (ScratchFolder). end_orphans() does not
//              end the server. start_cluster() does the same for servers that need each other.
// Not offered  Privacy: other users of this machine can connect to the port.
// Requires     A program that stays in the foreground; one call at a time.
#pragma once

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <netinet/in.h>
#include <pwd.h>
#include <string>
#include <sys/types.h>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/process/orphans.h"
#include "harness/services/servers/ipv4.h"
#include "primitives/platform/scratch_folder.h"

namespace lockbench {

// A program that is a server, for one port and one folder.
struct ServerProgram {
  std::vector<std::string> words{};    // the program and its arguments
  std::vector<std::string> prepare{};  // a program that must end well before; empty: none
  std::string ready{};    // what it prints when it can be used; empty: it accepts connections then
  std::string account{};  // whose it is if this process is root's; empty: root's
  int end_signal = SIGTERM;
  // The environment that it has besides that of this process, each NAME=VALUE; with a clock of its
  // own (server_clock.h).
  std::vector<std::string> environment{};
};

// Where a server is: an address of the network namespace with this descriptor, which is open as
// long as the server may be started; -1: of the namespace of this process.
struct ServerHost {
  in_addr address = loopback_host();
  int network = -1;

  std::string text() const { return ipv4_text(address); }
};

// Where a member of a cluster listens to the other members.
struct Peer {
  ServerHost host{};
  std::uint16_t messages = 0;
  std::uint16_t elections = 0;  // of services that have a port of their own for them
};

// Which member of a cluster a server is. Without peers: of none.
struct ClusterMember {
  std::size_t number = 0;
  std::vector<Peer> peers{};  // all members, this one included

  ServerHost host() const { return peers.empty() ? ServerHost() : peers[number].host; }
};

class PrivateServer {
 public:
  // May write files into the folder, which are then the account's.
  using MakeProgram = std::function<ServerProgram(std::uint16_t port, const std::string& folder,
                                                  const ClusterMember& member)>;

  // Internal: the program is missing, ended, or is not ready within half a minute (its preparation:
  // within a minute); the message has the last line that the program printed. Cancelled if a signal
  // was noted.
  static absl::StatusOr<std::unique_ptr<PrivateServer>> start(const MakeProgram& program);
  // The members of one cluster, each at one of the hosts. None waits to be ready before all have
  // been launched.
  static absl::StatusOr<std::vector<std::unique_ptr<PrivateServer>>> start_cluster(
      const std::vector<ServerHost>& hosts, const MakeProgram& program);

  ~PrivateServer();
  PrivateServer(const PrivateServer&) = delete;
  PrivateServer& operator=(const PrivateServer&) = delete;

  sockaddr_in socket_address() const { return ipv4_address(host_.address, port_); }
  // `127.0.0.1:PORT`.
  std::string address() const { return ipv4_text(socket_address()); }
  std::uint16_t port() const { return port_; }
  const std::string& folder() const { return folder_.path(); }
  pid_t process() const { return process_; }  // -1: it has ended

  // Kills the process; restart() starts the program again on the same port, with what is in the
  // folder, and returns when it is ready. Internal as for start().
  void end_by_kill();
  absl::Status restart();
  // The same in two steps, for members of a cluster: they are ready when enough of them run.
  absl::Status relaunch();
  absl::Status await_relaunched();

 private:
  PrivateServer() = default;

  absl::Status begin(const MakeProgram& program, const ClusterMember& member);
  absl::Status use_account();
  absl::Status prepare();
  absl::Status launch(std::vector<std::string> words);
  absl::Status await();
  bool is_ready() const;
  bool has_ended();
  std::string last_line() const;

  platform::ScratchFolder folder_;
  ServerHost host_;
  std::uint16_t port_ = 0;
  ServerProgram program_;
  const passwd* account_ = nullptr;  // nullptr: that of this process
  pid_t process_ = -1;               // -1: it was not started, or has ended
  int status_ = 0;                   // of the last program that ended
  std::unique_ptr<ChildGuard> guard_;
};

}  // namespace lockbench
