// SPDX-License-Identifier: Apache-2.0

// complain(): the one way in which a program of ours says what is wrong. The line names who speaks,
// so that it can be told from the output of the programs that it starts:
//
//   lockbench run: unknown primitive 'stripped'; did you mean 'striped'?
#pragma once

#include <ostream>
#include <string_view>

#include <absl/status/status.h>

#include "harness/base/exit_code.h"

namespace lockbench {

// One line, `who: what`. Of `what`, characters that would end the line or command a terminal are
// escaped (printable.h).
void say(std::ostream& err, std::string_view who, std::string_view what);

// As say(). Returns `code`, for a command to end with.
int complain(std::ostream& err, std::string_view who, std::string_view what, int code = kBadInput);
int complain(std::ostream& err, std::string_view who, const absl::Status& status,
             int code = kBadInput);

}  // namespace lockbench
