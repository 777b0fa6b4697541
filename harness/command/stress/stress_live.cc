// SPDX-License-Identifier: Apache-2.0

#include "harness/command/stress/stress_live.h"

#include <iostream>
#include <unistd.h>

#include <absl/strings/str_format.h>

#include "harness/command/stress/stress_engines.h"

namespace lockbench {

std::string live_line(const Charge& charge, std::size_t position, std::size_t charges,
                      std::size_t findings, std::string_view out) {
  return absl::StrFormat("%d/%d  %s  %s  %s  %d findings", position + 1, charges, charge.engine,
                         charge.suspect.name, std::string(last_told(out)), findings);
}

StressLive::StressLive(std::size_t charges)
    : terminal_(isatty(STDERR_FILENO) != 0), charges_(charges) {}

void StressLive::show(const Charge& charge, std::size_t position, std::string_view out) const {
  if (!terminal_) return;
  std::cerr << "\r\x1b[K" << live_line(charge, position, charges_, findings, out) << std::flush;
}

void StressLive::leave() const {
  if (terminal_) std::cerr << "\r\x1b[K" << std::flush;
}

}  // namespace lockbench
