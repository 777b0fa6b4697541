// SPDX-License-Identifier: Apache-2.0

#include "harness/base/complain.h"

#include <string>

#include "harness/base/printable.h"

namespace lockbench {

void say(std::ostream& err, std::string_view who, std::string_view what) {
  err << who << ": " << printable(what) << '\n';
}

int complain(std::ostream& err, std::string_view who, std::string_view what, int code) {
  say(err, who, what);
  return code;
}

int complain(std::ostream& err, std::string_view who, const absl::Status& status, int code) {
  return complain(err, who, std::string(status.message()), code);
}

}  // namespace lockbench
