// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/recorder/pauses.h"

#include <algorithm>
#include <unistd.h>

#include "harness/observe/recorder/counters.h"
#include "harness/observe/recorder/ticks.h"

namespace lockbench::observe {

std::atomic<bool> internal::some_pause{false};

namespace {

// Of all holds so far. relaxed: a thread that another one wakes has what that one knew, by what
// wakes it; and a pause that is seen late is paid late.
std::atomic<std::uint64_t> all_ns{0};

}  // namespace

void begin_pauses(const Header& header) {
  const bool some =
      std::any_of(header.lengthened.begin(), header.lengthened.end(),
                  [](const LengthenedPlace& place) { return place.pause_ns.load(kRelaxed) != 0; });
  internal::some_pause.store(some, kRelaxed);
}

void let_others_pause(Thread& thread, std::uint64_t pause_ns) {
  all_ns.fetch_add(pause_ns, kRelaxed);
  thread.pauses_ns += pause_ns;
}

// A pause takes a little longer than what is owed: that is paid in advance.
void pay_pauses(Thread& thread) {
  const std::uint64_t owed = all_ns.load(kRelaxed);
  if (thread.pauses_ns >= owed) return;
  const std::uint64_t begin = monotonic_ns();
  const std::uint64_t paid = thread.pauses_ns;
  while (thread.pauses_ns < owed) thread.pauses_ns = paid + (monotonic_ns() - begin);
}

void forgive_pauses(Thread& thread) {
  thread.pauses_ns = std::max(thread.pauses_ns, all_ns.load(kRelaxed));
}

void begin_pauses_of(Thread& thread) {
  thread.pauses_ns = gettid() == getpid() ? 0 : all_ns.load(kRelaxed);
}

void begin_pauses_in_child() {
  all_ns.store(0, kRelaxed);
}

void account_for_pauses(Thread& thread, Header& header) {
  pay_pauses(thread);
  header.paused_ns.fetch_add(thread.pauses_ns, kRelaxed);
}

}  // namespace lockbench::observe
