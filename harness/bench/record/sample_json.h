// SPDX-License-Identifier: Apache-2.0

// Sample and JSON: the text that the child process of a trial prints and its parent reads.
//
// Guarantees   parse_sample(sample_text(s)) == s for every sample whose figures are finite and
//              whose texts are UTF-8. A figure that is not finite counts as not measured and
//              becomes absent. Bytes that are not UTF-8 are replaced.
//
// SampleCheck: whether a sample from another process is possible. That process ran a user's lock,
// which may have overwritten the process's memory or printed a sample of its own.
#pragma once

#include <string>
#include <string_view>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "harness/bench/measure/sample.h"

namespace lockbench {

// InvalidArgument names the first impossible figure, as "sample.makespan_s". Figures that are only
// unlikely pass.
absl::Status check_sample(const Sample& sample);

// One line, without a line end.
std::string sample_text(Sample sample);

// InvalidArgument names the field that is missing, of a wrong type or unknown.
absl::StatusOr<Sample> parse_sample(std::string_view text);

}  // namespace lockbench
