// SPDX-License-Identifier: Apache-2.0

// Sample and JSON: what the child process of a trial prints and its parent reads.
//
// Guarantees   parse_sample(sample_text(s)) == s for every sample whose figures are finite and
//              whose texts are UTF-8; a figure that is not finite is no measurement and becomes
//              absent; bytes that are no UTF-8 are replaced.
#pragma once

#include <string>
#include <string_view>

#include <absl/status/statusor.h>

#include "harness/measure/sample.h"

namespace lockbench {

// One line, without a line end.
std::string sample_text(const Sample& sample);

// InvalidArgument names the field that is missing, of a wrong type or unknown.
absl::StatusOr<Sample> parse_sample(std::string_view text);

}  // namespace lockbench
