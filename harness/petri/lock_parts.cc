// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/lock_parts.h"

#include <utility>

namespace lockbench::internal {
namespace {

class PlainPart : public LockPart {
 public:
  PlainPart(NetBuilder& builder, const std::string& name, const std::string& noun,
            std::uint32_t capacity)
      : LockPart(builder, name, noun),
        capacity_(capacity),
        free_(builder.shared(
            name + "_free", capacity == 1 ? noun + " is free" : noun + " in the queue", capacity)) {
  }

  void add_taking(const Passage& p) override {
    net().step(p.t, "takes_" + name() + p.suffix, "takes " + noun(), "takes " + noun(),
               {{p.from}, {free_}}, {{p.to}});
  }
  void add_release(const Passage& p) override {
    net().step(p.t, "lets_go_" + name() + p.suffix, "lets go of " + noun(), "lets go of " + noun(),
               {{p.from}}, {{p.to}, {free_}});
  }
  std::uint32_t capacity() const override { return capacity_; }
  std::string claim() const override {
    if (capacity_ == 1) return LockPart::claim();
    return "at most " + std::to_string(capacity_) + " of " + noun() + " are out";
  }

 protected:
  std::uint32_t free_place() const { return free_; }

 private:
  const std::uint32_t capacity_;
  const std::uint32_t free_;
};

// absent: nobody holds the key, and nothing is kept of it. A release makes it absent first and
// looks for waiters then; whoever waits has seen it held after it was counted in `waiting`. `rest`
// completes the count, so that it can be tested for 0. A waiter that has waited for long is handed
// the key, which then is not absent in between.
class KeyPart : public LockPart {
 public:
  KeyPart(NetBuilder& builder, const std::string& name, const std::string& noun)
      : LockPart(builder, name, noun),
        absent_(builder.shared(name + "_absent", "nothing is kept of " + noun, 1)),
        kept_(builder.shared(name + "_kept", noun + " is held")),
        granted_(builder.shared(name + "_granted", noun + " is on its way to a waiter")),
        wake_(builder.shared(name + "_wake", "a wake-up for " + noun + " is on its way")),
        waiting_(builder.shared(name + "_waiting", "is counted as waiting for " + noun)),
        rest_(builder.shared(name + "_rest", "is not counted as waiting for " + noun,
                             builder.threads())) {}

  void add_taking(const Passage& p) override {
    const std::string takes = "takes " + noun();
    const std::uint32_t queue =
        net().own(p.t, "queues_for_" + name() + p.suffix, p.holding + "queues for " + noun());
    net().step(p.t, "takes_" + name() + p.suffix, takes, takes, {{p.from}, {absent_}},
               {{p.to}, {kept_}});
    net().step(p.t, "joins_" + name() + p.suffix, "finds " + noun() + " held, and queues", "",
               {{p.from}, {kept_}, {rest_}}, {{queue}, {kept_}, {waiting_}});
    net().step(p.t, "looks_again_" + name() + p.suffix, "is woken to look at " + noun() + " again",
               "", {{queue}, {wake_}}, {{p.from}});
    net().step(p.t, "is_handed_" + name() + p.suffix, "is handed " + noun(), takes,
               {{queue}, {granted_}}, {{p.to}});
  }
  void add_release(const Passage& p) override {
    const std::string lets_go = "lets go of " + noun();
    const std::uint32_t freed =
        net().own(p.t, "has_freed_" + name() + p.suffix, "has let go of " + noun());
    net().step(p.t, "lets_go_" + name() + p.suffix, lets_go, lets_go, {{p.from}, {kept_}},
               {{freed}, {absent_}});
    net().step(p.t, "wakes_nobody_" + name() + p.suffix, "sees nobody wait for " + noun(), "",
               {{freed}, {rest_, net().threads()}}, {{p.to}, {rest_, net().threads()}});
    net().step(p.t, "wakes_" + name() + p.suffix, "wakes one who waits for " + noun(), "",
               {{freed}, {waiting_}}, {{p.to}, {rest_}, {wake_}});
    net().step(p.t, "hands_over_" + name() + p.suffix, "hands " + noun() + " to one who waits",
               lets_go, {{p.from}, {waiting_}}, {{p.to}, {rest_}, {granted_}});
  }

 private:
  const std::uint32_t absent_;
  const std::uint32_t kept_;
  const std::uint32_t granted_;
  const std::uint32_t wake_;
  const std::uint32_t waiting_;
  const std::uint32_t rest_;
};

// The owner's depth, and what is left of the depth that the model allows, are counted per thread.
class ReentrantPart : public PlainPart {
 public:
  ReentrantPart(NetBuilder& builder, const std::string& name, const std::string& noun,
                std::uint32_t depth)
      : PlainPart(builder, name, noun, 1), depth_(depth) {
    for (std::uint32_t t = 0; t < builder.threads(); ++t) {
      counts_.push_back(builder.own(t, "depth_in_" + name, "nests in " + noun));
      rests_.push_back(builder.own(t, "rest_in_" + name, "may nest more in " + noun, depth));
    }
  }

