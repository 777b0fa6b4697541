// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/client.h"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <optional>
#include <random>

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

namespace lockbench::stress {
namespace {

// Ten milliseconds are what waiters bear before they are handed a key (internal/wait_queue.h);
// rests and timeouts lie on both sides of that.
constexpr std::int64_t kTimes[] = {0, 400'000, 4'000'000, 12'000'000};

constexpr std::size_t kMostThreads = 8;  // of the clients that are written here, or in a line-up

bool has_key(Act::Kind kind) {
  return !gives(kind) && kind != Act::kRest;
}

std::string to_text(const Act& act) {
  std::string text(1, static_cast<char>(act.kind));
  if (has_key(act.kind)) absl::StrAppend(&text, act.key);
  if (act.kind == Act::kTakeBoth) absl::StrAppend(&text, "+", act.other);
  if (act.kind == Act::kTakeFor) absl::StrAppend(&text, ":", act.ns);
  if (act.kind == Act::kRest) absl::StrAppend(&text, act.ns);
  return text;
}

// Reads a number from the front of `text` and takes it off.
template <class Number>
bool read_number(std::string_view& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

bool read_sign(std::string_view& text, char sign) {
  if (text.empty() || text.front() != sign) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<Act> act_from(std::string_view text) {
  if (text.empty() || std::string_view("LTWBUERAF").find(text.front()) == std::string_view::npos) {
    return std::nullopt;
  }
  Act act{.kind = static_cast<Act::Kind>(text.front())};
  text.remove_prefix(1);
  if (has_key(act.kind) && !read_number(text, act.key)) return std::nullopt;
  if (act.kind == Act::kTakeBoth && !(read_sign(text, '+') && read_number(text, act.other))) {
    return std::nullopt;
  }
  if (act.kind == Act::kTakeFor && !(read_sign(text, ':') && read_number(text, act.ns))) {
    return std::nullopt;
  }
  if (act.kind == Act::kRest && !read_number(text, act.ns)) return std::nullopt;
  if (!text.empty() || act.ns < 0) return std::nullopt;
  return act;
}

// Draws one thread's acts.
class Draw {
 public:
  Draw(const Abilities& abilities, ClientSize size, std::mt19937_64& random)
      : abilities_(abilities), size_(size), random_(random) {}

  std::vector<Act> thread() {
    for (std::uint32_t i = 0; i < size_.holds; ++i) hold(0, 0);
    return std::move(acts_);
  }

 private:
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }

  // A hold of a key that is at least `least`, and what is nested in it.
  void hold(std::uint32_t least, int depth) {
    const auto key = least + static_cast<std::uint32_t>(below(size_.keys - least));
    acts_.push_back(taking(key));
    const bool single = acts_.back().kind != Act::kTakeBoth;
    if (below(4) == 0) acts_.push_back({.kind = Act::kRest, .ns = kTimes[below(4)]});
    if (depth < 2 && single && !size_.awaits && below(3) == 0) nest(key, depth);
    acts_.push_back({.kind = below(8) == 0 ? Act::kGiveThrowing : Act::kGive});
  }

  Act taking(std::uint32_t key) {
    const std::uint64_t what = below(8);
    if (what == 0) return {.kind = Act::kTry, .key = key};
    if (what == 1 && abilities_.timed) {
      return {.kind = Act::kTakeFor, .key = key, .ns = kTimes[below(4)]};
    }
    const bool pairs = abilities_.pairs && !size_.awaits;
    if (what < 4 && pairs && size_.keys > 1 && !holds_any()) {
      return {.kind = Act::kTakeBoth,
              .key = key,
              .other = static_cast<std::uint32_t>(below(size_.keys))};
    }
    return {.kind = Act::kTake, .key = key};
  }

  void nest(std::uint32_t key, int depth) {
    if (abilities_.reentrant) {
      acts_.push_back(below(4) == 0 ? Act{.kind = Act::kTry, .key = key}
                                    : Act{.kind = Act::kTake, .key = key});
      if (depth == 0 && below(3) == 0) nest(key, depth + 1);
      acts_.push_back({.kind = Act::kGive});
    } else if (abilities_.nests_leases) {
      acts_.push_back({.kind = Act::kTake, .key = key});
      acts_.push_back({.kind = Act::kGive});
    } else if (abilities_.nests_keys && key + 1 < size_.keys) {
      hold(key + 1, depth + 1);
    }
  }

  bool holds_any() const {
    int open = 0;
    for (const Act& act : acts_) open += takes(act.kind) ? 1 : gives(act.kind) ? -1 : 0;
    return open > 0;
  }

  const Abilities& abilities_;
  const ClientSize size_;
  std::mt19937_64& random_;
  std::vector<Act> acts_;
};

// The first to await the end of the second: the last thing that it does, while it holds a key.
// Where a key has one holder, the other keeps to other keys.
void let_await(const Abilities& abilities, ClientSize size, std::mt19937_64& random,
               Client& client) {
  const std::size_t count = client.threads.size();
  const std::size_t first = random() % count;
  const std::size_t second = (first + 1 + random() % (count - 1)) % count;
  const auto key = static_cast<std::uint32_t>(random() % size.keys);
  std::vector<Act>& acts = client.threads[first];
  if (random() % 2 == 0) acts.clear();
  acts.insert(acts.end(), {{.kind = Act::kTake, .key = key},
                           {.kind = Act::kAwait, .key = static_cast<std::uint32_t>(second)},
                           {.kind = Act::kGive}});
  if (abilities.capacity > 1) return;
  for (Act& act : client.threads[second]) {
    if (takes(act.kind) && act.key == key) act.key = (key + 1) % size.keys;
  }
}

// What is wrong with whom it awaits; null if nothing is.
const char* trouble_with_awaiting(const Client& client, std::size_t thread) {
  for (const Act& act : client.threads[thread]) {
    if (act.kind != Act::kAwait) continue;
    if (act.key >= client.threads.size()) return "awaits a thread that there is not";
    if (act.key == thread) return "awaits its own end";
  }
  return nullptr;
}

// As many holders as a key can have, one who comes then and awaits the end of another, and that
// one: both are to be served, though all leases may come back before the first has looked.
std::string forgotten_waiter(std::uint32_t capacity) {
  std::string text;
  for (std::uint32_t i = 0; i < capacity; ++i) text += "L0 U | ";
  return absl::StrCat(text, "L0 A", capacity + 1, " U | L0 U");
}

}  // namespace

bool can_await(const Abilities& abilities) {
  return abilities.lock_per_key || abilities.capacity > 1;
}

std::vector<std::uint32_t> keys_of(const Act& act) {
  if (act.kind == Act::kTakeBoth && act.key != act.other) return {act.key, act.other};
  return {act.key};
}

std::string name_of_keys(const Act& act) {
  if (act.kind == Act::kTakeBoth) return absl::StrCat("keys ", act.key, " and ", act.other);
  return absl::StrCat("key ", act.key);
}

bool takes(Act::Kind kind) {
  return kind == Act::kTake || kind == Act::kTry || kind == Act::kTakeFor || kind == Act::kTakeBoth;
}

bool gives(Act::Kind kind) {
  return kind == Act::kGive || kind == Act::kGiveThrowing;
}

std::uint32_t Client::keys() const {
  std::uint32_t highest = 0;
  for (const auto& acts : threads) {
    for (const Act& act : acts) {
      if (takes(act.kind)) highest = std::max({highest, act.key, act.other});
    }
  }
  return highest + 1;
}

std::string to_text(const Client& client) {
  std::string text;
  for (std::size_t i = 0; i < client.threads.size(); ++i) {
    if (i != 0) text += "| ";
    for (const Act& act : client.threads[i]) text += to_text(act) + " ";
  }
  if (!text.empty()) text.pop_back();
  return text;
}

Client without_thread(const Client& client, std::size_t thread) {
  Client without = client;
  without.threads.erase(without.threads.begin() + static_cast<std::ptrdiff_t>(thread));
  for (auto& acts : without.threads) {
    std::erase_if(acts,
                  [&](const Act& act) { return act.kind == Act::kAwait && act.key == thread; });
    for (Act& act : acts) {
      if (act.kind == Act::kAwait && act.key > thread) --act.key;
    }
  }
  return without;
}

std::size_t end_of_hold(const std::vector<Act>& acts, std::size_t position) {
  int open = 0;
  for (; position < acts.size(); ++position) {
    if (takes(acts[position].kind)) ++open;
    if (gives(acts[position].kind) && --open == 0) break;
  }
  return position;
}

absl::StatusOr<Client> client_from(std::string_view text, std::size_t most_threads) {
  Client client{.threads = {{}}};
  int open = 0;
  const auto wrong = [&](std::string_view word, const char* what) {
    return absl::InvalidArgumentError(absl::StrCat("client, thread ", client.threads.size() - 1,
                                                   ", `", std::string(word), "`: ", what));
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    if (word == "|") {
      if (open != 0) return wrong(word, "the thread ends before it gave everything back; add U");
      client.threads.emplace_back();
      continue;
    }
    const std::optional<Act> act = act_from(word);
    if (!act) return wrong(word, "no act; such are L0 T0 W0:2000000 B0+1 U R500 A1");
    open += takes(act->kind) ? 1 : gives(act->kind) ? -1 : 0;
    if (open < 0) return wrong(word, "gives back what was not taken; leave it out");
    client.threads.back().push_back(*act);
  }
  if (open != 0) return wrong("", "the thread ends before it gave everything back; add U");
  if (client.threads.size() > most_threads) {
    return absl::InvalidArgumentError(absl::StrCat("client: ", client.threads.size(),
                                                   " threads; at most ", most_threads,
                                                   " can be simulated"));
  }
  for (std::size_t i = 0; i < client.threads.size(); ++i) {
    const char* const trouble = trouble_with_awaiting(client, i);
    if (trouble == nullptr) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "client, thread ", i, ": ", trouble, "; A wants ", "another one's number, the first is 0"));
  }
  return client;
}

Client draw_client(const Abilities& abilities, ClientSize size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  size.awaits = size.awaits && can_await(abilities) && size.threads > 1;
  if (size.awaits && abilities.capacity == 1) size.keys = std::max(size.keys, 2U);
  Client client;
  for (std::uint32_t i = 0; i < size.threads; ++i) {
    client.threads.push_back(Draw(abilities, size, random).thread());
  }
  if (size.awaits) let_await(abilities, size, random, client);
  return client;
}

std::vector<Client> clients_for(const Lineup& lineup) {
  const Abilities& can = lineup.abilities;
  std::vector<std::string> texts = lineup.clients;
  const auto add = [&](bool fits, std::initializer_list<const char*> more) {
    if (fits) texts.insert(texts.end(), more.begin(), more.end());
  };
  add(true, {"L0 U | L0 U", "L0 E | L0 U", "L0 U | T0 U", "L0 U L0 U | L0 U L0 U"});
  add(can.timed, {"L0 R12000000 U | W0:400000 U", "W0:400000 U L0 U | L0 U L0 U"});
  add(can.lock_per_key, {"L0 A1 U | L1 U"});
  add(can.reentrant, {"L0 L0 U U | T0 U", "L0 L0 U U | L0 U", "L0 L0 U L0 U U | L0 T0 U U"});
  add(can.refuses_strangers, {"L0 R0 U | F0 T0 U"});
  add(can.nests_leases, {"L0 L0 U U | L0 L0 U U"});
  add(can.nests_keys, {"L0 L1 U U | L0 U L1 U"});
  add(can.pairs, {"B0+0 U | L0 U", "B0+1 U | B1+0 U", "B0+1 U L0 U | L1 U L0 U"});
  add(true, {"L0 U L1 U | L1 U L0 U", "L0 R12000000 U | L0 U | L0 U"});
  if (can.capacity > 1) texts.push_back(forgotten_waiter(can.capacity));
  std::vector<Client> clients;
  for (const std::string& text : texts) clients.push_back(*client_from(text, kMostThreads));
  return clients;
}

}  // namespace lockbench::stress
