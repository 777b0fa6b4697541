// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/observation/expression.h"

#include <algorithm>
#include <array>
#include <utility>

#include <absl/strings/str_cat.h>
#include <re2/re2.h>

namespace lockbench {

Expression::Expression(std::string text, std::shared_ptr<const re2::RE2> compiled)
    : text_(std::move(text)), compiled_(std::move(compiled)) {}

absl::StatusOr<Expression> Expression::parse(const std::string& text) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_encoding(RE2::Options::EncodingLatin1);  // what programs print may be any bytes
  // The group around the user's text keeps its alternatives together.
  auto compiled = std::make_shared<const RE2>("(?m:" + text + ")", options);
  // A text as `a)|(b` would be valid within the group only.
  const RE2 alone(text, options);
  if (!alone.ok() || !compiled->ok()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", text, "' is no regular expression: ", (alone.ok() ? *compiled : alone).error()));
  }
  return Expression(text, std::move(compiled));
}

bool Expression::finds_in(std::string_view text) const {
  return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *compiled_);
}

std::optional<std::string> Expression::last_in(std::string_view text) const {
  const re2::StringPiece all(text.data(), text.size());
  const int groups = std::min(1, compiled_->NumberOfCapturingGroups());
  std::array<re2::StringPiece, 2> found;
  std::optional<std::string> last;
  for (std::size_t from = 0; from <= text.size();) {
    if (!compiled_->Match(all, from, all.size(), RE2::UNANCHORED, found.data(), groups + 1)) break;
    const re2::StringPiece& wanted = found[static_cast<std::size_t>(groups)];
    // After `.*` has found a line, it finds its empty end, too.
    if (!found[0].empty() || !last)
      last = std::string(wanted.data() == nullptr ? "" : wanted.data(), wanted.size());
    const auto end = static_cast<std::size_t>(found[0].data() - text.data()) + found[0].size();
    from = found[0].empty() ? end + 1 : end;  // else an empty match would be found for ever
  }
  return last;
}

}  // namespace lockbench
