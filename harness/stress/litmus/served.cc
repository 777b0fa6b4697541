// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/litmus/served.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include <absl/strings/str_cat.h>

namespace lockbench::stress {
namespace {

// A hold during which its thread waits for the end of another one.
struct AwaitingHold {
  std::size_t thread;
  std::uint32_t key;
  std::size_t awaited;
  std::set<std::size_t> ended_before;  // threads whose end it has awaited before the hold
};

std::vector<std::uint32_t> keys_of(const Act& act) {
  if (names_two_keys(act.kind)) return {act.key, act.other};
  return {act.key};
}

// True if the act waits for its keys without an end.
bool waits_for_keys(const Act& act) {
  return (acquires(act.kind) && !tries(act.kind)) || act.kind == Act::kLeaveForGood;
}

std::vector<AwaitingHold> awaiting_holds(const LitmusProgram& program) {
  struct Open {
    Act act;
    std::set<std::size_t> ended_before;
  };
  std::vector<AwaitingHold> found;
  for (std::size_t thread = 0; thread < program.threads.size(); ++thread) {
    std::vector<Open> open;
    std::set<std::size_t> ended;
    for (const Act& act : program.threads[thread]) {
      if (acquires(act.kind)) open.push_back({act, ended});
      if (releases(act.kind)) open.pop_back();
      if (act.kind != Act::kAwaitEnd) continue;
      for (const Open& hold : open) {
        for (const std::uint32_t key : keys_of(hold.act)) {
          found.push_back({thread, key, act.key, hold.ended_before});
        }
      }
      ended.insert(act.key);
    }
  }
  return found;
}

class Dependence {
 public:
  Dependence(const LitmusProgram& program, const Abilities& abilities, KeysShare keys_share)
      : program_(program),
        abilities_(abilities),
        keys_share_(!abilities.lock_per_key &&
                    (abilities.one_lock || keys_share == KeysShare::kIfNotExcluded)),
        holds_(awaiting_holds(program)) {
    const std::size_t threads = program.threads.size();
    waits_for_.resize(threads, std::vector<bool>(threads, false));
    for (std::size_t thread = 0; thread < threads; ++thread) {
      for (const Act& act : program.threads[thread]) {
        if (act.kind == Act::kAwaitEnd) waits_for_[thread][act.key] = true;
        for (const AwaitingHold* hold : in_the_way_of(thread, act)) {
          waits_for_[thread][hold->thread] = true;
        }
      }
    }
    close();
  }

  // A request that may wait for ever, and one of the holds that it waits for.
  struct Unserved {
    std::size_t thread;
    std::uint32_t key;
    AwaitingHold hold;
  };

  std::optional<Unserved> find() const {
    for (std::size_t thread = 0; thread < program_.threads.size(); ++thread) {
      for (const Act& act : program_.threads[thread]) {
        const std::vector<const AwaitingHold*> holds = in_the_way_of(thread, act);
        std::set<std::size_t> holders;
        for (const AwaitingHold* hold : holds) {
          if (waits_for_[hold->thread][thread]) holders.insert(hold->thread);
        }
        if (!holders.empty() && holders.size() >= abilities_.capacity) {
          return Unserved{thread, act.key, *holds.front()};
        }
      }
    }
    return std::nullopt;
  }

 private:
  // The holds for which this act of `thread` may have to wait, if they are enough to make it wait.
  std::vector<const AwaitingHold*> in_the_way_of(std::size_t thread, const Act& act) const {
    std::vector<const AwaitingHold*> found;
    if (!waits_for_keys(act)) return found;
    std::set<std::size_t> holders;
    for (const AwaitingHold& hold : holds_) {
      if (hold.thread == thread || hold.ended_before.contains(thread)) continue;
      const std::vector<std::uint32_t> keys = keys_of(act);
      const bool conflicts = std::any_of(keys.begin(), keys.end(), [&](std::uint32_t key) {
        return exclude_each_other(thread, key, hold);
      });
      if (!conflicts) continue;
      found.push_back(&hold);
      holders.insert(hold.thread);
    }
    if (holders.size() < abilities_.capacity) found.clear();
    return found;
  }

  bool exclude_each_other(std::size_t thread, std::uint32_t key, const AwaitingHold& hold) const {
    if (abilities_.keys_read) {
      if (key == kWritersKey || hold.key == kWritersKey) return true;
      return a_writer_may_wait_between(thread, hold.thread);
    }
    return keys_share_ || key == hold.key;
  }

  // A reader may have to wait for a writer that waits for another reader.
  bool a_writer_may_wait_between(std::size_t reader, std::size_t holder) const {
    for (std::size_t thread = 0; thread < program_.threads.size(); ++thread) {
      if (thread == reader || thread == holder) continue;
      const std::vector<Act>& acts = program_.threads[thread];
      const bool writes = std::any_of(acts.begin(), acts.end(), [](const Act& act) {
        return waits_for_keys(act) &&
               (act.key == kWritersKey || (names_two_keys(act.kind) && act.other == kWritersKey));
      });
      if (writes) return true;
    }
    return false;
  }

  // Who waits for a thread waits for all that it waits for.
  void close() {
    const std::size_t threads = waits_for_.size();
    for (std::size_t by = 0; by < threads; ++by) {
      for (std::size_t from = 0; from < threads; ++from) {
        for (std::size_t to = 0; to < threads; ++to) {
          if (waits_for_[from][by] && waits_for_[by][to]) waits_for_[from][to] = true;
        }
      }
    }
  }

  const LitmusProgram& program_;
  const Abilities& abilities_;
  const bool keys_share_;
  const std::vector<AwaitingHold> holds_;
  std::vector<std::vector<bool>> waits_for_;  // directly or through others
};

}  // namespace

std::string unserved_in(const LitmusProgram& program, const Abilities& abilities,
                        KeysShare keys_share) {
  // An expired hold is in nobody's way.
  if (abilities.hold_limit.count() != 0) return "";
  const auto unserved = Dependence(program, abilities, keys_share).find();
  if (!unserved) return "";
  const AwaitingHold& hold = unserved->hold;
  const char* why = "";
  if (abilities.keys_read) {
    const bool writes = unserved->key == kWritersKey || hold.key == kWritersKey;
    why = writes ? " (key 0 is the writers', and nobody reads beside a writer)"
                 : " (and a writer that waits may come between two readers)";
  } else if (hold.key != unserved->key) {
    why = " (and two keys may share a lock)";
  }
  return absl::StrCat("thread ", unserved->thread, " may wait for key ", unserved->key,
                      " for ever: thread ", hold.thread, " holds key ", hold.key, " until thread ",
                      hold.awaited, " has ended", why, "; no lock could serve both");
}

}  // namespace lockbench::stress
