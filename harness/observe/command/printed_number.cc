// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/command/printed_number.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <optional>
#include <system_error>
#include <vector>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>

namespace lockbench {
namespace {

struct Separators {
  char of_groups;
  char decimal;
};
constexpr Separators kPointIsDecimal{',', '.'};
constexpr Separators kCommaIsDecimal{'.', ','};

bool is_digit(char letter) {
  return std::isdigit(static_cast<unsigned char>(letter)) != 0;
}

// Three digits in each group but the first, which has fewer or as many and does not begin with 0.
bool are_groups(const std::vector<std::string>& groups) {
  if (groups.size() == 1) return true;
  if (groups[0].empty() || groups[0].size() > 3 || groups[0][0] == '0') return false;
  return std::all_of(groups.begin(), groups.end(), [&](const std::string& group) {
    return std::all_of(group.begin(), group.end(), is_digit) &&
           (&group == groups.data() || group.size() == 3);
  });
}

// The number that the text is with these separators, if it is one.
std::optional<double> number_with(Separators separators, const std::string& text) {
  const std::size_t decimal = text.find(separators.decimal);
  const std::string whole = text.substr(0, decimal);
  const std::vector<std::string> groups = absl::StrSplit(whole, separators.of_groups);
  if (!are_groups(groups)) return std::nullopt;
  std::string plain = absl::StrJoin(groups, "");
  if (decimal != std::string::npos) absl::StrAppend(&plain, ".", text.substr(decimal + 1));
  // Else from_chars() takes `inf` and `nan`, too.
  if (plain.empty() || !(is_digit(plain[0]) || plain[0] == '.')) return std::nullopt;
  double number = 0;
  const char* const end = plain.data() + plain.size();
  const auto [stopped, error] = std::from_chars(plain.data(), end, number);
  if (error != std::errc() || stopped != end || !(number > 0)) return std::nullopt;
  return number;
}

}  // namespace

absl::StatusOr<double> printed_number(const std::string& text) {
  const std::optional<double> with_point = number_with(kPointIsDecimal, text);
  std::optional<double> with_comma;
  if (text.find(',') != std::string::npos) with_comma = number_with(kCommaIsDecimal, text);
  if (with_point && with_comma) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text, "' may be ", *with_point, " or ", *with_comma,
                     "; have the program print it without a comma, as with LC_ALL=C"));
  }
  if (with_point) return *with_point;
  if (with_comma) return *with_comma;
  return absl::InvalidArgumentError("'" + text + "' is no finite number above 0");
}

}  // namespace lockbench
