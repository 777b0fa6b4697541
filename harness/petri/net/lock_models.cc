// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/net/lock_models.h"

#include <utility>

namespace lockbench::internal {
namespace {

constexpr std::nullopt_t kSilent = std::nullopt;

class CountingModel : public LockModel {
 public:
  CountingModel(NetBuilder& builder, const std::string& name, const std::string& noun,
                std::uint32_t capacity)
      : LockModel(builder, name, noun),
        capacity_(capacity),
        free_(builder.add_shared(
            name + "_free", noun + (capacity == 1 ? " is free" : " in the queue"), capacity)) {}

  void add_acquisition(const Passage& p) override {
    net().add_step(p.t, "acquires_" + name() + p.suffix, "acquires " + noun(), acquires(),
                   {{p.from}, {free_}}, {{p.to}});
  }
  void add_release(const Passage& p) override {
    net().add_step(p.t, "releases_" + name() + p.suffix, "releases " + noun(), releases(),
                   {{p.from}}, {{p.to}, {free_}});
  }
  std::uint32_t capacity() const override { return capacity_; }
  std::string property() const override {
    if (capacity_ == 1) return LockModel::property();
    return "at most " + std::to_string(capacity_) + " threads hold " + noun();
  }

 protected:
  std::uint32_t free_place() const { return free_; }

 private:
  const std::uint32_t capacity_;
  const std::uint32_t free_;
};

// `absent`: no thread holds the key and nothing is kept for it. A release makes the key absent
// first and checks for waiters afterwards. A thread that waits has seen the key held after it was
// counted in `waiting`. `not_waiting` is the complement of that count, so that a transition can
// test for 0 waiters. If a thread has waited for long, the release gives the key to that thread,
// and the key is not absent in between.
class KeyModel : public LockModel {
 public:
  KeyModel(NetBuilder& builder, const std::string& name, const std::string& noun)
      : LockModel(builder, name, noun),
        absent_(builder.add_absence(name + "_absent", "nothing is kept for " + noun, 1)),
        kept_(builder.add_shared(name + "_kept", noun + " is held")),
        granted_(builder.add_shared(name + "_granted", noun + " is granted to a waiter")),
        wake_(builder.add_shared(name + "_wake", "a wake-up for " + noun + " is pending")),
        waiting_(builder.add_shared(name + "_waiting", "is counted as waiting for " + noun)),
        not_waiting_(builder.add_shared(
            name + "_not_waiting", "is not counted as waiting for " + noun, builder.threads())) {}

  void add_acquisition(const Passage& p) override {
    const std::uint32_t queue =
        net().add_own(p.t, "queues_for_" + name() + p.suffix, p.holding + "queues for " + noun());
    net().add_step(p.t, "acquires_" + name() + p.suffix, "acquires " + noun(), acquires(),
                   {{p.from}, {absent_}}, {{p.to}, {kept_}});
    net().add_step(p.t, "joins_" + name() + p.suffix, "finds " + noun() + " held, and queues",
                   kSilent, {{p.from}, {kept_}, {not_waiting_}}, {{queue}, {kept_}, {waiting_}});
    net().add_step(p.t, "tries_again_" + name() + p.suffix, "wakes up to try " + noun() + " again",
                   kSilent, {{queue}, {wake_}}, {{p.from}});
    net().add_step(p.t, "is_handed_" + name() + p.suffix, "is handed " + noun(), acquires(),
                   {{queue}, {granted_}}, {{p.to}});
  }
  void add_release(const Passage& p) override {
    const std::uint32_t freed =
        net().add_own(p.t, "has_freed_" + name() + p.suffix, "has released " + noun());
    net().add_step(p.t, "releases_" + name() + p.suffix, "releases " + noun(), releases(),
                   {{p.from}, {kept_}}, {{freed}, {absent_}});
    net().add_step(p.t, "wakes_none_" + name() + p.suffix, "sees no waiter for " + noun(), kSilent,
                   {{freed}, {not_waiting_, net().threads()}},
                   {{p.to}, {not_waiting_, net().threads()}});
    net().add_step(p.t, "wakes_" + name() + p.suffix, "wakes a waiter for " + noun(), kSilent,
                   {{freed}, {waiting_}}, {{p.to}, {not_waiting_}, {wake_}});
    net().add_step(p.t, "hands_over_" + name() + p.suffix, "hands " + noun() + " to a waiter",
                   releases(), {{p.from}, {waiting_}}, {{p.to}, {not_waiting_}, {granted_}});
  }

 private:
  const std::uint32_t absent_;
  const std::uint32_t kept_;
  const std::uint32_t granted_;
  const std::uint32_t wake_;
  const std::uint32_t waiting_;
  const std::uint32_t not_waiting_;
};

// Each thread has a place that counts its depth, and one that counts the difference to the maximum
// depth of the model.
class ReentrantModel : public CountingModel {
 public:
  ReentrantModel(NetBuilder& builder, const std::string& name, const std::string& noun,
                 std::uint32_t depth)
      : CountingModel(builder, name, noun, 1), depth_(depth) {
    for (std::uint32_t t = 0; t < builder.threads(); ++t) {
      depths_.push_back(builder.add_own(t, "depth_in_" + name, "nests in " + noun));
      rests_.push_back(builder.add_own(t, "rest_in_" + name, "may nest more in " + noun, depth));
    }
  }

