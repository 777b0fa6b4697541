// SPDX-License-Identifier: Apache-2.0

// Spelling: converts every word of a cell between values and the text that users type.
//
//   primitive          keyed    striped:lock=std,stripes=64
//   workload           counter    nested:mixed_lock_unlock    checkout:second_lease
//   hold, think        0    200ns (spins)    spin:200ns    sleep:100ms    touch:8 (cache lines)
//                      exp:1us (spins for random times of this mean)    sleep:exp:1ms
//                      mix:10ns/10ns/1us (spins for one of these times)    sleep:mix:1ms/5ms
//   load               50%    sleep:50% (threads sleep between operations)    saturated
//   key distribution   uniform    zipf:0.99    hot:0.1,0.9 (of the keys, of the operations)
//                      assigned:6,2,5 (operations of each key)
//   writes             0    1%    100%
//   mode               timed    fixed    open    (micro: of lockbench-micro alone)
//   arrivals           poisson    fixed
//   watch              none    conflicts
//   key type           u64    string
//   pinning            none    compact    scatter    one-core    0,2,4-7 (processors)
//                      kind:slow (cores of this kind)    mixed:2+1 (threads on each kind)
//
// Guarantees   parse(to_text(x)) is x. Equal values have equal text, which is valid in a file or a
//              flag.
// Not offered  Whether a primitive, its parameters or a workload exist: the catalog checks that.
//
// Every error is an InvalidArgument that says what is wrong and what would be right.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

#include "harness/bench/plan/cell.h"
#include "workloads/settings.h"

namespace lockbench {

absl::StatusOr<PrimitiveSpec> parse_primitive(std::string_view text);
std::string to_text(const PrimitiveSpec& primitive);
std::string parameters_text(const PrimitiveSpec& primitive);  // `lock=std,stripes=64`, or empty

absl::StatusOr<WorkloadSpec> parse_workload(std::string_view text);
std::string to_text(const WorkloadSpec& workload);

absl::StatusOr<Work> parse_work(std::string_view text);
std::string to_text(const Work& work);
std::string to_text(
    Work::Kind kind);  // `none`, `spin`, `sleep`, `touch`, `exp`, `sleep:exp`, `mix`, `sleep:mix`

// Absent: `saturated`, no think time.
absl::StatusOr<std::optional<Load>> parse_load(std::string_view text);
std::string to_text(const Load& load);
std::string to_text(const std::optional<Load>& load);

absl::StatusOr<KeyDistribution> parse_key_distribution(std::string_view text);
std::string to_text(const KeyDistribution& distribution);

// A share in percent, as a number from 0 to 1.
absl::StatusOr<double> parse_share(std::string_view text);
std::string share_text(double share);

absl::StatusOr<Mode> parse_mode(std::string_view text);
std::string to_text(Mode mode);

absl::StatusOr<ArrivalKind> parse_arrivals(std::string_view text);
std::string to_text(ArrivalKind arrivals);

// The text that says whether conflicts are watched: `none` or `conflicts`.
absl::StatusOr<bool> parse_watch(std::string_view text);
std::string watch_text(bool watch_conflicts);

absl::StatusOr<KeyType> parse_key_type(std::string_view text);
std::string to_text(KeyType key_type);

// Returns the text if it is well formed.
absl::StatusOr<std::string> parse_pinning(std::string_view text);

}  // namespace lockbench
