// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/processes/call_watch.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/stress/supervision/children.h"

namespace lockbench::stress::processes {
namespace {

using std::chrono::milliseconds;

// Calls that are not watched. They do not change what other processes find, and a lock that polls
// makes thousands of them. sendmsg() passes the listener on before anybody can answer.
constexpr std::int32_t kUnwatched[] = {
    SYS_sched_yield,   SYS_nanosleep,      SYS_clock_nanosleep,
    SYS_clock_gettime, SYS_getpid,         SYS_gettid,
    SYS_brk,           SYS_mmap,           SYS_munmap,
    SYS_mprotect,      SYS_madvise,        SYS_rt_sigaction,
    SYS_rt_sigreturn,  SYS_rt_sigprocmask, SYS_restart_syscall,
    SYS_sendmsg,       SYS_exit,           SYS_exit_group,
    SYS_prctl,         SYS_membarrier,
};

struct CallName {
  std::int32_t number;
  const char* name;
};

constexpr CallName kNames[] = {
#if defined(SYS_open)  // newer architectures do not have the calls without a folder
    {SYS_open, "open"},
    {SYS_stat, "stat"},
    {SYS_lstat, "lstat"},
    {SYS_poll, "poll"},
    {SYS_access, "access"},
    {SYS_rename, "rename"},
    {SYS_mkdir, "mkdir"},
    {SYS_rmdir, "rmdir"},
    {SYS_creat, "creat"},
    {SYS_link, "link"},
    {SYS_unlink, "unlink"},
    {SYS_symlink, "symlink"},
    {SYS_readlink, "readlink"},
#endif
    {SYS_openat, "openat"},
    {SYS_close, "close"},
    {SYS_read, "read"},
    {SYS_write, "write"},
    {SYS_pread64, "pread"},
    {SYS_pwrite64, "pwrite"},
    {SYS_fstat, "fstat"},
    {SYS_newfstatat, "fstatat"},
    {SYS_lseek, "lseek"},
    {SYS_ftruncate, "ftruncate"},
    {SYS_fsync, "fsync"},
    {SYS_fdatasync, "fdatasync"},
    {SYS_flock, "flock"},
    {SYS_fcntl, "fcntl"},
    {SYS_linkat, "linkat"},
    {SYS_unlinkat, "unlinkat"},
    {SYS_symlinkat, "symlinkat"},
    {SYS_readlinkat, "readlinkat"},
    {SYS_mkdirat, "mkdirat"},
    {SYS_renameat2, "renameat2"},
    {SYS_faccessat, "faccessat"},
    {SYS_getdents64, "getdents"},
    {SYS_fallocate, "fallocate"},
    {SYS_futex, "futex"},
    {SYS_ppoll, "ppoll"},
    {SYS_kill, "kill"},
    {SYS_semop, "semop"},
    {SYS_semtimedop, "semtimedop"},
    {SYS_msgsnd, "msgsnd"},
    {SYS_msgrcv, "msgrcv"},
    {SYS_inotify_add_watch, "inotify_add_watch"},
    {SYS_inotify_rm_watch, "inotify_rm_watch"},
    {SYS_pidfd_open, "pidfd_open"},
#if defined(SYS_renameat)
    {SYS_renameat, "renameat"},
#endif
};

// Returns the listener, or -1. The filter does not check the architecture: a call of another one
// may have the number of an unwatched call, and goes on like it.
int install_filter() {
  std::vector<sock_filter> filter = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (const std::int32_t call : kUnwatched) {
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 1));
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  }
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF));
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return static_cast<int>(
      syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program));
}

// One message: an error number, and the listener if the number is 0.
struct ListenerMessage {
  ListenerMessage() {
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = control.size();
  }

  int error = 0;
  iovec part{&error, sizeof error};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr header{};
};

void send_listener(int socket, int listener, int error) {
  ListenerMessage message;
  message.error = error;
  if (listener == -1) {
    message.header.msg_controllen = 0;
  } else {
    cmsghdr* const part = CMSG_FIRSTHDR(&message.header);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(sizeof listener);
    std::memcpy(CMSG_DATA(part), &listener, sizeof listener);
  }
  sendmsg(socket, &message.header, MSG_NOSIGNAL);
}

// Returns -1 and sets `error` if the process has no listener.
int receive_listener(int socket, int& error) {
  ListenerMessage message;
  ssize_t got = 0;
  do {
    got = recvmsg(socket, &message.header, MSG_CMSG_CLOEXEC);
  } while (got == -1 && errno == EINTR);
  error = got == sizeof error ? message.error : ESRCH;
  const cmsghdr* const part = CMSG_FIRSTHDR(&message.header);
  if (error != 0 || part == nullptr) return -1;
  int listener = -1;
  std::memcpy(&listener, CMSG_DATA(part), sizeof listener);
  return listener;
}

}  // namespace

std::string name_of_call(std::int32_t number) {
  const auto* const found = std::find_if(std::begin(kNames), std::end(kNames),
                                         [=](const CallName& c) { return c.number == number; });
  if (found == std::end(kNames)) return "system call " + std::to_string(number);
  return std::string(found->name) + "()";
}

