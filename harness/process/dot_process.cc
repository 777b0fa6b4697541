// SPDX-License-Identifier: Apache-2.0

#include "harness/process/dot_process.h"

#include <chrono>
#include <utility>

#include "harness/process/child_process.h"
#include "harness/process/signals.h"

namespace lockbench {
namespace {

// Far more than dot takes for a net that anybody can look at.
constexpr std::chrono::seconds kPatience{60};

}  // namespace

absl::StatusOr<std::string> laid_out_by_dot(const std::string& graph) {
  note_signals();
  absl::StatusOr<ChildResult> result =
      run_child({.program = "dot",
                 .words = {"dot", "-Tplain"},
                 .input = graph,
                 .deadline = std::chrono::steady_clock::now() + kPatience});
  if (!result.ok()) {
    return absl::UnavailableError("cannot start dot, which lays nets out; install graphviz");
  }
  if (result->ending == ChildEnding::kInterrupted) return absl::CancelledError("interrupted");
  if (result->ending == ChildEnding::kTooLong) {
    return absl::InternalError("dot took longer than " + std::to_string(kPatience.count()) +
                               " s to lay the net out; draw a smaller one");
  }
  if (result->status != 0) return absl::InternalError(told_end("dot", *result));
  return std::move(result->out);
}

}  // namespace lockbench
