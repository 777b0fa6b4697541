// SPDX-License-Identifier: Apache-2.0

// ProcessTree: all processes of the observed program, with a record or without one, as the kernel
// shows them.
//
// Guarantees   Looks become rarer in proportion to the time that has passed: a process that no look
//              saw lived for less than a twentieth of the program's time until then.
// Requires     Orphans become children of this process (ForegroundProgram).
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/observe/observation/coverage.h"
#include "harness/observe/observation/recording_file.h"

namespace lockbench {

class ProcessTree {
 public:
  static constexpr std::chrono::nanoseconds kFirstLook = std::chrono::milliseconds(5);

  ProcessTree(const RecordingFile& recording, double processors)
      : recording_(recording), processors_(processors) {}

  // Looks at all processes. Returns the time to the next look. `observes`: whether they record at
  // present; what their threads sleep in counts only then.
  std::chrono::nanoseconds look(bool observes);

  // Notes which threads sleep in a futex now, before the processes begin to record. No record has
  // the beginning of these sleeps, so nothing is known of them.
  void note_sleepers();

  // Before the facts of a child of this process are gone.
  void has_ended(std::uint32_t pid);

  // Processes that run now.
  std::set<std::uint32_t> running() const;

  // The processor time of a recorded process.
  double processor_s(std::uint32_t pid) const;

  // The time in which a thread of a recorded process slept in a system call that another thread may
  // end unseen (a pipe, a socket, a child), as far as looks tell.
  double elsewhere_s(std::uint32_t pid) const;

  // Adds what it saw. `processor_s`: of the processes that have ended.
  void add_to(Coverage& coverage, double processor_s) const;

 private:
  using Clock = std::chrono::steady_clock;

  // A program in a process.
  struct Image {
    std::string program;
    Clock::time_point first;
    Clock::time_point last;
    bool recorded = false;
    // It begins or ends its record at this moment, or is a copy that begins it with its first lock.
    bool has_library = false;
    double processor_s = 0;
    Unseen why = Unseen::kUnknown;
  };
  struct Record {
    std::size_t slot = 0;
    RecordingFile::Brief brief;
  };

  std::map<std::uint32_t, Record> records() const;
  void look_at(std::uint32_t pid, const Record* record, bool observes);
  void sample_threads(std::uint32_t pid, const Record& record);
  bool sleeps_since_before(std::uint32_t pid, const std::string& thread);
  double seen_processor_s() const;
  std::vector<UnseenProcess> unseen() const;

  const RecordingFile& recording_;
  double processors_;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point looked_ = begin_;
  double since_look_s_ = 0;            // at this look, since the one before
  std::uint64_t need_processors_ = 0;  // threads, at this look
  double crowded_s_ = 0;
  std::map<std::uint32_t, std::vector<Image>> images_;    // of each process, the present one last
  std::map<std::uint32_t, double> recorded_processor_s_;  // at a look at which it had a record
  std::map<std::uint32_t, double> elsewhere_s_;
  std::uint64_t futex_samples_ = 0;
  std::uint64_t seen_futex_samples_ = 0;
  // The number of sleeps of each thread that slept when the observation began. If it is unchanged,
  // it is the same sleep.
  std::map<std::string, std::string> sleeps_before_;
  std::set<std::string> older_sleepers_;  // those that were met asleep after that
  std::set<std::string> runtimes_;
};

}  // namespace lockbench
