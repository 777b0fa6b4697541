// SPDX-License-Identifier: Apache-2.0

// LineProcess: a program that prints lines, of its own accord or for each line that it is sent.
//
// Guarantees   read() and ask() return at their deadline, when the program has ended, or when a
// signal is
//              noted, whatever the program does. The destructor ends the program and waits for it.
//              end_orphans() does not end the program.
// Not offered  Answers longer than kMostAnswerBytes; what the program prints on standard error,
//              which is dropped.
// Requires     for ask(): SIGPIPE is ignored. One thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/process/orphans.h"

namespace lockbench {

class LineProcess {
 public:
  static constexpr std::size_t kMostAnswerBytes = std::size_t{16} << 20;

  // `words`: the program, which is searched for on the PATH unless it has a slash, and its
  // arguments. When this object goes, the program's standard input ends; it is killed if it has not
  // ended `patience` later. Internal if no process could be created.
  static absl::StatusOr<LineProcess> start(const std::vector<std::string>& words,
                                           std::chrono::steady_clock::duration patience = {});

  LineProcess(LineProcess&& other) noexcept;
  LineProcess& operator=(LineProcess&&) = delete;
  ~LineProcess();

  // The next line that the program prints. DeadlineExceeded; Cancelled if a signal was noted
  // (signals.h); Unavailable, with the reason, if the program has ended or printed too much.
  absl::StatusOr<std::string> read(std::chrono::steady_clock::time_point deadline);

  // The same, after the program was sent an empty line.
  absl::StatusOr<std::string> ask(std::chrono::steady_clock::duration at_most);

 private:
  LineProcess(pid_t process, int to, int from, std::chrono::steady_clock::duration patience)
      : process_(process),
        guard_(std::make_unique<ChildGuard>(process)),
        to_(to),
        from_(from),
        patience_(patience) {}

  absl::Status ended();

  pid_t process_;  // -1: it has ended and was waited for
  std::unique_ptr<ChildGuard> guard_;
  int to_;
  int from_;
  std::chrono::steady_clock::duration patience_;
  std::string unread_;  // printed, and not returned by ask() yet
};

}  // namespace lockbench