  void add_acquisition(const Passage& p) override {
    net().add_step(p.t, "acquires_" + name() + p.suffix, "acquires " + noun(), acquires(),
                   {{p.from}, {free_place()}, {rests_[p.t]}}, {{p.to}, {depths_[p.t]}});
  }
  void add_critical_section(std::uint32_t t, std::uint32_t place, std::uint32_t,
                            const std::string& suffix) override {
    if (depth_ == 1) return;
    net().add_step(t, "acquires_again_" + name() + suffix, "acquires " + noun() + " again",
                   acquires(), {{place}, {rests_[t]}}, {{place}, {depths_[t]}});
    net().add_step(t, "releases_once_" + name() + suffix, "releases " + noun() + " once",
                   releases(), {{place}, {depths_[t], 2}}, {{place}, {depths_[t]}, {rests_[t]}});
  }
  void add_release(const Passage& p) override {
    net().add_step(p.t, "releases_" + name() + p.suffix, "releases " + noun() + " completely",
                   releases(), {{p.from}, {depths_[p.t]}, {rests_[p.t], depth_ - 1}},
                   {{p.to}, {rests_[p.t], depth_}, {free_place()}});
  }

 private:
  const std::uint32_t depth_;
  std::vector<std::uint32_t> depths_;  // per thread
  std::vector<std::uint32_t> rests_;   // per thread
};

// A process removes the file only after it has found the owner dead twice: first without and then
// with the guard. One process at a time has the guard, and the death of that process returns it.
// Without the second check, one of two processes that both found the owner dead would remove the
// file of the next owner, which is alive.
class FileModel : public CountingModel {
 public:
  FileModel(NetBuilder& builder, bool recovered)
      : CountingModel(builder, "lock", "the lock file", 1),
        recovered_(recovered),
        stale_(builder.add_shared("lock_stale", "the lock file names a dead owner")),
        fresh_(builder.add_shared("lock_fresh", "no lock file names a dead owner", 1)),
        guard_(recovered ? builder.add_shared("guard_free", "the recovery guard is free", 1) : 0) {}

  void add_critical_section(std::uint32_t t, std::uint32_t place, std::uint32_t ended,
                            const std::string&) override {
    net().add_step(t, "dies_inside", "dies inside", dies(), {{place}, {fresh_}},
                   {{ended}, {stale_}});
  }
  void add_wait(std::uint32_t t, std::uint32_t place, std::uint32_t ended) override {
    if (!recovered_) return;
    const std::uint32_t suspects = net().add_own(t, "suspects", "has found the owner dead");
    const std::uint32_t guards = net().add_own(t, "guards", "has the recovery guard");
    const std::uint32_t cleared = net().add_own(t, "cleared", "has removed the lock file");
    net().add_step(t, "finds_dead", "finds the owner dead", kSilent, {{place}, {stale_}},
                   {{suspects}, {stale_}});
    net().add_step(t, "gives_up", "finds the recovery guard taken, and waits on", kSilent,
                   {{suspects}}, {{place}});
    net().add_step(t, "acquires_guard", "acquires the recovery guard", kSilent,
                   {{suspects}, {guard_}}, {{guards}});
    net().add_step(t, "finds_cleared", "finds the file removed meanwhile", kSilent,
                   {{guards}, {fresh_}}, {{place}, {fresh_}, {guard_}});
    net().add_step(t, "unlinks", "unlinks the dead owner's lock file",
                   NetEvent{.verb = NetEvent::kClears, .lock = noun()}, {{guards}, {stale_}},
                   {{cleared}, {fresh_}, {free_place()}});
    net().add_step(t, "releases_guard", "releases the recovery guard", kSilent, {{cleared}},
                   {{place}, {guard_}});
    net().add_step(t, "dies_guarding", "dies before it removes the file", dies(), {{guards}},
                   {{ended}, {guard_}});
    net().add_step(t, "dies_cleared", "dies after it has removed the file", dies(), {{cleared}},
                   {{ended}, {guard_}});
  }

 private:
  static NetEvent dies() { return {.verb = NetEvent::kDies}; }

  const bool recovered_;
  const std::uint32_t stale_;
  const std::uint32_t fresh_;
  const std::uint32_t guard_;
};

// An acquisition includes the read behind the fence: from then on, the fence refuses writes of
// earlier holders. An expired hold lasts until another thread requests the key and takes it over.
class TimedModel : public CountingModel {
 public:
  explicit TimedModel(NetBuilder& builder) : CountingModel(builder, "lock", "the lock", 1) {
    for (std::uint32_t t = 0; t < builder.threads(); ++t) {
      expired_.push_back(builder.add_own(t, "expired", "holds the lock after its time limit"));
      fenced_.push_back(builder.add_own(t, "fenced", "is inside with an outdated token"));
    }
  }

