// SPDX-License-Identifier: Apache-2.0

// RecordingFile: a Recording, as the process that created it sees it.
//
// Guarantees   It has no name in a file system, needs no space on a disk, and is gone when the last
//              process that uses it is. To read it takes memory for one part at a time, and none
//              for what no process has written.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/kernel/core_kinds.h"
#include "harness/observe/recorder/recording.h"

namespace lockbench {

// The time in which a thread waited, `end_ticks` after the process's start.
double blocked_s(std::uint64_t waiters, std::uint64_t ticks, std::uint64_t end_ticks,
                 double ns_per_tick);

class RecordingFile {
 public:
  // `callers`: that make up a place; 0: up to the first that is no wrapper. Unavailable: the kernel
  // has no memory to give.
  static absl::StatusOr<std::unique_ptr<RecordingFile>> create(std::uint32_t callers);

  ~RecordingFile();
  RecordingFile(const RecordingFile&) = delete;
  RecordingFile& operator=(const RecordingFile&) = delete;

  // Where processes that this one starts find it, as NAME=VALUE for their environment.
  std::string variable() const;

  void set_paused(bool paused);

  // Holds are counted by the kinds of cores on which they end. To be called before a process is
  // started. With fewer than two kinds, it changes nothing.
  void set_core_kinds(const std::vector<CoreKind>& kinds);

  // Numbers that processes may be changing.
  observe::Header& header() const { return *header_; }
  // The slots of processes that have a record, and the number of each.
  std::vector<std::size_t> slots() const;
  // Frees the slots of processes that are gone and have acquired no lock.
  void free_unused_slots();

  // The members before Process::modules, and the program.
  struct Brief {
    std::uint32_t pid = 0;
    std::uint32_t waiting = 0;
    observe::ProcessEnd ended = observe::ProcessEnd::kUnknown;
    std::uint64_t start_ticks = 0;
    double processor_s = 0;
    std::uint64_t blocked_waiters = 0;
    std::uint64_t blocked_ticks = 0;
    std::string program;

    // The time in which a thread waited for a lock.
    double blocked_s(std::uint64_t now_ticks, double ns_per_tick) const;
  };
  Brief brief(std::size_t slot) const;

  std::unique_ptr<observe::Process> process(std::size_t slot) const;
  // Each place that is in use, with its number.
  void each_place(std::size_t slot, const observe::Process& process,
                  const std::function<void(std::uint32_t, const observe::Place&)>& use) const;
  // Each lock with an entry, with its key (LockLevels).
  void each_lock(std::size_t slot,
                 const std::function<void(std::uint64_t, const observe::Lock&)>& use) const;

 private:
  RecordingFile(int file, observe::Header* header) : file_(file), header_(header) {}

  bool has_data(std::uint64_t offset, std::uint64_t bytes) const;
  void read(std::uint64_t offset, std::uint64_t bytes, void* to) const;

  int file_;
  observe::Header* header_;
};

}  // namespace lockbench
