// SPDX-License-Identifier: Apache-2.0

#include "harness/services/servers/private_server.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <grp.h>
#include <poll.h>
#include <random>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>

#include "harness/process/pipe.h"
#include "harness/process/signals.h"
#include "harness/services/servers/server_clock.h"
#include "primitives/platform/file.h"

namespace lockbench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kToPrepare{60};
// ZooKeeper's program has taken more than ten seconds on a machine with eight threads to run for
// each processor.
constexpr std::chrono::seconds kToStart{30};
constexpr std::chrono::seconds kToEnd{5};
constexpr int kLookMs = 5;

// exec() failed in the child.
constexpr int kNotStarted = 127;

platform::FileDescriptor new_socket() {
  return platform::FileDescriptor(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
}

// Another program may take the port of a server first.
constexpr int kAttempts = 3;

// Ports from which the kernel connects begin here as a rule (ip_local_port_range). A server that is
// killed and started again must find its port free: while it is dead, a connection from that port
// to another server would take it.
std::uint16_t first_port_of_connections() {
  int first = 0;
  std::ifstream("/proc/sys/net/ipv4/ip_local_port_range") >> first;
  return static_cast<std::uint16_t>(std::clamp(first, 0, 65'535));
}

bool bind_to(const platform::FileDescriptor& probe, std::uint16_t port) {
  const sockaddr_in address = ipv4_address(loopback_host(), port);
  return bind(probe.number(), general(address), sizeof address) == 0;
}

// A port that no program uses now, which the socket is bound to; 0 if there is none. Another
// program may take it after the socket, before the server does, which then ends.
std::uint16_t bind_free_port(const platform::FileDescriptor& probe) {
  constexpr std::uint16_t kFirst = 10'000;
  const std::uint16_t end = first_port_of_connections();
  std::random_device random;
  for (int attempt = 0; attempt < 100 && end > kFirst; ++attempt) {
    const auto port = static_cast<std::uint16_t>(kFirst + random() % (end - kFirst));
    if (bind_to(probe, port)) return port;
  }
  // The kernel chooses.
  sockaddr_in address{};
  socklen_t size = sizeof address;
  const bool bound = bind_to(probe, 0) && getsockname(probe.number(), general(address), &size) == 0;
  return bound ? ntohs(address.sin_port) : 0;
}

std::uint16_t free_port() {
  const platform::FileDescriptor probe = new_socket();
  return bind_free_port(probe);
}

// No two have the same port.
std::vector<Peer> peers_at(const std::vector<ServerHost>& hosts) {
  std::vector<platform::FileDescriptor> probes;
  const auto next = [&] {
    probes.push_back(new_socket());
    return bind_free_port(probes.back());
  };
  std::vector<Peer> peers;
  for (const ServerHost& host : hosts) {
    peers.push_back({.host = host, .messages = next(), .elections = next()});
  }
  return peers;
}

absl::Status final_status(const absl::Status& status) {
  return absl::Status(absl::IsCancelled(status) ? status.code() : absl::StatusCode::kInternal,
                      status.message());
}

bool accepts(const sockaddr_in& address) {
  const platform::FileDescriptor probe = new_socket();
  return connect(probe.number(), general(address), sizeof address) == 0;
}

std::string log_in(const std::string& folder) {
  return folder + "/printed";
}

// The folders around a scratch folder's files that belong to scratch folders: a child of lockbench
// has its temporary files in a scratch folder of its parent.
std::vector<std::filesystem::path> scratch_folders_around(const std::filesystem::path& files) {
  std::vector<std::filesystem::path> all;
  std::size_t outermost = 1;
  for (auto around = files.parent_path(); around.has_relative_path();
       around = around.parent_path()) {
    all.push_back(around);
    if (around.filename().string().starts_with("lockbench-scratch-")) outermost = all.size();
  }
  all.resize(std::min(outermost, all.size()));
  return all;
}

// The environment of this process, in which `more` comes first and counts.
std::vector<char*> environment_with(std::vector<std::string>& more) {
  std::vector<char*> all;
  for (std::string& entry : more) all.push_back(entry.data());
  for (char** entry = environ; *entry != nullptr; ++entry) all.push_back(*entry);
  all.push_back(nullptr);
  return all;
}

struct Become {
  char* const* words;
  char* const* environment;
  const char* folder;
  int log;
  pid_t parent;
  const passwd* account;
  int network;  // -1: that of this process
};

// In the child: only calls that are allowed between fork() and exec().
[[noreturn]] void become(const Become& program) {
  const passwd* const account = program.account;
  // A group of its own: Ctrl-C reaches lockbench only, which then ends the server itself.
  setpgid(0, 0);
  if (program.network >= 0 && setns(program.network, CLONE_NEWNET) != 0) _exit(kNotStarted);
  if (account != nullptr && (setgroups(0, nullptr) != 0 || setgid(account->pw_gid) != 0 ||
                             setuid(account->pw_uid) != 0)) {
    _exit(kNotStarted);
  }
  // After setuid(), which takes it back.
  // The parent is checked after prctl(), so that a parent that dies between the two is noticed.
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != program.parent) _exit(kNotStarted);
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  dup2(program.log, STDOUT_FILENO);
  dup2(program.log, STDERR_FILENO);
  // Connections of this process must end with it.
  close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  if (chdir(program.folder) == 0) execvpe(program.words[0], program.words, program.environment);
  _exit(kNotStarted);
}

}  // namespace

absl::StatusOr<std::unique_ptr<PrivateServer>> PrivateServer::start(const MakeProgram& program) {
  absl::Status status;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::unique_ptr<PrivateServer> server(new PrivateServer);
    status = server->begin(program, {});
    if (status.ok()) status = server->await();
    if (status.ok()) return server;
    if (!absl::IsUnavailable(status)) break;
  }
  return final_status(status);
}

