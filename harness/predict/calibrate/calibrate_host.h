// SPDX-License-Identifier: Apache-2.0

// calibrate_host: measures this machine and writes the file of its model, or recognizes this file.
#pragma once

#include <string>
#include <string_view>

#include <absl/status/statusor.h>

#include "harness/predict/calibrate/measure_figures.h"

namespace lockbench::calibration {

// The text of the file of a machine that is called `name`. Takes some seconds, and 5 ms for each
// pair of cores. Requires that no trial runs at the same time.
absl::StatusOr<std::string> calibrate_host(const std::string& name, const Report& report);

// True if a text is the file of a model that was measured on a machine like this one: with its
// processor model, as many cores and threads, and its hypervisor. Measures nothing.
bool is_model_of_host(std::string_view toml);

}  // namespace lockbench::calibration
