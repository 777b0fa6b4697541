// SPDX-License-Identifier: Apache-2.0

// Hearing: what comes of holding a lock against its net, one execution after the other. Pure: of
// clocks, and of how a lock is run, it knows nothing.
//
// The first execution that disagrees convicts, and none should be looked at after it. It is
// convicted by the oracle kNet when the net cannot do what was seen; by kCrash when it can, and the
// execution came to a bad end. Where nothing was decided of any execution, or there was none, the
// report is inconclusive and never clean.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/stress/chronicle.h"
#include "harness/stress/conformance/judge.h"
#include "harness/stress/conformance/watched_net.h"
#include "harness/stress/finding.h"
#include "harness/stress/report.h"

namespace lockbench::stress {

class Hearing {
 public:
  Hearing(const WatchedNet& net, const KeyMap& keys) : net_(net), judge_(net, keys) {}

  // All that may have happened in an execution (Judge::look_at), and the strategy or mode that had
  // it. `ended_badly` says what became of who did it; empty: nothing bad.
  void look_at(std::span<const Chronicle> readings, const std::string& how,
               const std::string& ended_badly = "");

  // Counts an execution of which nothing can be said.
  void pass_over();

  bool convicts() const { return finding_.has_value(); }
  std::uint64_t executions() const { return executions_; }
  std::uint64_t passed_over() const { return passed_over_; }

  // `begun` says whose report it is and how long it took; the rest is put in, and figures and
  // remarks are added.
  Report complete(Report begun) const;

 private:
  const WatchedNet& net_;
  Judge judge_;
  std::uint64_t executions_ = 0;
  std::uint64_t passed_over_ = 0;
  std::optional<Finding> finding_;
  std::string how_;
  std::vector<std::string> story_;
};

}  // namespace lockbench::stress
