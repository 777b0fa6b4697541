// SPDX-License-Identifier: Apache-2.0

#include "harness/predict/command/here.h"

#include <chrono>
#include <ostream>
#include <string_view>
#include <unistd.h>

#include <absl/strings/str_format.h>

#include "harness/predict/calibrate/calibrate_host.h"

namespace lockbench {
namespace {

using Clock = std::chrono::steady_clock;

// Says how far the loops have come: on a terminal often, elsewhere every 5 s, so that logs stay
// short.
class LoopProgress {
 public:
  explicit LoopProgress(std::ostream& err) : err_(err), terminal_(isatty(STDERR_FILENO) == 1) {}

  void show(std::size_t done, std::size_t all, std::string_view next) {
    if (done == all) {
      if (terminal_ && shown_) err_ << "\r\033[K" << std::flush;
      return;
    }
    if (Clock::now() < due_) return;
    due_ = Clock::now() + (terminal_ ? std::chrono::milliseconds(100) : std::chrono::seconds(5));
    shown_ = true;
    err_ << absl::StrFormat("%scalibrating: %d of %d, %s%s", terminal_ ? "\r\033[K" : "", done + 1,
                            all, next, terminal_ ? "" : "\n")
         << std::flush;
  }

 private:
  std::ostream& err_;
  const bool terminal_;
  bool shown_ = false;
  Clock::time_point due_{};
};

}  // namespace

absl::StatusOr<std::string> measure_here(const std::string& name, std::ostream& err) {
  LoopProgress progress(err);
  return calibration::calibrate_host(
      name, [&progress](std::size_t done, std::size_t all, std::string_view next) {
        progress.show(done, all, next);
      });
}

}  // namespace lockbench
