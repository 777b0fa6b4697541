// SPDX-License-Identifier: Apache-2.0

// Expression: a regular expression of the user's.
//
// Guarantees   Time and memory are bounded by the length of the text, whatever the expression is.
//              `^` and `$` are the ends of a line, and `.` is any byte within one.
// Not offered  Back-references and looking ahead, which this bound does not allow.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

namespace re2 {
class RE2;
}

namespace lockbench {

class Expression {
 public:
  // InvalidArgument says where it is wrong.
  static absl::StatusOr<Expression> parse(const std::string& text);

  const std::string& text() const { return text_; }

  bool finds_in(std::string_view text) const;

  // The first group of the last match, or else all of this match. Absent if nothing matches.
  std::optional<std::string> last_in(std::string_view text) const;

 private:
  Expression(std::string text, std::shared_ptr<const re2::RE2> compiled);

  std::string text_;
  std::shared_ptr<const re2::RE2> compiled_;
};

}  // namespace lockbench