  void add_acquisition(const Passage& p) override {
    CountingModel::add_acquisition(p);
    for (std::uint32_t other = 0; other < expired_.size(); ++other) {
      if (other == p.t) continue;
      net().add_step(p.t, "takes_over_from_t" + std::to_string(other + 1),
                     "takes the lock over from " + thread_name(other + 1), acquires(),
                     {{p.from}, {expired_[other]}}, {{p.to}, {fenced_[other]}});
    }
  }
  void add_critical_section(std::uint32_t t, std::uint32_t place, std::uint32_t,
                            const std::string&) override {
    const NetEvent writes{.verb = NetEvent::kWrites};
    net().add_step(t, "writes", "writes, and is accepted", writes, {{place}}, {{place}});
    net().add_step(t, "expires", "has reached its time limit", NetEvent{.verb = NetEvent::kExpires},
                   {{place}}, {{expired_[t]}});
    net().add_step(t, "writes_expired", "writes after its time limit, and is accepted", writes,
                   {{expired_[t]}}, {{expired_[t]}});
    net().add_step(t, "is_refused", "writes late, and is refused",
                   NetEvent{.verb = NetEvent::kIsRefused}, {{fenced_[t]}}, {{fenced_[t]}});
  }
  void add_release(const Passage& p) override {
    CountingModel::add_release(p);
    net().add_step(p.t, "releases_expired", "releases the lock after its time limit", releases(),
                   {{expired_[p.t]}}, {{p.to}, {free_place()}});
    net().add_step(p.t, "releases_lost", "releases the lock, and learns that it had lost it",
                   releases(), {{fenced_[p.t]}}, {{p.to}});
  }
  std::string property() const override { return "at most one thread's writes are accepted"; }
  std::vector<std::uint32_t> more_inside(std::uint32_t t) const override { return {expired_[t]}; }

 private:
  std::vector<std::uint32_t> expired_;  // per thread
  std::vector<std::uint32_t> fenced_;   // per thread
};

class UnlockedModel : public LockModel {
 public:
  explicit UnlockedModel(NetBuilder& builder) : LockModel(builder, "value", "the old value") {}

  void add_acquisition(const Passage& p) override {
    net().add_step(p.t, "reads", "reads the value", NetEvent{.verb = NetEvent::kReads}, {{p.from}},
                   {{p.to}});
  }
  void add_release(const Passage& p) override {
    net().add_step(p.t, "writes", "writes its sum", NetEvent{.verb = NetEvent::kWrites}, {{p.from}},
                   {{p.to}});
  }
};

class TestThenSetModel : public LockModel {
 public:
  explicit TestThenSetModel(NetBuilder& builder)
      : LockModel(builder, "lock", "the lock"),
        clear_(builder.add_shared("flag_clear", "the flag is clear", 1)),
        set_(builder.add_shared("flag_set", "the flag is set")) {}

  void add_acquisition(const Passage& p) override {
    const std::uint32_t saw = net().add_own(p.t, "saw_clear", "saw the flag clear");
    net().add_step(p.t, "tests", "tests the flag: clear", kSilent, {{p.from}, {clear_}},
                   {{saw}, {clear_}});
    net().add_step(p.t, "sets", "sets the flag", acquires(), {{saw}, {clear_}}, {{p.to}, {set_}});
    net().add_step(p.t, "sets_again", "sets the flag, which another thread has set meanwhile",
                   acquires(), {{saw}, {set_}}, {{p.to}, {set_}});
  }
  void add_release(const Passage& p) override {
    net().add_step(p.t, "clears", "clears the flag", releases(), {{p.from}, {set_}},
                   {{p.to}, {clear_}});
    net().add_step(p.t, "clears_again", "clears the flag, which another thread has cleared already",
                   releases(), {{p.from}, {clear_}}, {{p.to}, {clear_}});
  }

 private:
  const std::uint32_t clear_;
  const std::uint32_t set_;
};

}  // namespace

std::unique_ptr<LockModel> counting_model(NetBuilder& net, const std::string& name,
                                          const std::string& noun, std::uint32_t capacity) {
  return std::make_unique<CountingModel>(net, name, noun, capacity);
}
std::unique_ptr<LockModel> key_model(NetBuilder& net, const std::string& name,
                                     const std::string& noun) {
  return std::make_unique<KeyModel>(net, name, noun);
}
std::unique_ptr<LockModel> reentrant_model(NetBuilder& net, const std::string& name,
                                           const std::string& noun, std::uint32_t depth) {
  return std::make_unique<ReentrantModel>(net, name, noun, depth);
}
std::unique_ptr<LockModel> file_model(NetBuilder& net, bool recovered) {
  return std::make_unique<FileModel>(net, recovered);
}
std::unique_ptr<LockModel> timed_model(NetBuilder& net) {
  return std::make_unique<TimedModel>(net);
}
std::unique_ptr<LockModel> unlocked_model(NetBuilder& net) {
  return std::make_unique<UnlockedModel>(net);
}
std::unique_ptr<LockModel> test_then_set_model(NetBuilder& net) {
  return std::make_unique<TestThenSetModel>(net);
}

}  // namespace lockbench::internal