absl::StatusOr<std::vector<std::unique_ptr<PrivateServer>>> PrivateServer::start_cluster(
    const std::vector<ServerHost>& hosts, const MakeProgram& program) {
  absl::Status status;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    ClusterMember member{.peers = peers_at(hosts)};
    std::vector<std::unique_ptr<PrivateServer>> servers;
    status = absl::OkStatus();
    for (; status.ok() && member.number < hosts.size(); ++member.number) {
      servers.emplace_back(new PrivateServer);
      status = servers.back()->begin(program, member);
    }
    for (std::size_t i = 0; status.ok() && i < servers.size(); ++i) status = servers[i]->await();
    if (status.ok()) return servers;
    if (!absl::IsUnavailable(status)) break;
  }
  return final_status(status);
}

// Launches it.
absl::Status PrivateServer::begin(const MakeProgram& program, const ClusterMember& member) {
  host_ = member.host();
  port_ = free_port();
  if (port_ == 0) return absl::InternalError(absl::StrCat("no free port: ", std::strerror(errno)));
  program_ = program(port_, folder_.path(), member);
  absl::Status status = use_account();
  if (status.ok()) status = prepare();
  if (status.ok()) status = launch(program_.words);
  return status;
}

// Gives the account the folder, and a way to it through the folders around it, which stay ours.
absl::Status PrivateServer::use_account() {
  if (program_.account.empty() || geteuid() != 0) return absl::OkStatus();
  account_ = getpwnam(program_.account.c_str());
  if (account_ == nullptr) {
    return absl::InternalError(absl::StrCat("cannot be started by root, and there is no account '",
                                            program_.account, "' to start it for"));
  }
  namespace fs = std::filesystem;
  std::vector<fs::path> given{folder_.path()};
  for (const auto& entry : fs::directory_iterator(folder_.path())) given.push_back(entry.path());
  bool done = true;
  for (const fs::path& around : scratch_folders_around(given.front())) {
    done &= chmod(around.c_str(), S_IRWXU | S_IXGRP | S_IXOTH) == 0;
  }
  for (const fs::path& path : given) {
    done &= lchown(path.c_str(), account_->pw_uid, account_->pw_gid) == 0;
  }
  if (done) return absl::OkStatus();
  return absl::InternalError(
      absl::StrCat("cannot have the folder ", folder_.path(), ": ", std::strerror(errno)));
}

