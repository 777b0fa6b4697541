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

// absent: no entry, hence free. Else `asks` counts who holds or waits, and `open` is marked while
// none of them holds. `rest` completes the count, so that being the last can be tested for.
class EntryPart : public LockPart {
 public:
  EntryPart(NetBuilder& builder, const std::string& name, const std::string& noun)
      : LockPart(builder, name, noun),
        absent_(builder.shared(name + "_absent", noun + " has no entry", 1)),
        open_(builder.shared(name + "_open", noun + " has an entry and no holder")),
        asks_(builder.shared(name + "_asks", "asks for " + noun)),
        rest_(builder.shared(name + "_rest", "no business with " + noun, builder.threads())) {}

  void add_taking(const Passage& p) override {
    const std::string takes = "takes " + noun();
    const std::uint32_t queue =
        net().own(p.t, "queues_for_" + name() + p.suffix, p.holding + "queues for " + noun());
    net().step(p.t, "makes_" + name() + p.suffix, takes + " and makes its entry", takes,
               {{p.from}, {absent_}, {rest_}}, {{p.to}, {asks_}});
    net().step(p.t, "joins_" + name() + p.suffix, "joins the queue for " + noun(), "",
               {{p.from}, {asks_}, {rest_}}, {{queue}, {asks_, 2}});
    net().step(p.t, "takes_" + name() + p.suffix, takes, takes, {{queue}, {open_}}, {{p.to}});
  }
  void add_release(const Passage& p) override {
    const std::string lets_go = "lets go of " + noun();
    net().step(p.t, "passes_on_" + name() + p.suffix, lets_go + ", which others ask for", lets_go,
               {{p.from}, {asks_, 2}}, {{p.to}, {asks_}, {rest_}, {open_}});
    net().step(p.t, "removes_" + name() + p.suffix, lets_go + " and removes its entry", lets_go,
               {{p.from}, {asks_}, {rest_, net().threads() - 1}},
               {{p.to}, {rest_, net().threads()}, {absent_}});
  }

 private:
  const std::uint32_t absent_;
  const std::uint32_t open_;
  const std::uint32_t asks_;
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

class FilePart : public PlainPart {
 public:
  FilePart(NetBuilder& builder, bool recovered)
      : PlainPart(builder, "lock", "the lock file", 1),
        recovered_(recovered),
        stale_(builder.shared("lock_stale", "the lock file names a dead owner")),
        guard_(recovered ? builder.shared("guard_free", "the right to clear away is free", 1) : 0) {
  }

  void add_stay(std::uint32_t t, std::uint32_t place, std::uint32_t ended,
                const std::string&) override {
    net().step(t, "dies_inside", "dies inside", "dies", {{place}}, {{ended}, {stale_}});
  }
  // Who clears away does so alone, and finds the owner dead while it is alone: two who both found
  // it dead would unlink twice, the second time a living owner's file.
  void add_wait(std::uint32_t t, std::uint32_t place, std::uint32_t ended) override {
    if (!recovered_) return;
    const std::uint32_t clears = net().own(t, "clears_lock", "clears the lock file away");
    net().step(t, "finds_dead", "finds the owner dead", "", {{place}, {stale_}, {guard_}},
               {{clears}});
    net().step(t, "unlinks", "unlinks the dead owner's lock file", "clears the lock file",
               {{clears}}, {{place}, {free_place()}, {guard_}});
    net().step(t, "dies_clearing", "dies while it clears away", "dies", {{clears}},
               {{ended}, {stale_}, {guard_}});
  }

 private:
  const bool recovered_;
  const std::uint32_t stale_;
  const std::uint32_t guard_;
};

// The holder's token is the newest one until its hold ends; a write is accepted from no other.
class TimedPart : public PlainPart {
 public:
  explicit TimedPart(NetBuilder& builder) : PlainPart(builder, "lock", "the lock", 1) {
    for (std::uint32_t t = 0; t < builder.threads(); ++t) {
      wrote_.push_back(builder.own(t, "wrote", "has written and holds the newest token"));
      late_.push_back(builder.own(t, "late", "is inside with a worthless token"));
    }
  }

  void add_stay(std::uint32_t t, std::uint32_t place, std::uint32_t, const std::string&) override {
    net().step(t, "writes", "writes, and is accepted", "writes", {{place}}, {{wrote_[t]}});
    net().step(t, "expires", "holds too long: its hold ends", "expires", {{place}},
               {{late_[t]}, {free_place()}});
  }
  void add_release(const Passage& p) override {
    const std::string lets_go = "lets go of " + noun();
    net().step(p.t, "lets_go_unwritten", lets_go + " without a write", lets_go, {{p.from}},
               {{p.to}, {free_place()}});
    net().step(p.t, "lets_go_written", lets_go, lets_go, {{wrote_[p.t]}}, {{p.to}, {free_place()}});
    net().step(p.t, "expires_written", "has its hold ended after its write", "expires",
               {{wrote_[p.t]}}, {{late_[p.t]}, {free_place()}});
    net().step(p.t, "is_refused", "writes late, and is refused", "is refused", {{late_[p.t]}},
               {{p.to}});
  }
  std::string claim() const override { return "at most one thread's writes are accepted"; }
  std::vector<std::uint32_t> more_inside(std::uint32_t t) const override { return {wrote_[t]}; }

 private:
  std::vector<std::uint32_t> wrote_;
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
std::unique_ptr<LockPart> entry_part(NetBuilder& net, const std::string& name,
                                     const std::string& noun) {
  return std::make_unique<EntryPart>(net, name, noun);
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
