// SPDX-License-Identifier: Apache-2.0

// Files, as locks between processes use them: names in one folder that is held open.
//
// Guarantees   every name is looked up in the folder of the descriptor, even if its path leads
//              to another folder by then; no call follows a symbolic link at the end of a name.
// Errors       calls return 0 or the number of the error, as errno has it; none throws.
#pragma once

#if !defined(__linux__)
#error \
    "lockbench: FileLock needs Linux (flock, F_OFD_SETLK, renameat2, /proc); the other locks do not"
#endif

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string>
#include <string_view>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <utility>

#include <climits>

namespace lockbench::platform {

// Closes itself.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~FileDescriptor() {
    if (number_ >= 0) close(number_);
  }

  bool open() const { return number_ >= 0; }
  int number() const { return number_; }

 private:
  int number_ = -1;
};

// Facts about something in a folder, or about the folder.
struct FileFacts {
  unsigned owner = 0;
  unsigned mode = 0;  // permissions, and the sticky bit
  bool regular = false;
  bool folder = false;
  std::size_t links = 0;
  std::size_t bytes = 0;
  std::uint64_t number = 0;  // no other of its file system has it while this one exists or is open

  static constexpr unsigned kSticky = S_ISVTX;
  static constexpr unsigned kWrittenByOthers = S_IWOTH;
  static constexpr unsigned kForGroupOrOthers = S_IRWXG | S_IRWXO;
};

inline unsigned this_user() noexcept {
  return geteuid();
}

namespace internal {

inline int error_of(long result) noexcept {
  return result < 0 ? errno : 0;
}

inline FileDescriptor opened(int folder, const char* name, int flags, unsigned mode = 0) noexcept {
  return FileDescriptor(openat(folder, name, flags | O_CLOEXEC | O_NOFOLLOW, mode));
}

inline struct flock byte_lock(std::uint64_t byte) noexcept {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = static_cast<off_t>(byte);
  lock.l_len = 1;
  return lock;
}

}  // namespace internal

// When the result is not open, errno says why.
inline FileDescriptor open_folder(const char* path) noexcept {
  return internal::opened(AT_FDCWD, path, O_RDONLY | O_DIRECTORY);
}
inline FileDescriptor open_folder_in(const FileDescriptor& folder, const char* name) noexcept {
  return internal::opened(folder.number(), name, O_RDONLY | O_DIRECTORY);
}
inline FileDescriptor open_file_in(const FileDescriptor& folder, const char* name) noexcept {
  return internal::opened(folder.number(), name, O_RDONLY | O_NONBLOCK);
}
// A file that is read and written, made when there is none, for this user alone.
inline FileDescriptor open_private_file(const FileDescriptor& folder, const char* name) noexcept {
  return internal::opened(folder.number(), name, O_RDWR | O_CREAT | O_NONBLOCK, 0600);
}

inline int facts_of(const FileDescriptor& file, FileFacts& facts) noexcept {
  struct stat found;
  if (fstat(file.number(), &found) != 0) return errno;
  facts = {.owner = found.st_uid,
           .mode = found.st_mode & 07777,
           .regular = S_ISREG(found.st_mode),
           .folder = S_ISDIR(found.st_mode),
           .links = found.st_nlink,
           .bytes = static_cast<std::size_t>(found.st_size),
           .number = found.st_ino};
  return 0;
}

// True if only this machine can have the folder's file system in use.
inline bool on_local_file_system(const FileDescriptor& folder) noexcept {
  constexpr std::uint32_t kXfs = 0x58465342;
  constexpr std::uint32_t kF2fs = 0xF2F52010;
  struct statfs found;
  if (fstatfs(folder.number(), &found) != 0) return false;
  // The kernel's numbers have 32 bits. The type of the member has a sign, and on some systems no
  // more.
  for (const std::uint32_t local : {std::uint32_t{EXT4_SUPER_MAGIC}, std::uint32_t{TMPFS_MAGIC},
                                    std::uint32_t{BTRFS_SUPER_MAGIC}, kXfs, kF2fs}) {
    if (static_cast<std::uint32_t>(found.f_type) == local) return true;
  }
  return false;
}