absl::Status PrivateServer::prepare() {
  if (program_.prepare.empty()) return absl::OkStatus();
  if (absl::Status status = launch(program_.prepare); !status.ok()) return status;
  const Clock::time_point deadline = Clock::now() + kToPrepare;
  while (!has_ended()) {
    if (noted_signal() != 0) return absl::CancelledError("interrupted");
    if (Clock::now() >= deadline) {
      return absl::InternalError(absl::StrCat(program_.prepare[0], " has not ended after ",
                                              kToPrepare.count(), " s: ", last_line()));
    }
    poll(nullptr, 0, kLookMs);
  }
  if (status_ == 0) return absl::OkStatus();
  return absl::InternalError(
      absl::StrCat("was not prepared by ", program_.prepare[0], ": ", last_line()));
}

absl::Status PrivateServer::launch(std::vector<std::string> words) {
  const std::vector<char*> pointers = pointers_to(words);
  const std::vector<char*> environment = environment_with(program_.environment);
  const std::string& folder = folder_.path();
  const int log = open(log_in(folder).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const Become child{pointers.data(), environment.data(), folder.c_str(), log,
                     getpid(),        account_,           host_.network};
  process_ = fork();
  if (process_ == 0) become(child);
  const int error = errno;
  close(log);
  if (process_ < 0) {
    return absl::InternalError(absl::StrCat("cannot start ", words[0], ": ", strerror(error)));
  }
  guard_ = std::make_unique<ChildGuard>(process_);
  return absl::OkStatus();
}

// Unavailable: it ended, maybe because another program has taken its port.
absl::Status PrivateServer::await() {
  const Clock::time_point deadline = Clock::now() + kToStart;
  while (Clock::now() < deadline) {
    if (noted_signal() != 0) return absl::CancelledError("interrupted");
    if (has_ended()) return absl::UnavailableError(absl::StrCat("ended: ", last_line()));
    if (is_ready()) return absl::OkStatus();
    poll(nullptr, 0, kLookMs);
  }
  return absl::InternalError(
      absl::StrCat("accepts no connections after ", kToStart.count(), " s: ", last_line()));
}

void PrivateServer::end_by_kill() {
  if (process_ < 0) return;
  kill(process_, SIGKILL);
  while (!has_ended()) poll(nullptr, 0, 1);
}

absl::Status PrivateServer::restart() {
  const absl::Status status = relaunch();
  return status.ok() ? await_relaunched() : status;
}

absl::Status PrivateServer::relaunch() {
  end_by_kill();
  return launch(program_.words);
}

absl::Status PrivateServer::await_relaunched() {
  // Everything that the killed one has left, such as its port, may be free a moment later.
  const Clock::time_point deadline = Clock::now() + kToStart;
  absl::Status status = await();
  while (absl::IsUnavailable(status) && Clock::now() < deadline) {
    poll(nullptr, 0, kLookMs);
    status = launch(program_.words);
    if (status.ok()) status = await();
  }
  return status;
}

bool PrivateServer::is_ready() const {
  if (program_.ready.empty()) return accepts(socket_address());
  std::ifstream log(log_in(folder_.path()));
  for (std::string line; std::getline(log, line);) {
    if (absl::StrContains(line, program_.ready)) return true;
  }
  return false;
}

bool PrivateServer::has_ended() {
  if (process_ > 0 && waitpid(process_, &status_, WNOHANG) == process_) {
    if (!program_.environment.empty()) remove_clock_of(process_);
    process_ = -1;
  }
  return process_ < 0;
}

std::string PrivateServer::last_line() const {
  std::ifstream log(log_in(folder_.path()));
  std::string last = "it printed nothing";
  for (std::string line; std::getline(log, line);) {
    if (!line.empty()) last = line;
  }
  return last;
}

PrivateServer::~PrivateServer() {
  if (process_ < 0) return;
  kill(process_, program_.end_signal);
  kill(process_, SIGCONT);  // a stopped process would not end
  const Clock::time_point deadline = Clock::now() + kToEnd;
  while (!has_ended()) {
    if (Clock::now() >= deadline) kill(process_, SIGKILL);
    poll(nullptr, 0, kLookMs);
  }
}

}  // namespace lockbench
