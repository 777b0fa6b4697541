// SPDX-License-Identifier: Apache-2.0

// SampleCheck: whether a sample from another process is possible. That process ran a user's lock,
// which may have overwritten the process's memory or printed a sample of its own.
#pragma once

#include <absl/status/status.h>

#include "harness/measure/sample.h"

namespace lockbench {

// InvalidArgument names the first impossible figure, as "sample.makespan_s". Figures that are only
// unlikely pass.
absl::Status check_sample(const Sample& sample);

}  // namespace lockbench
