// SPDX-License-Identifier: Apache-2.0

#include "harness/command/observe/recording_file.h"

#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace lockbench {
namespace {

using observe::Recording;

absl::Status no_memory(const char* what) {
  return absl::UnavailableError(std::string(what) + ": " + std::strerror(errno));
}

}  // namespace

RecordingCopy::~RecordingCopy() {
  munmap(memory_, sizeof(Recording));
}

absl::StatusOr<std::unique_ptr<RecordingFile>> RecordingFile::create(std::uint32_t callers) {
  const int file = memfd_create("lockbench-observe", MFD_CLOEXEC);
  if (file < 0) return no_memory("no memory to record in (memfd_create)");
  void* memory = MAP_FAILED;
  if (ftruncate(file, sizeof(Recording)) == 0) {
    memory = mmap(nullptr, sizeof(Recording), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
                  file, 0);
  }
  if (memory == MAP_FAILED) {
    const absl::Status status =
        no_memory(errno == EFBIG ? "the recording counts as a large file, of which little has "
                                   "contents; raise the limit (ulimit -f)"
                                 : "no memory to record in (mmap)");
    close(file);
    return status;
  }
  // relaxed: the program that reads it is started later.
  static_cast<Recording*>(memory)->callers.store(callers, std::memory_order_relaxed);
  static_cast<Recording*>(memory)->version.store(Recording::kVersion, std::memory_order_relaxed);
  return std::unique_ptr<RecordingFile>(new RecordingFile(file, memory));
}

RecordingFile::~RecordingFile() {
  munmap(memory_, sizeof(Recording));
  close(file_);
}

std::string RecordingFile::variable() const {
  return std::string(observe::kRecordingVariable) + "=/proc/" + std::to_string(getpid()) + "/fd/" +
         std::to_string(file_);
}

void RecordingFile::set_paused(bool paused) {
  // relaxed: a thread that sees it late counts a little longer.
  static_cast<Recording*>(memory_)->paused.store(paused ? 1 : 0, std::memory_order_relaxed);
}

absl::StatusOr<std::unique_ptr<RecordingCopy>> RecordingFile::copy() const {
  void* const to = mmap(nullptr, sizeof(Recording), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (to == MAP_FAILED) return no_memory("no memory to read the recording into");
  auto result = std::make_unique<RecordingCopy>(to);
  // To read a page of the mapping that was never written would make the kernel provide it.
  for (off_t at = 0; (at = lseek(file_, at, SEEK_DATA)) >= 0;) {
    const off_t end = lseek(file_, at, SEEK_HOLE);
    while (at < end) {
      const ssize_t got =
          pread(file_, static_cast<char*>(to) + at, static_cast<std::size_t>(end - at), at);
      if (got <= 0) return no_memory("the recording cannot be read");
      at += got;
    }
  }
  return result;
}

}  // namespace lockbench
