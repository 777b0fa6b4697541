// SPDX-License-Identifier: Apache-2.0

// Pipe: both ends of a pipe, which the destructor closes; and a function that converts words for
// exec().
#pragma once

#include <array>
#include <fcntl.h>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace lockbench {

class Pipe {
 public:
  Pipe() = default;
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  // Returns false, with errno set, if the process has no descriptor left.
  bool open() { return pipe2(ends_.data(), O_CLOEXEC) == 0; }
  int read_end() const { return ends_[0]; }
  int write_end() const { return ends_[1]; }

  // The caller must close that end; the pipe does not.
  int take_end(int end) { return std::exchange(ends_[end], -1); }
  void close_end(int end) {
    if (ends_[end] >= 0) close(ends_[end]);
    ends_[end] = -1;
  }
  // Makes calls on this end non-blocking.
  void never_wait_at(int end) { fcntl(ends_[end], F_SETFL, O_NONBLOCK); }

 private:
  std::array<int, 2> ends_{-1, -1};
};

// The words in the form of exec(); `words` must outlive them.
inline std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace lockbench
