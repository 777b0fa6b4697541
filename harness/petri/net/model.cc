// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/net/model.h"

#include <algorithm>
#include <memory>

#include "harness/base/nearest.h"
#include "harness/base/quantity.h"
#include "harness/petri/net/lock_models.h"
#include "harness/petri/net/net_builder.h"
#include "harness/petri/net/thread_program.h"

namespace lockbench {
namespace {

using internal::AcquisitionPlan;
using internal::Held;
using internal::LockModel;
using Locks = std::vector<std::unique_ptr<LockModel>>;

constexpr std::uint32_t kMostThreads = 64;
constexpr std::uint32_t kMostLocks = 26;  // each has a letter as its name
constexpr std::uint32_t kMostDepth = 1000;
constexpr std::uint32_t kDefault = 2;  // keys, stripes, leases and depth

// The fields of ModelSpec that apply to a model.
struct Kind {
  const char* name;
  const char* summary;
  bool keys = false;
  bool leases = false;
  bool stripes = false;
  bool depth = false;
  bool nests = false;
  bool orders = false;
};

const std::vector<Kind> kKinds{
    {.name = "none", .summary = "no lock: a read and a later write"},
    {.name = "global", .summary = "one lock for all", .nests = true},
    {.name = "keyed",
     .summary = "a lock per key; nothing is kept for a key that no thread holds",
     .keys = true,
     .nests = true,
     .orders = true},
    {.name = "keyed_shared",
     .summary = "a lock per key, held by one thread or shared by several; threads may give up",
     .keys = true},
    {.name = "striped",
     .summary = "key i belongs to stripe i modulo --stripes",
     .keys = true,
     .stripes = true,
     .nests = true,
     .orders = true},
    {.name = "reentrant",
     .summary = "its owner can acquire it again, up to --depth",
     .depth = true,
     .nests = true},
    {.name = "lease",
     .summary = "--keys shards with --leases each; nested: a second one of the same shard",
     .keys = true,
     .leases = true,
     .nests = true},
    {.name = "random_mutexes_as_published",
     .summary = "one of --leases mutexes, chosen at random; nested: any second one",
     .leases = true,
     .nests = true},
    {.name = "file", .summary = "a lock file; its owner may die, and a waiting process removes it"},
    {.name = "file_as_published", .summary = "a lock file that a dead owner leaves forever"},
    {.name = "timed_hold",
     .summary = "a hold that expires; its fencing token is refused from then on"},
    {.name = "test_then_set", .summary = "a lock whose test and set are two steps"},
};

absl::Status wrong(const std::string& what) {
  return absl::InvalidArgumentError(what);
}

absl::StatusOr<const Kind*> find_kind(const std::string& name) {
  std::vector<std::string> names;
  for (const Kind& kind : kKinds) {
    if (kind.name == name) return &kind;
    names.emplace_back(kind.name);
  }
  return unknown_name("model", name, names);
}

absl::Status check_number(const Kind& kind, const std::string& flag, bool applies,
                          const std::optional<std::uint32_t>& number, std::uint32_t most) {
  if (!number) return absl::OkStatus();
  if (!applies) {
    return wrong(std::string("'") + kind.name + "' has no " + flag + "; leave out --" + flag);
  }
  const absl::Status status = check_range(*number, {.least = 1, .most = most});
  return status.ok() ? status : wrong("--" + flag + ": " + std::string(status.message()));
}

absl::Status check(const Kind& kind, const ModelSpec& spec) {
  for (const absl::Status& status :
       {check_number(kind, "threads", true, spec.threads, kMostThreads),
        check_number(kind, "keys", kind.keys, spec.keys, kMostLocks),
        check_number(kind, "leases", kind.leases, spec.leases, kMostThreads),
        check_number(kind, "stripes", kind.stripes, spec.stripes, kMostLocks),
        check_number(kind, "depth", kind.depth, spec.depth, kMostDepth)}) {
    if (!status.ok()) return status;
  }
  if (spec.nested && !kind.nests) {
    return wrong(std::string("'") + kind.name + "' is acquired one at a time; leave out --nested");
  }
  if (!spec.order) return absl::OkStatus();
  if (!kind.orders) {
    return wrong(std::string("'") + kind.name + "' has no keys in an order; leave out --order");
  }
  if (!spec.nested) return wrong("--order needs --nested");
  if (spec.order == KeyOrder::kTwice && !kind.stripes) {
    return wrong("--order twice needs stripes; for '" + std::string(kind.name) +
                 "' it is same or opposite");
  }
  return absl::OkStatus();
}

std::string letter(std::uint32_t key) {
  return std::string(1, static_cast<char>('a' + key));
}
std::string number(std::uint32_t i) {
  return std::to_string(i + 1);
}

Locks single(std::unique_ptr<LockModel> lock) {
  Locks locks;
  locks.push_back(std::move(lock));
  return locks;
}

Locks lease_shards(const ModelSpec& spec, NetBuilder& net) {
  Locks locks;
  const std::uint32_t shards = spec.keys.value_or(1);
  for (std::uint32_t i = 0; i < shards; ++i) {
    const std::string of = shards == 1 ? "" : " of shard " + letter(i);
    locks.push_back(internal::counting_model(net, shards == 1 ? "lease" : "lease_" + letter(i),
                                             "a lease" + of, spec.leases.value_or(kDefault)));
  }
  return locks;
}

Locks make_locks(const ModelSpec& spec, NetBuilder& net) {
  const std::string& name = spec.primitive;
  if (name == "none") return single(internal::unlocked_model(net));
  if (name == "test_then_set") return single(internal::test_then_set_model(net));
  if (name == "timed_hold") return single(internal::timed_model(net));
  if (name == "file") return single(internal::file_model(net, true));
  if (name == "file_as_published") return single(internal::file_model(net, false));
  if (name == "global") return single(internal::counting_model(net, "lock", "the lock", 1));
  if (name == "reentrant") {
    return single(
        internal::reentrant_model(net, "lock", "the lock", spec.depth.value_or(kDefault)));
  }
  if (name == "lease") return lease_shards(spec, net);
  Locks locks;
  if (name == "keyed") {
    for (std::uint32_t i = 0; i < spec.keys.value_or(kDefault); ++i) {
      locks.push_back(internal::key_model(net, letter(i), letter(i)));
    }
  } else if (name == "keyed_shared") {
    for (std::uint32_t i = 0; i < spec.keys.value_or(1); ++i) {
      locks.push_back(internal::shared_key_model(net, letter(i), letter(i)));
    }
  } else if (name == "striped") {
    for (std::uint32_t i = 0; i < spec.stripes.value_or(kDefault); ++i) {
      locks.push_back(internal::counting_model(net, "s" + number(i), "stripe " + number(i), 1));
    }
  } else {
    for (std::uint32_t i = 0; i < spec.leases.value_or(kDefault); ++i) {
      locks.push_back(internal::counting_model(net, "m" + number(i), "mutex " + number(i), 1));
    }
  }
  return locks;
}

// The locks of nested keys, in the order in which a thread acquires them.
Held sequence(const ModelSpec& spec, std::size_t locks, bool reversed) {
  Held order;
  const std::size_t keys = spec.keys.value_or(kDefault);
  for (std::size_t key = 0; key < keys; ++key) order.push_back(key % locks);
  if (spec.order != KeyOrder::kTwice) {
    std::sort(order.begin(), order.end());
    order.erase(std::unique(order.begin(), order.end()), order.end());
  }
  if (reversed) std::reverse(order.begin(), order.end());
  return order;
}

AcquisitionPlan plan_of(const ModelSpec& spec, std::size_t locks, std::uint32_t thread) {
  const bool sequential = spec.primitive == "keyed" || spec.primitive == "striped";
  if (spec.nested && sequential) {
    const Held order = sequence(spec, locks, spec.order == KeyOrder::kOpposite && thread % 2 == 1);
    return {.levels = order.size(), .next = [order](const Held& held) -> std::vector<std::size_t> {
              return {order[held.size()]};
            }};
  }
  // Keys that share a stripe count as one choice.
  const std::size_t choices =
      std::min<std::size_t>(locks, sequential ? spec.keys.value_or(kDefault) : locks);
  std::vector<std::size_t> any(choices);
  for (std::size_t i = 0; i < choices; ++i) any[i] = i;
  const bool again = spec.nested && spec.primitive != "reentrant";
  const bool blind = spec.primitive == "random_mutexes_as_published";
  return {.levels = again ? 2U : 1U, .next = [any, blind](const Held& held) {
            return held.empty() || blind ? any : std::vector<std::size_t>{held[0]};
          }};
}

std::string title_of(const ModelSpec& spec) {
  std::string title = spec.primitive + ", " + std::to_string(spec.threads) +
                      (spec.threads == 1 ? " thread" : " threads");
  if (spec.nested) title += ", nested";
  if (spec.order == KeyOrder::kOpposite) title += " in opposite orders";
  if (spec.order == KeyOrder::kTwice) title += ", a shared stripe acquired twice";
  return title;
}

void declare_symmetries(const ModelSpec& spec, NetBuilder& net) {
  std::vector<std::uint32_t> groups[2];
  for (std::uint32_t t = 0; t < spec.threads; ++t) {
    groups[spec.order == KeyOrder::kOpposite ? t % 2 : 0].push_back(t);
  }
  for (const std::vector<std::uint32_t>& group : groups) net.declare_symmetric(group);
}

}  // namespace

const std::vector<ModelEntry>& model_entries() {
  static const std::vector<ModelEntry> entries = [] {
    std::vector<ModelEntry> list;
    for (const Kind& kind : kKinds) list.push_back({.name = kind.name, .summary = kind.summary});
    return list;
  }();
  return entries;
}

absl::StatusOr<Net> build_model(const ModelSpec& spec) {
  const absl::StatusOr<const Kind*> kind = find_kind(spec.primitive);
  if (!kind.ok()) return kind.status();
  if (const absl::Status status = check(**kind, spec); !status.ok()) return status;

  NetBuilder net(title_of(spec), spec.threads);
  const Locks locks = make_locks(spec, net);
  std::vector<std::vector<std::uint32_t>> inside(locks.size());
  for (std::uint32_t t = 0; t < spec.threads; ++t) {
    internal::ThreadProgram program(net, locks, t);
    program.build(plan_of(spec, locks.size(), t));
    for (std::size_t i = 0; i < locks.size(); ++i) {
      const std::vector<std::uint32_t> places = program.inside(i);
      inside[i].insert(inside[i].end(), places.begin(), places.end());
    }
  }
  for (std::size_t i = 0; i < locks.size(); ++i) {
    net.add_property(locks[i]->property(), inside[i], locks[i]->capacity());
  }
  declare_symmetries(spec, net);
  return net.take();
}

}  // namespace lockbench
