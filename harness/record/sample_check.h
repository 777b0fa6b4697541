// SPDX-License-Identifier: Apache-2.0

// SampleCheck: whether a sample that another process sent can have been measured. That process ran
// a user's lock, which may have overwritten its memory or printed in its place.
#pragma once

#include <absl/status/status.h>

#include "harness/measure/sample.h"

namespace lockbench {

// InvalidArgument names the first figure that no trial can have, as "sample.makespan_s". Figures
// that merely are unlikely pass.
absl::Status check_sample(const Sample& sample);

}  // namespace lockbench