  void add_taking(const Passage& p) override {
    net().step(p.t, "takes_" + name() + p.suffix, "takes " + noun(), "takes " + noun(),
               {{p.from}, {free_place()}, {rests_[p.t]}}, {{p.to}, {counts_[p.t]}});
  }
  void add_stay(std::uint32_t t, std::uint32_t place, std::uint32_t,
                const std::string& suffix) override {
    if (depth_ == 1) return;
    net().step(t, "deepens_" + name() + suffix, "takes " + noun() + " again", "takes " + noun(),
               {{place}, {rests_[t]}}, {{place}, {counts_[t]}});
    net().step(t, "rises_" + name() + suffix, "lets go of " + noun() + " once",
               "lets go of " + noun(), {{place}, {counts_[t], 2}},
               {{place}, {counts_[t]}, {rests_[t]}});
  }
  void add_release(const Passage& p) override {
    net().step(p.t, "lets_go_" + name() + p.suffix, "lets go of " + noun() + " for good",
               "lets go of " + noun(), {{p.from}, {counts_[p.t]}, {rests_[p.t], depth_ - 1}},
               {{p.to}, {rests_[p.t], depth_}, {free_place()}});
  }

 private:
  const std::uint32_t depth_;
  std::vector<std::uint32_t> counts_;  // per thread
  std::vector<std::uint32_t> rests_;   // per thread
};

// Who clears away has found the owner dead, and finds it so again with the guard, which one has at
// a time and which a death gives back. Without the second look, one of two who both found it dead
// would remove the file of the next owner, who lives.
class FilePart : public PlainPart {
 public:
  FilePart(NetBuilder& builder, bool recovered)
      : PlainPart(builder, "lock", "the lock file", 1),
        recovered_(recovered),
        stale_(builder.shared("lock_stale", "the lock file names a dead owner")),
        fresh_(builder.shared("lock_fresh", "no lock file names a dead owner", 1)),
        guard_(recovered ? builder.shared("guard_free", "the rescue guard is free", 1) : 0) {}

  void add_stay(std::uint32_t t, std::uint32_t place, std::uint32_t ended,
                const std::string&) override {
    net().step(t, "dies_inside", "dies inside", "dies", {{place}, {fresh_}}, {{ended}, {stale_}});
  }
  void add_wait(std::uint32_t t, std::uint32_t place, std::uint32_t ended) override {
    if (!recovered_) return;
    const std::uint32_t suspects = net().own(t, "suspects", "has found the owner dead");
    const std::uint32_t guards = net().own(t, "guards", "has the rescue guard");
    const std::uint32_t cleared = net().own(t, "cleared", "has cleared the lock file away");
    net().step(t, "finds_dead", "finds the owner dead", "", {{place}, {stale_}},
               {{suspects}, {stale_}});
    net().step(t, "gives_up", "finds the rescue guard taken, and waits on", "", {{suspects}},
               {{place}});
    net().step(t, "takes_guard", "takes the rescue guard", "", {{suspects}, {guard_}}, {{guards}});
    net().step(t, "finds_cleared", "finds it cleared away meanwhile", "", {{guards}, {fresh_}},
               {{place}, {fresh_}, {guard_}});
    net().step(t, "unlinks", "unlinks the dead owner's lock file", "clears the lock file",
               {{guards}, {stale_}}, {{cleared}, {fresh_}, {free_place()}});
    net().step(t, "leaves_guard", "gives the rescue guard back", "", {{cleared}},
               {{place}, {guard_}});
    net().step(t, "dies_guarding", "dies before it clears away", "dies", {{guards}},
               {{ended}, {guard_}});
    net().step(t, "dies_cleared", "dies when it has cleared away", "dies", {{cleared}},
               {{ended}, {guard_}});
  }

 private:
  const bool recovered_;
  const std::uint32_t stale_;
  const std::uint32_t fresh_;
  const std::uint32_t guard_;
};

// To take is to lock, and to read behind the fence: from then on, whoever held before is refused
// there. A hold whose time is up goes on until somebody comes who wants the key, and takes it over.
class TimedPart : public PlainPart {
 public:
  explicit TimedPart(NetBuilder& builder) : PlainPart(builder, "lock", "the lock", 1) {
    for (std::uint32_t t = 0; t < builder.threads(); ++t) {
      overdue_.push_back(builder.own(t, "overdue", "holds the lock, though its time is up"));
      late_.push_back(builder.own(t, "late", "is inside with a worthless token"));
    }
  }

