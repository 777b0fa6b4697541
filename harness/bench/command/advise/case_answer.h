// SPDX-License-Identifier: Apache-2.0

// CaseAnswer: the load of a case that another program knows, as one line of JSON:
//
//   {"title":"Cache::get","kind":"mutex","workload":"counter","threads":8,"keys":64,
//    "key_distribution":"zipf:0.9","hold":"200ns","think":"1us","differences":["…"]}
//
// Words and times are written as users write them. `writes` is there for readers and writers alone.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "harness/bench/command/advise/advice_case.h"

namespace lockbench {

struct CaseAnswer {
  std::string title;  // what has this load
  QuestionKind kind = QuestionKind::kMutex;
  WorkloadSpec workload;
  std::uint32_t threads = 0;
  std::uint64_t keys = 0;
  KeyDistribution key_distribution;
  Work hold;
  Work think;
  std::optional<double> write_share;
  // How the workload differs from what was seen, a sentence each.
  std::vector<std::string> differences;

  bool operator==(const CaseAnswer&) const = default;
};

std::string to_json(const CaseAnswer& answer);

// InvalidArgument names the field that is missing or wrong.
absl::StatusOr<CaseAnswer> case_answer_from_json(std::string_view text);

AdviceCase case_of(const CaseAnswer& answer);

}  // namespace lockbench
