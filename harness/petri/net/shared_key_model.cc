// SPDX-License-Identifier: Apache-2.0

// A key of KeyedSharedMutex, as primitives/internal/shared_buckets.h serves it (R1 to R4 there). It
// has as many units as the net has threads: a shared hold takes one of them, an exclusive hold all.
//
// A waiting thread is asleep, woken (it will look for itself), or granted its units. A thread that
// serves the queue keeps the bucket until it has ended, so that no other thread comes in between.
// The queue has no order here: a step may serve any waiter that the code could find in front. So
// the net can do more than the code, and what it cannot do the code cannot do either. One thread
// gives up, once: if all could at any time, a waiter that is not woken would never be stuck.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/petri/net/lock_models.h"

namespace lockbench::internal {
namespace {

constexpr std::nullopt_t kSilent = std::nullopt;

using Arcs = std::vector<Arc>;

Arcs operator+(Arcs a, const Arcs& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// The threads that wait for one kind of hold.
struct Waiters {
  Waiters(NetBuilder& net, const std::string& name, const std::string& noun, std::string who,
          std::uint32_t wanted)
      : kind(std::move(who)),
        units(wanted),
        asleep(net.add_shared(name + "_" + kind + "_asleep", "is asleep as a " + kind + of(noun))),
        woken(net.add_shared(name + "_" + kind + "_woken", "is woken as a " + kind + of(noun))),
        granted(net.add_shared(name + "_" + kind + "_granted",
                               noun + " is granted to a waiting " + kind)) {}

  static std::string of(const std::string& noun) { return " of " + noun; }

  std::string kind;
  std::uint32_t units;
  std::uint32_t asleep;
  std::uint32_t woken;
  std::uint32_t granted;
};

class SharedKeyModel : public LockModel {
 public:
  SharedKeyModel(NetBuilder& builder, const std::string& name, const std::string& noun)
      : LockModel(builder, name, noun),
        all_(builder.threads()),
        free_(builder.add_shared(name + "_free", "a unit of " + noun + " is free", all_)),
        taken_(builder.add_shared(name + "_taken", "a unit of " + noun + " is taken")),
        bucket_(builder.add_shared(name + "_bucket", "the bucket of " + noun + " is free", 1)),
        waiting_(builder.add_shared(name + "_waiting", "waits for " + noun)),
        not_waiting_(builder.add_shared(name + "_not_waiting", "does not wait for " + noun, all_)),
        timeout_(builder.add_shared(name + "_timeout", "a thread may give up", 1)),
        gave_up_(builder.add_shared(name + "_gave_up", "a thread has given up")),
        readers_(builder, name, noun, "reader", 1),
        writers_(builder, name, noun, "writer", all_) {
    for (std::uint32_t t = 0; t < all_; ++t) {
      threads_.push_back(
          {.shares = builder.add_own(t, "shares_" + name, "shares " + noun),
           .took = builder.add_own(t, "took_" + name, "shares " + noun + ", and serves its queue"),
           .entered = builder.add_own(t, "entered_" + name, "is about to share " + noun),
           .leaves = builder.add_own(t, "leaves_" + name, "has left, and serves its queue")});
    }
  }

  void add_acquisition(const Passage& p) override {
    Places& own = threads_[p.t];
    own.holds = p.to;
    add_arrival(p, readers_, shares(), own.shares);
    add_arrival(p, writers_, acquires(), p.to);

    const std::uint32_t reads = add_queue(p, readers_);
    add_turn(p.t, readers_, reads, kSilent, own.took, {});
    add_service(p.t, "after_taking", own.took, own.entered);
    add_step(p.t, "enters", "shares " + noun(), shares(), {{own.entered}}, {{own.shares}});
    add_step(p.t, "is_granted_share", "finds itself among the readers", shares(),
             {{reads}, {readers_.granted}}, {{own.shares}});
    add_sleep(p.t, readers_, reads,
              {{{taken_, all_}}, {{taken_}, {writers_.asleep}}, {{writers_.woken}}});

    const std::uint32_t writes = add_queue(p, writers_);
    add_turn(p.t, writers_, writes, acquires(), p.to, {{bucket_}});
    add_step(p.t, "is_granted", "finds itself to be the holder", acquires(),
             {{writes}, {writers_.granted}}, {{p.to}});
    add_sleep(p.t, writers_, writes, {{{taken_}}, {{readers_.woken}}, {{writers_.woken}}});
  }

  void add_release(const Passage& p) override {
    const Places& own = threads_[p.t];
    add_step(p.t, "releases", "releases " + noun(), releases(),
             {{p.from}, {bucket_}, {taken_, all_}}, {{own.leaves}, {free_, all_}});
    add_step(p.t, "stops_sharing", "stops sharing " + noun(), stops_sharing(),
             {{own.shares}, {bucket_}, {taken_}}, {{own.leaves}, {free_}});
    add_service(p.t, "after_leaving", own.leaves, p.to);
  }

  std::uint32_t capacity() const override { return all_; }
  std::string property() const override {
    return "a thread that holds " + noun() +
           " is alone inside, and one that shares it is not "
           "inside with one that holds it";
  }
  // A writer has all units, so it counts as often as there are units.
  std::vector<std::uint32_t> more_inside(std::uint32_t t) const override {
    const Places& own = threads_[t];
    std::vector<std::uint32_t> places(all_ - 1, own.holds);
    places.insert(places.end(), {own.shares, own.took, own.entered});
    return places;
  }

 private:
  struct Places {
    std::uint32_t holds = 0;
    std::uint32_t shares = 0;
    std::uint32_t took = 0;     // shares; serves the queue
    std::uint32_t entered = 0;  // shares; has not returned yet
    std::uint32_t leaves = 0;   // has no unit and does not wait; serves the queue
  };

  NetEvent shares() const { return {.verb = NetEvent::kShares, .lock = noun()}; }
  NetEvent stops_sharing() const { return {.verb = NetEvent::kStopsSharing, .lock = noun()}; }

  void add_step(std::uint32_t t, const std::string& step, const std::string& label,
                std::optional<NetEvent> event, const Arcs& pre, const Arcs& post) {
    net().add_step(t, step + "_" + name(), label, std::move(event), pre, post);
  }

  // `reads` are tested and returned.
  void add_step(std::uint32_t t, const std::string& step, const std::string& label,
                std::optional<NetEvent> event, const Arcs& pre, const Arcs& post,
                const Arcs& reads) {
    add_step(t, step, label, std::move(event), pre + reads, post + reads);
  }

  // Without the queue: R1 if no thread waits, else R4.
  void add_arrival(const Passage& p, const Waiters& as, const NetEvent& event, std::uint32_t to) {
    add_step(p.t, "comes_as_" + as.kind, "finds units of " + noun() + " free", event,
             {{p.from}, {free_, as.units}}, {{to}, {taken_, as.units}},
             {{bucket_}, {not_waiting_, all_}});
    add_step(p.t, "passes_as_" + as.kind, "passes the threads that wait for " + noun(), event,
             {{p.from}, {free_, all_}}, {{to}, {taken_, as.units}, {free_, all_ - as.units}},
             {{bucket_}, {waiting_}});
  }

  // Into the queue, and out of it without the key, after a timeout or a stop.
  std::uint32_t add_queue(const Passage& p, const Waiters& as) {
    const std::uint32_t queue = net().add_own(p.t, "queues_as_" + as.kind + "_" + name(),
                                              "waits as a " + as.kind + " of " + noun());
    const Arcs joins{{queue}, {as.asleep}, {waiting_}};
    add_step(p.t, "finds_taken_as_" + as.kind, "finds too few units of " + noun() + " free",
             kSilent, {{p.from}, {not_waiting_}}, joins,
             {{bucket_}, {taken_, all_ - as.units + 1}});
    add_step(p.t, "finds_queue_as_" + as.kind, "finds threads that wait for " + noun(), kSilent,
             {{p.from}, {not_waiting_}}, joins, {{bucket_}, {waiting_}});
    for (const std::uint32_t state : {as.asleep, as.woken}) {
      add_step(p.t, "gives_up_as_" + as.kind + (state == as.woken ? "_woken" : ""),
               "waits no longer for " + noun(), kSilent,
               {{queue}, {state}, {waiting_}, {bucket_}, {timeout_}},
               {{threads_[p.t].leaves}, {not_waiting_}, {gave_up_}});
    }
    return queue;
  }

  // A woken thread that is next takes its units.
  void add_turn(std::uint32_t t, const Waiters& as, std::uint32_t queue,
                const std::optional<NetEvent>& event, std::uint32_t to, const Arcs& returns) {
    add_step(t, "takes_as_" + as.kind, "is next for " + noun(), event,
             {{queue}, {as.woken}, {waiting_}, {bucket_}, {free_, as.units}},
             Arcs{{to}, {not_waiting_}, {taken_, as.units}} + returns);
  }

  // A woken thread that is not next sleeps again, for one of these reasons.
  void add_sleep(std::uint32_t t, const Waiters& as, std::uint32_t queue,
                 const std::vector<Arcs>& reasons) {
    for (std::size_t i = 0; i < reasons.size(); ++i) {
      add_step(t, "sleeps_again_as_" + as.kind + "_" + std::to_string(i + 1),
               "is not next for " + noun(), kSilent, {{queue}, {as.woken}}, {{queue}, {as.asleep}},
               reasons[i] + Arcs{{bucket_}});
    }
  }

  // R3, from a place in which the thread has the bucket. The first waiter decides whether a waiter
  // is served; whether one more is served depends on the order of the queue, and is left open.
  void add_service(std::uint32_t t, const std::string& suffix, std::uint32_t from,
                   std::uint32_t to) {
    const std::uint32_t served =
        net().add_own(t, "served_" + suffix + "_" + name(), "has served a waiter for " + noun());
    const auto ends = [&](const std::string& why, const std::string& label, const Arcs& reads) {
      add_step(t, "sees_" + why + "_" + suffix, label, kSilent, {{from}}, {{to}, {bucket_}}, reads);
    };
    ends("none", "sees no thread that waits for " + noun(), {{not_waiting_, all_}});
    for (const Waiters* as : {&readers_, &writers_}) {
      const Arc too_few{taken_, all_ - as->units + 1};
      const std::string label = "has too few units for the next " + as->kind;
      ends("sleeping_" + as->kind, label, {{as->asleep}, too_few});
      ends("woken_" + as->kind, label, {{as->woken}, too_few});
      add_step(t, "finds_woken_" + as->kind + "_" + suffix, "finds the next " + as->kind + " woken",
               kSilent, {{from}}, {{served}}, {{as->woken}, {free_, as->units}});
      add_waiter_service(t, suffix, *as, from, served);
      add_waiter_service(t, suffix + "_too", *as, served, served);
    }
    add_step(t, "ends_" + suffix, "serves no more", kSilent, {{served}}, {{to}, {bucket_}});
  }

  void add_waiter_service(std::uint32_t t, const std::string& suffix, const Waiters& as,
                          std::uint32_t from, std::uint32_t to) {
    add_step(t, "wakes_" + as.kind + "_" + suffix, "wakes a " + as.kind + " of " + noun(), kSilent,
             {{from}, {as.asleep}}, {{to}, {as.woken}}, {{free_, as.units}});
    for (const std::uint32_t state : {as.asleep, as.woken}) {
      add_step(t, "grants_" + as.kind + (state == as.woken ? "_woken_" : "_") + suffix,
               "grants " + noun() + " to a " + as.kind, kSilent,
               {{from}, {state}, {waiting_}, {free_, as.units}},
               {{to}, {as.granted}, {not_waiting_}, {taken_, as.units}});
    }
  }

  const std::uint32_t all_;
  const std::uint32_t free_;
  const std::uint32_t taken_;
  const std::uint32_t bucket_;
  const std::uint32_t waiting_;
  const std::uint32_t not_waiting_;
  const std::uint32_t timeout_;
  const std::uint32_t gave_up_;
  const Waiters readers_;
  const Waiters writers_;
  std::vector<Places> threads_;
};

}  // namespace

std::unique_ptr<LockModel> shared_key_model(NetBuilder& net, const std::string& name,
                                            const std::string& noun) {
  return std::make_unique<SharedKeyModel>(net, name, noun);
}

}  // namespace lockbench::internal