CallWatch::~CallWatch() {
  for (std::uint32_t slot = 0; slot < kMostProcesses; ++slot) drop(slot);
}

std::optional<std::string> CallWatch::why_unavailable() {
  CallWatch watch;
  // The child closes its listener after it is watched. This is the call that is answered here.
  const pid_t child = watch.start(0, [] {});
  const auto go_on = [](const WatchedCall&) { return Answer{}; };
  while (watch.error_ == 0 && waitpid(child, nullptr, WNOHANG) == 0) {
    watch.answer_until(platform::now() + milliseconds(1), go_on);
  }
  if (watch.error_ == 0) return std::nullopt;
  kill(child, SIGKILL);
  collect_child(child);
  return std::string("the kernel says: ") + std::strerror(watch.error_);
}

void CallWatch::note_error(int error) {
  if (error_ == 0) error_ = error;
}

void CallWatch::drop(std::uint32_t slot) {
  if (listeners_[slot] == -1) return;
  close(listeners_[slot]);
  listeners_[slot] = -1;
  std::erase_if(waiting_, [=](const Waiting& w) { return w.slot == slot; });
}

// The listeners of other processes are closed first, while no filter is installed (I1).
void CallWatch::watch_this_process(int socket) const {
  for (const int listener : listeners_) {
    if (listener != -1) close(listener);
  }
  const int listener = install_filter();
  send_listener(socket, listener, listener == -1 ? errno : 0);
  if (listener != -1) close(listener);
  close(socket);
}

pid_t CallWatch::start(std::uint32_t slot, const std::function<void()>& work) {
  drop(slot);
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    note_error(errno);
    return start_child(work);
  }
  const pid_t child = start_child([&] {
    close(ends[0]);
    watch_this_process(ends[1]);
    work();
  });
  close(ends[1]);
  int error = 0;
  listeners_[slot] = receive_listener(ends[0], error);
  close(ends[0]);
  if (error != 0) note_error(error);
  return child;
}

void CallWatch::let_go(const Waiting& waiting) {
  seccomp_notif_resp goes_on{};
  goes_on.id = waiting.id;
  goes_on.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  // ENOENT: the process was killed meanwhile, or a signal interrupted its call, which begins again.
  if (ioctl(listeners_[waiting.slot], SECCOMP_IOCTL_NOTIF_SEND, &goes_on) != 0 && errno != ENOENT) {
    note_error(errno);
  }
}

// Returns when the next process is due, or `end` if that is earlier.
platform::Time CallWatch::release_due(platform::Time end) {
  const platform::Time now = platform::now();
  std::erase_if(waiting_, [&](const Waiting& waiting) {
    if (waiting.until > now) {
      end = std::min(end, waiting.until);
      return false;
    }
    let_go(waiting);
    return true;
  });
  return end;
}

void CallWatch::release_all() {
  for (const Waiting& waiting : waiting_) let_go(waiting);
  waiting_.clear();
}

void CallWatch::receive(std::uint32_t slot, const Decide& decide) {
  // The kernel writes its own structure, which may be longer than the one in this program's
  // headers.
  union {
    seccomp_notif call;
    std::array<char, 1024> bytes{};
  };
  if (ioctl(listeners_[slot], SECCOMP_IOCTL_NOTIF_RECV, &call) != 0) {
    // ENOENT: the process was killed before.
    if (errno != ENOENT && errno != EINTR) note_error(errno);
    return;
  }
  const std::uint64_t id = call.id;
  const Answer answer = decide({.slot = slot, .number = call.data.nr});
  if (answer.killed) return;
  const Waiting waiting{slot, id, platform::now() + answer.wait};
  if (answer.wait.count() > 0) {
    waiting_.push_back(waiting);
  } else {
    let_go(waiting);
  }
}

void CallWatch::answer_until(platform::Time end, const Decide& decide) {
  for (;;) {
    const platform::Time next = release_due(end);
    std::vector<pollfd> polled;
    std::vector<std::uint32_t> slots;
    for (std::uint32_t slot = 0; slot < kMostProcesses; ++slot) {
      if (listeners_[slot] == -1) continue;
      polled.push_back({.fd = listeners_[slot], .events = POLLIN, .revents = 0});
      slots.push_back(slot);
    }
    const auto left = std::max<std::int64_t>((next - platform::now()).count(), 0);
    const timespec timeout{.tv_sec = left / 1'000'000'000, .tv_nsec = left % 1'000'000'000};
    const int ready = ppoll(polled.data(), polled.size(), &timeout, nullptr);
    for (std::size_t i = 0; ready > 0 && i < polled.size(); ++i) {
      if ((polled[i].revents & POLLIN) != 0) {
        receive(slots[i], decide);
      } else if (polled[i].revents != 0) {
        drop(slots[i]);  // the process has ended
      }
    }
    if (platform::now() >= end) return;
  }
}

}  // namespace lockbench::stress::processes
