// SPDX-License-Identifier: Apache-2.0

// A number as a program prints it.
#pragma once

#include <string>

#include <absl/status/statusor.h>

namespace lockbench {

// Understands `1234.5` and `1.5e-3`, and with a comma `1,234.5` and `1.234,5`, as far as the text
// itself says which of the two a comma is. InvalidArgument says what is wrong: the text is no
// finite number above 0; or, as `1,234`, it is one number in one language and another in the next.
absl::StatusOr<double> printed_number(const std::string& text);

}  // namespace lockbench
