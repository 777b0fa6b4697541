// SPDX-License-Identifier: Apache-2.0

#include "harness/process/out_of_memory.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <new>
#include <unistd.h>

#include "harness/base/exit_code.h"

namespace lockbench {

void restore_inherited_settings() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) != -1) continue;
    // open() returns the lowest free descriptor, which is this one.
    static_cast<void>(open("/dev/null", fd == STDOUT_FILENO ? O_RDONLY : O_RDWR));
  }
  std::signal(SIGCHLD, SIG_DFL);
}

namespace {

// Written before memory runs out, because nothing can be allocated then.
char last_words[200];
std::terminate_handler handler_before = nullptr;

[[noreturn]] void end_out_of_memory() {
  static_cast<void>(!write(STDERR_FILENO, last_words, std::strlen(last_words)));
  _exit(kCouldNotFinish);
}

void terminate() {
  if (std::current_exception() != nullptr) {
    try {
      throw;
    } catch (const std::bad_alloc&) {
      end_out_of_memory();
    } catch (...) {
    }
  }
  handler_before();
}

}  // namespace

void explain_out_of_memory(const std::string& who) {
  const std::string text =
      who.substr(0, 60) +
      ": out of memory; free some, raise the limit (ulimit -v, control group), "
      "or ask for less\n";
  std::copy_n(text.c_str(), std::min(text.size() + 1, sizeof last_words - 1), last_words);
  const std::terminate_handler now = std::set_terminate(terminate);
  if (now != terminate) handler_before = now;
}

}  // namespace lockbench
