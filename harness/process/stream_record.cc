// SPDX-License-Identifier: Apache-2.0

#include "harness/process/stream_record.h"

#include <algorithm>
#include <utility>

#include "harness/base/printable.h"

namespace lockbench {

void StreamRecord::add(std::string_view piece) {
  bytes_ += piece.size();
  head_ += piece.substr(0, most_ - head_.size());
  for (;;) {
    const std::size_t end = piece.find('\n');
    add_to_line(piece.substr(0, end));
    if (end == std::string_view::npos) return;
    Line ended = std::exchange(line_, {});
    if (ended.bytes > 0) finished_line_ = std::move(ended);
    piece.remove_prefix(end + 1);
  }
}

void StreamRecord::add_to_line(std::string_view piece) {
  // One byte more than is shown: clipped() reads it, so that it does not split a character.
  constexpr std::size_t kMostHead = kMostLineBytes + 1;
  line_.head += piece.substr(0, kMostHead - std::min(kMostHead, line_.head.size()));
  line_.bytes += piece.size();
}

std::string StreamRecord::last_line() const {
  const Line& line = line_.bytes > 0 ? line_ : finished_line_;
  std::string text = clipped(line.head, kMostLineBytes, line.bytes - line.head.size());
  while (text.ends_with('\r')) text.pop_back();
  return text;
}

}  // namespace lockbench