  void add_taking(const Passage& p) override {
    PlainPart::add_taking(p);
    for (std::uint32_t other = 0; other < overdue_.size(); ++other) {
      if (other == p.t) continue;
      const std::string whom = "thread " + std::to_string(other + 1);
      net().step(p.t, "takes_over_from_t" + std::to_string(other + 1),
                 "takes the lock over from " + whom, "takes the lock",
                 {{p.from}, {overdue_[other]}}, {{p.to}, {late_[other]}});
    }
  }
  void add_stay(std::uint32_t t, std::uint32_t place, std::uint32_t, const std::string&) override {
    net().step(t, "writes", "writes, and is accepted", "writes", {{place}}, {{place}});
    net().step(t, "expires", "has held for as long as it may", "expires", {{place}},
               {{overdue_[t]}});
    net().step(t, "writes_overdue", "writes, and is accepted, though its time is up", "writes",
               {{overdue_[t]}}, {{overdue_[t]}});
    net().step(t, "is_refused", "writes late, and is refused", "is refused", {{late_[t]}},
               {{late_[t]}});
  }
  void add_release(const Passage& p) override {
    PlainPart::add_release(p);
    net().step(p.t, "lets_go_overdue", "lets go of the lock, though its time was up",
               "lets go of the lock", {{overdue_[p.t]}}, {{p.to}, {free_place()}});
    net().step(p.t, "lets_go_late", "lets go of the lock, and is told that it had lost it",
               "lets go of the lock", {{late_[p.t]}}, {{p.to}});
  }
  std::string claim() const override { return "at most one thread's writes are accepted"; }
  std::vector<std::uint32_t> more_inside(std::uint32_t t) const override { return {overdue_[t]}; }

 private:
  std::vector<std::uint32_t> overdue_;
  std::vector<std::uint32_t> late_;
};

class NoPart : public LockPart {
 public:
  explicit NoPart(NetBuilder& builder) : LockPart(builder, "value", "the old value") {}

  void add_taking(const Passage& p) override {
    net().step(p.t, "reads", "reads the value", "reads", {{p.from}}, {{p.to}});
  }
  void add_release(const Passage& p) override {
    net().step(p.t, "writes", "writes its sum", "writes", {{p.from}}, {{p.to}});
  }
};

class TestThenSetPart : public LockPart {
 public:
  explicit TestThenSetPart(NetBuilder& builder)
      : LockPart(builder, "lock", "the lock"),
        clear_(builder.shared("flag_clear", "the flag is clear", 1)),
        set_(builder.shared("flag_set", "the flag is set")) {}

  void add_taking(const Passage& p) override {
    const std::uint32_t saw = net().own(p.t, "saw_clear", "saw the flag clear");
    net().step(p.t, "tests", "tests the flag: clear", "", {{p.from}, {clear_}}, {{saw}, {clear_}});
    net().step(p.t, "sets", "sets the flag", "takes the lock", {{saw}, {clear_}}, {{p.to}, {set_}});
    net().step(p.t, "sets_again", "sets the flag, set by another meanwhile", "takes the lock",
               {{saw}, {set_}}, {{p.to}, {set_}});
  }
  void add_release(const Passage& p) override {
    net().step(p.t, "clears", "clears the flag", "lets go of the lock", {{p.from}, {set_}},
               {{p.to}, {clear_}});
    net().step(p.t, "clears_again", "clears the flag, cleared by another meanwhile",
               "lets go of the lock", {{p.from}, {clear_}}, {{p.to}, {clear_}});
  }

 private:
  const std::uint32_t clear_;
  const std::uint32_t set_;
};

}  // namespace

std::unique_ptr<LockPart> plain_part(NetBuilder& net, const std::string& name,
                                     const std::string& noun, std::uint32_t capacity) {
  return std::make_unique<PlainPart>(net, name, noun, capacity);
}
std::unique_ptr<LockPart> key_part(NetBuilder& net, const std::string& name,
                                   const std::string& noun) {
  return std::make_unique<KeyPart>(net, name, noun);
}
std::unique_ptr<LockPart> reentrant_part(NetBuilder& net, const std::string& name,
                                         const std::string& noun, std::uint32_t depth) {
  return std::make_unique<ReentrantPart>(net, name, noun, depth);
}
std::unique_ptr<LockPart> file_part(NetBuilder& net, bool recovered) {
  return std::make_unique<FilePart>(net, recovered);
}
std::unique_ptr<LockPart> timed_part(NetBuilder& net) {
  return std::make_unique<TimedPart>(net);
}
std::unique_ptr<LockPart> no_part(NetBuilder& net) {
  return std::make_unique<NoPart>(net);
}
std::unique_ptr<LockPart> test_then_set_part(NetBuilder& net) {
  return std::make_unique<TestThenSetPart>(net);
}

}  // namespace lockbench::internal