inline int make_symlink(const FileDescriptor& folder, const char* text, const char* name) noexcept {
  return internal::error_of(symlinkat(text, folder.number(), name));
}
// A second name for what `name` is. EEXIST when there is a `second` already.
inline int make_link(const FileDescriptor& folder, const char* name, const char* second) noexcept {
  return internal::error_of(linkat(folder.number(), name, folder.number(), second, 0));
}
inline int make_folder(const FileDescriptor& folder, const char* name) noexcept {
  return internal::error_of(mkdirat(folder.number(), name, 0700));
}
// EEXIST when there is a `to` already; EINVAL if the file system does not support this.
inline int rename_to_free_name(const FileDescriptor& folder, const char* from,
                               const char* to) noexcept {
  return internal::error_of(
      syscall(SYS_renameat2, folder.number(), from, folder.number(), to, RENAME_NOREPLACE));
}
inline int remove_file(const FileDescriptor& folder, const char* name) noexcept {
  return internal::error_of(unlinkat(folder.number(), name, 0));
}
inline int remove_folder(const FileDescriptor& folder, const char* name) noexcept {
  return internal::error_of(unlinkat(folder.number(), name, AT_REMOVEDIR));
}

// Reads a symbolic link; `text` is emptied when it is none. EINVAL: it is something else.
inline int read_symlink(const FileDescriptor& folder, const char* name, std::string& text) {
  std::array<char, PATH_MAX> buffer;
  const ssize_t got = readlinkat(folder.number(), name, buffer.data(), buffer.size());
  text.assign(buffer.data(), got < 0 ? 0 : static_cast<std::size_t>(got));
  return internal::error_of(got);
}

// A whole small file; `text` is emptied when there is none.
inline int read_file(const FileDescriptor& folder, const char* name, std::string& text) {
  std::array<char, 4096> buffer;
  text.clear();
  const FileDescriptor file = internal::opened(folder.number(), name, O_RDONLY);
  if (!file.open()) return errno;
  const ssize_t got = read(file.number(), buffer.data(), buffer.size());
  text.assign(buffer.data(), got < 0 ? 0 : static_cast<std::size_t>(got));
  return internal::error_of(got);
}

// Writes over the front of a file, which is made when there is none, in one call: of a text this
// small the kernel writes all or, when the process is killed before, nothing.
inline int overwrite_file(const FileDescriptor& folder, const char* name, std::string_view text) {
  const FileDescriptor file = internal::opened(folder.number(), name, O_WRONLY | O_CREAT, 0600);
  if (!file.open()) return errno;
  return internal::error_of(pwrite(file.number(), text.data(), text.size(), 0));
}

// Calls visit(name) for every name in the folder.
template <class Visit>
void for_each_name(const FileDescriptor& folder, Visit visit) {
  const int again = openat(folder.number(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* const listing = again < 0 ? nullptr : fdopendir(again);
  if (listing == nullptr) {
    if (again >= 0) close(again);
    return;
  }
  while (const dirent* entry = readdir(listing)) visit(static_cast<const char*>(entry->d_name));
  closedir(listing);
}

// Takes the kernel's advisory lock of an open file, which goes when its last descriptor does, by
// whatever end. EWOULDBLOCK: another holder has it.
inline int try_advisory_lock(const FileDescriptor& file) noexcept {
  return internal::error_of(flock(file.number(), LOCK_EX | LOCK_NB));
}
inline void advisory_unlock(const FileDescriptor& file) noexcept {
  flock(file.number(), LOCK_UN);
}

// Locks one byte of an open file, which need not exist. The lock goes when the last descriptor of
// this open file does, by whatever end. EAGAIN: another open file has it; EINVAL: the kernel has no
// such locks.
inline int try_byte_lock(const FileDescriptor& file, std::uint64_t byte) noexcept {
  struct flock lock = internal::byte_lock(byte);
  return internal::error_of(fcntl(file.number(), F_OFD_SETLK, &lock));
}
// Finds out whether another open file has locked the byte.
inline int byte_is_locked(const FileDescriptor& file, std::uint64_t byte, bool& locked) noexcept {
  struct flock lock = internal::byte_lock(byte);
  const int error = internal::error_of(fcntl(file.number(), F_OFD_GETLK, &lock));
  locked = error == 0 && lock.l_type != F_UNLCK;
  return error;
}

// Makes the file at least `bytes` long, with space on its device for all of them: a write to mapped
// memory without space behind it ends the process with SIGBUS.
inline int reserve_bytes(const FileDescriptor& file, std::size_t bytes) noexcept {
  int error = EINTR;
  while (error == EINTR) error = posix_fallocate(file.number(), 0, static_cast<off_t>(bytes));
  return error;
}

// `bytes` of memory shared between processes: of a file, or with later children. Null when it
// is not available; then errno says why.
inline void* map_shared(const FileDescriptor& file, std::size_t bytes) noexcept {
  const int flags = MAP_SHARED | (file.open() ? 0 : MAP_ANONYMOUS);
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, file.number(), 0);
  return memory == MAP_FAILED ? nullptr : memory;
}
inline void unmap_shared(void* memory, std::size_t bytes) noexcept {
  munmap(memory, bytes);
}

}  // namespace lockbench::platform
