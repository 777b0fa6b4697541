// SPDX-License-Identifier: Apache-2.0

// StreamRecord: the part of another process's output that is kept.
//
// Guarantees   Memory is bounded by the limits below, however much is written. Bytes that are not
//              kept are counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lockbench {

class StreamRecord {
 public:
  // Keeps the first `most` bytes.
  explicit StreamRecord(std::size_t most) : most_(most) {}

  void add(std::string_view piece);

  const std::string& head() const { return head_; }
  std::uint64_t bytes() const { return bytes_; }
  bool exceeded() const { return bytes_ > head_.size(); }

  // The last line that is not empty, whether or not it has a line end: at most its first
  // kMostLineBytes, and how many bytes of it follow.
  std::string last_line() const;

 private:
  static constexpr std::size_t kMostLineBytes = 1000;

  // The first bytes of a line, a few more than are shown, and the number of bytes that it has.
  struct Line {
    std::string head;
    std::uint64_t bytes = 0;
  };

  void add_to_line(std::string_view piece);

  std::size_t most_;
  std::string head_;
  std::uint64_t bytes_ = 0;
  Line line_;           // the line that is not complete yet
  Line finished_line_;  // the last complete line that is not empty
};

}  // namespace lockbench
