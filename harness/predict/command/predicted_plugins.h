// SPDX-License-Identifier: Apache-2.0

// Plug-ins of predictions: of `name.so`, what was built beside it as `name.predict.so`.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>

namespace lockbench {

// As add_plugins() in harness/bench/command/run/plugins.h. A plug-in on the path that was not built
// for predictions is left out.
absl::Status add_predicted_plugins(const std::vector<std::string>& named, std::ostream& err);

std::optional<int> add_predicted_plugins_of_command(std::string_view command,
                                                    const std::vector<std::string>& named);

}  // namespace lockbench
