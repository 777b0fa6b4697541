// SPDX-License-Identifier: Apache-2.0

#include "harness/process/signals.h"

#include <csignal>
#include <initializer_list>

namespace lockbench {
namespace {

volatile std::sig_atomic_t noted = 0;

extern "C" void note(int signal) {
  noted = signal;
}

}  // namespace

void note_signals() {
  struct sigaction action {};
  action.sa_handler = note;
  // No SA_RESTART: a wait in progress ends. SA_RESETHAND: the second signal has its usual effect.
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction inherited {};
    sigaction(signal, nullptr, &inherited);
    if (inherited.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
}

int noted_signal() {
  return noted;
}

}  // namespace lockbench
