// SPDX-License-Identifier: Apache-2.0

#include "harness/command/stress/live.h"

#include <iostream>
#include <unistd.h>

#include <absl/strings/str_format.h>

#include "harness/command/stress/engines.h"
#include "harness/plan/printable.h"

namespace lockbench {

std::string live_line(const TestJob& job, std::size_t position, std::size_t jobs,
                      std::size_t failures, std::string_view out) {
  return absl::StrFormat("%d/%d  %s  %s  %s  %d failures", position + 1, jobs, job.engine,
                         job.lock.name, std::string(last_progress(out)), failures);
}

StressLive::StressLive(std::size_t jobs) : terminal_(isatty(STDERR_FILENO) != 0), jobs_(jobs) {}

void StressLive::show(const TestJob& job, std::size_t position, std::string_view out) const {
  if (!terminal_) return;
  std::cerr << "\r\x1b[K" << printable(live_line(job, position, jobs_, failures, out))
            << std::flush;
}

void StressLive::leave() const {
  if (terminal_) std::cerr << "\r\x1b[K" << std::flush;
}

}  // namespace lockbench
