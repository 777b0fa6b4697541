// SPDX-License-Identifier: Apache-2.0

// Languages whose own locks look like something else from outside of the language.
#pragma once

#include <cstdint>
#include <string>

namespace lockbench {

// `Java`, `Go`, `Python`, `Ruby` or `.NET`, by the name of the process's program and by what it has
// loaded; else empty.
std::string language_runtime(std::uint32_t pid, const std::string& program);

}  // namespace lockbench
