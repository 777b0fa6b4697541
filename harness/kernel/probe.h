// SPDX-License-Identifier: Apache-2.0

// answer_within: a question to the machine that may never be answered.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

namespace lockbench {

// The text that `probe` returns, which runs in a child of this process. Absent if the child has not
// answered within `limit` (it is then killed), if it crashed, or if it could not be started.
// `probe` must not need the other threads of this process: the child does not have them.
std::optional<std::string> answer_within(std::chrono::milliseconds limit,
                                         const std::function<std::string()>& probe);

}  // namespace lockbench
