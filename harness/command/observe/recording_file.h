// SPDX-License-Identifier: Apache-2.0

// RecordingFile: the memory of a Recording, as the process that created it sees it.
//
// Guarantees   It has no name in a file system, needs no space on a disk, and is gone when the last
//              process that uses it is.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <absl/status/statusor.h>

#include "harness/observe/recording.h"

namespace lockbench {

// A copy of a recording, in memory of its own. Pages that were never written are not copied.
class RecordingCopy {
 public:
  explicit RecordingCopy(void* memory) : memory_(memory) {}
  ~RecordingCopy();
  RecordingCopy(const RecordingCopy&) = delete;
  RecordingCopy& operator=(const RecordingCopy&) = delete;

  const observe::Recording& operator*() const {
    return *static_cast<const observe::Recording*>(memory_);
  }

 private:
  void* memory_;
};

class RecordingFile {
 public:
  // `callers`: that make up a place. Unavailable: the kernel has no memory to give.
  static absl::StatusOr<std::unique_ptr<RecordingFile>> create(std::uint32_t callers);

  ~RecordingFile();
  RecordingFile(const RecordingFile&) = delete;
  RecordingFile& operator=(const RecordingFile&) = delete;

  // Where processes that this one starts find it, as NAME=VALUE for their environment.
  std::string variable() const;

  void set_paused(bool paused);

  // Numbers that processes may be changing. To read what no process has written needs memory.
  const observe::Recording& live() const { return *static_cast<observe::Recording*>(memory_); }
  absl::StatusOr<std::unique_ptr<RecordingCopy>> copy() const;

 private:
  RecordingFile(int file, void* memory) : file_(file), memory_(memory) {}

  int file_;
  void* memory_;
};

}  // namespace lockbench
