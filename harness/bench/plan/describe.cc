// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/plan/describe.h"

#include <absl/strings/str_format.h>

#include "harness/base/quantity.h"
#include "harness/bench/plan/spelling.h"

namespace lockbench {

std::string counted(std::uint64_t count, std::string_view noun) {
  return absl::StrFormat("%d %s%s", count, noun, count == 1 ? "" : "s");
}

namespace {

// The many times of a mix would fill the line.
std::string in_short(const Work& work) {
  if (work.mix.empty()) return to_text(work);
  return to_text(work.kind) + " of " + to_text(work.duration);
}

}  // namespace

std::string describe(const Cell& cell) {
  std::string out = to_text(cell.primitive) + ", " + to_text(cell.workload) + ", " +
                    counted(cell.threads, "thread") + ", " + counted(cell.keys, "key");
  const auto say = [&out](std::string_view what) {
    out += ", ";
    out += what;
  };
  if (cell.key_type != KeyType::kU64) say(to_text(cell.key_type));
  if (cell.key_distribution != KeyDistribution{}) say(to_text(cell.key_distribution));
  if (cell.hold != Work{}) say("hold " + in_short(cell.hold));
  if (cell.load) say("load " + to_text(*cell.load));
  if (cell.think != Work{}) say("think " + in_short(cell.think));
  if (cell.write_share) say(share_text(*cell.write_share) + " writes");
  if (cell.timeout != Nanoseconds{0}) say("timeout " + to_text(cell.timeout));
  if (cell.pinning != "none") say("pinning " + cell.pinning);
  if (cell.mode == Mode::kOpen) {
    say(absl::StrFormat("%d/s %s", cell.rate_per_s, to_text(cell.arrivals)));
  }
  if (cell.mode == Mode::kFixed) say(counted(cell.operations, "operation") + " each");
  if (!cell.machine.empty()) say("on " + cell.machine);
  return out;
}

std::string describe(const Trial& trial, Nanoseconds expected) {
  return absl::StrFormat("%5d  block %d  %s  %s", trial.number, trial.block, describe(trial.cell),
                         to_text(expected));
}

std::string fingerprint(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3;
  }
  return absl::StrFormat("%016x", hash);
}

}  // namespace lockbench
