// SPDX-License-Identifier: Apache-2.0

// The commands of this program, as their messages begin.
#pragma once

#include <string_view>

namespace lockbench {

inline constexpr std::string_view kObserve = "lockbench observe";
inline constexpr std::string_view kWhatIf = "lockbench whatif";
inline constexpr std::string_view kCompareProgram = "lockbench compare-program";
inline constexpr std::string_view kSubstitute = "lockbench substitute";

}  // namespace lockbench
