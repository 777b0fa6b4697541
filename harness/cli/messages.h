// SPDX-License-Identifier: Apache-2.0

// Messages that several commands share.
#pragma once

namespace lockbench {

// For a budget of 0, of commands that check locks.
inline constexpr char kNoTime[] =
    "--budget: leaves no time to look into anything; give some, as 10s";

}  // namespace lockbench
