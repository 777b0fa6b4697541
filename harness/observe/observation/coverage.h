// SPDX-License-Identifier: Apache-2.0

// Coverage: what of a program was observed, and what was not. An answer about its locks says no
// more than this allows (verdict.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lockbench {

// Why a process has no record.
enum class Unseen {
  kUnknown,
  kEnvironment,  // it began with an environment that does not name the library
  kRights,       // the loader ignores the library: it has rights that its caller has not
  kStatic,       // it has no loader
  kMachine,      // it is for another kind of processor
  kLibrary,      // it uses another C library (musl)
  kNotOpened,    // another user, or another namespace: it cannot open the recording
  kFilter,       // a copy of a process that restricted its system calls
  kNoRoom,       // all slots of the recording were taken
  kNoMemory,     // its address space has no room for the record
};

struct UnseenProcess {
  std::uint32_t pid = 0;  // 0: unknown
  std::string program;
  Unseen why = Unseen::kUnknown;
  double processor_s = 0;  // as far as is known
  double life_s = 0;       // from the first to the last look at it
};

struct RunningProcess {
  std::uint32_t pid = 0;
  std::string program;
  double processor_s = 0;
};

// From where the program was observed, and so what can be known at all.
enum class View {
  kLibrary,  // within the program: each acquisition of the C library's locks, and its hold
  kKernel,  // from outside: each wait in the kernel, and neither acquisitions without one nor holds
};

// With this share of the processors, other programs make waits longer: whoever holds a lock may not
// run.
inline constexpr double kDisturbsFrom = 0.1;

struct Coverage {
  View view = View::kLibrary;

  // How the program ended, as `exit code 1`; empty: it has not.
  std::string end;
  double life_s = 0;    // from its start to its end, or to the end of the observation
  double delay_s = 0;   // of life_s, what was left out at the start
  double window_s = 0;  // the observation; 0: the program ended before it began
  std::uint32_t runs = 1;

  std::uint32_t processes = 0;          // that have, or had, a record
  std::vector<UnseenProcess> unseen;    // the greatest processor time first
  std::vector<RunningProcess> running;  // at the end, although the program itself had ended
  std::uint64_t starts_lost = 0;        // programs that were started and of which nothing is known

  // The processor time of all processes of the program, and of those with a record. 0: unknown.
  double processor_s = 0;
  double seen_processor_s = 0;

  // The share of the processors that other programs had meanwhile. Waits contain it.
  double other_programs_share = 0;

  // Threads that slept in a futex, at looks at all threads of the recorded processes; and how many
  // of these waits the record knew.
  std::uint64_t futex_samples = 0;
  std::uint64_t seen_futex_samples = 0;

  // The time in which more threads of recorded processes could run, or slept for a time, than there
  // are processors, as far as looks tell.
  double crowded_s = 0;

  // Threads that slept in a futex when the observation began, and were still in that sleep at a
  // look afterwards: no record has its beginning. They are not among the samples.
  std::uint64_t older_sleepers = 0;

  // Acquisitions whose place had no room, and those of them after a wait.
  std::uint64_t placeless_acquisitions = 0;
  std::uint64_t placeless_contended = 0;

  // Kinds of programs whose own locks look like something else: `Java`.
  std::vector<std::string> runtimes;

  bool is_disturbed() const { return other_programs_share >= kDisturbsFrom; }
  double seen_processor_share() const;
  double seen_futex_share() const;
};

// `its environment was cleared`, and what to do about it.
std::string why_text(Unseen why);
std::string advice_text(Unseen why);

}  // namespace lockbench
