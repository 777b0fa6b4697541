// SPDX-License-Identifier: Apache-2.0

// FileKernelLock: a file for every key that the kernel keeps an advisory lock on, by flock() or by
// fcntl()'s locks of an open file description (OFD).
//
// Guarantees   mutual exclusion per key between all handles of all threads and processes; the locks
//              of a process are free as soon as it ends, for any reason.
// Not offered  timeouts (the kernel's call has none), FIFO order, recursion; exclusion of processes
//              that do not lock. The files are not removed.
// Cost         a system call per lock and unlock, some 0.4 us; a handle opens a file: reuse it.
// Source       flock(2) and fcntl(2) of Linux; OFD locks are J. Layton's, 2014.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <sys/file.h>
#include <system_error>

#include "primitives/concepts.h"
#include "primitives/internal/file_name.h"
#include "primitives/platform/file.h"

namespace lockbench {

// Each call returns whether it has done it; when not, errno says why.
struct FlockCalls {
  static bool lock(int file) { return flock(file, LOCK_EX) == 0; }
  static bool try_lock(int file) { return flock(file, LOCK_EX | LOCK_NB) == 0; }
  static bool unlock(int file) { return flock(file, LOCK_UN) == 0; }
};

struct OfdCalls {
  static bool lock(int file) { return call(file, F_OFD_SETLKW, F_WRLCK); }
  static bool try_lock(int file) { return call(file, F_OFD_SETLK, F_WRLCK); }
  static bool unlock(int file) { return call(file, F_OFD_SETLK, F_UNLCK); }

 private:
  static bool call(int file, int command, short kind) {
    struct flock whole {};
    whole.l_type = kind;
    whole.l_whence = SEEK_SET;
    return fcntl(file, command, &whole) == 0;
  }
};

template <class Calls>
class FileKernelLock {
 public:
  static constexpr Promises kPromises{.lock_per_key = true, .scope = Scope::kProcess};

  // Throws std::system_error if its file cannot be opened, and from lock() if the file system does
  // not support these locks.
  class Handle {
   public:
    Handle(const FileKernelLock& lock, const internal::FileName& name)
        : file_(platform::open_private_file(lock.folder_, name.c_str())) {
      if (!file_.open()) fail(name.c_str());
    }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    void lock() {
      while (!Calls::lock(file_.number())) {
        if (errno != EINTR) fail("lock");
      }
    }
    bool try_lock() { return Calls::try_lock(file_.number()); }
    void unlock() { Calls::unlock(file_.number()); }

   private:
    [[noreturn]] static void fail(const char* what) {
      throw std::system_error(errno, std::generic_category(), what);
    }

    const platform::FileDescriptor file_;  // its own: locks of one open file are one holder's
  };

  explicit FileKernelLock(const std::string& folder)
      : folder_(platform::open_folder(folder.c_str())) {}

  Handle handle(std::uint64_t key) { return Handle(*this, internal::FileName(key)); }
  Handle handle(std::string_view key) { return Handle(*this, internal::FileName(key)); }

  static constexpr std::uint32_t capacity() { return 1; }
  std::size_t lock_bytes() const { return sizeof *this; }

 private:
  const platform::FileDescriptor folder_;
};

using FileFlock = FileKernelLock<FlockCalls>;
using FileOfd = FileKernelLock<OfdCalls>;

}  // namespace lockbench
