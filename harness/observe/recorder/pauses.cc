// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/recorder/pauses.h"

#include <algorithm>
#include <ctime>

#include "harness/observe/recorder/counters.h"
#include "harness/observe/recorder/mapped_recording.h"
#include "harness/observe/recorder/ticks.h"

namespace lockbench::observe {

std::atomic<bool> internal::some_pause{false};

namespace {

// Of all holds so far. relaxed: a thread that another one wakes has what that one knew, by what
// wakes it; and a pause that is seen late is paid late.
std::atomic<std::uint64_t> all_ns{0};

// Of the thread that has been there since the process began.
std::atomic<const Thread*> main_thread{nullptr};

// A long pause leaves its processor to others. clock_nanosleep() leaves errno alone.
void wait_about(std::uint64_t ns) {
  constexpr std::uint64_t kLong = 200'000;
  if (ns < kLong || MappedRecording::is_filtered()) return;
  const std::uint64_t sleep_ns = ns - kLong / 2;
  const timespec time{.tv_sec = static_cast<time_t>(sleep_ns / 1'000'000'000),
                      .tv_nsec = static_cast<long>(sleep_ns % 1'000'000'000)};
  clock_nanosleep(CLOCK_MONOTONIC, 0, &time, nullptr);
}

}  // namespace

void begin_pauses(const Header& header) {
  internal::some_pause.store(header.some_pause.load(kRelaxed) != 0, kRelaxed);
  main_thread.store(&this_thread(), kRelaxed);
}

std::uint64_t worked_ns(const Thread& thread) {
  return monotonic_ns() - thread.paid_ns;
}

void let_others_pause(Thread& thread, const Held& held, std::uint64_t percent) {
  const std::uint64_t pause_ns = (worked_ns(thread) - held.worked_ns) * percent / 100;
  all_ns.fetch_add(pause_ns, kRelaxed);
  thread.pauses_ns += pause_ns;
}

// A pause takes a little longer than what is owed: that is paid in advance.
void pay_pauses(Thread& thread) {
  const std::uint64_t owed = all_ns.load(kRelaxed);
  if (thread.pauses_ns >= owed) return;
  const std::uint64_t begin = monotonic_ns();
  const std::uint64_t owes = owed - thread.pauses_ns;
  wait_about(owes);
  std::uint64_t paid = 0;
  while (paid < owes) paid = monotonic_ns() - begin;
  thread.pauses_ns += paid;
  thread.paid_ns += paid;
}

void forgive_pauses(Thread& thread) {
  thread.pauses_ns = std::max(thread.pauses_ns, all_ns.load(kRelaxed));
}

void begin_pauses_of(Thread& thread) {
  thread.pauses_ns = main_thread.load(kRelaxed) == &thread ? 0 : all_ns.load(kRelaxed);
}

void begin_pauses_in_child() {
  main_thread.store(&this_thread(), kRelaxed);
  all_ns.store(0, kRelaxed);
}

void account_for_pauses(Thread& thread, Header& header) {
  pay_pauses(thread);
  header.accounted_ns.fetch_add(thread.pauses_ns, kRelaxed);
}

}  // namespace lockbench::observe
