// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/several_objects.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/stress/forms.h"
#include "harness/stress/litmus/demand.h"
#include "harness/stress/litmus/lock_under_test.h"
#include "harness/stress/litmus/program.h"

namespace lockbench::stress {
namespace {

constexpr std::size_t kMostThreads = 4;     // of the programs below
constexpr std::uint64_t kMostObjects = 64;  // of a class whose keys have a limit

using LockMaker = std::function<std::unique_ptr<LockUnderTest>(std::uint64_t keys)>;

class SeveralObjects final : public LockUnderTest {
 public:
  SeveralObjects(const LockMaker& make, std::uint64_t keys) {
    for (std::uint64_t key = 0; key < keys; ++key) objects_.push_back(make(keys));
  }

  std::unique_ptr<LockHandle> handle(std::uint64_t key) override {
    return objects_[key]->handle(key);
  }
  std::unique_ptr<LockHandle> handle_both(std::uint64_t, std::uint64_t) override { return nullptr; }
  std::uint32_t capacity() const override { return objects_.front()->capacity(); }
  std::optional<std::size_t> keys_kept() const override {
    std::optional<std::size_t> kept = objects_.front()->keys_kept();
    for (std::size_t i = 1; kept && i < objects_.size(); ++i) *kept += *objects_[i]->keys_kept();
    return kept;
  }
  const void* object() const override { return objects_.front()->object(); }

 private:
  std::vector<std::unique_ptr<LockUnderTest>> objects_;
};

LockMaker of_several_objects(LockMaker make) {
  if (!make) return make;
  return [make = std::move(make)](std::uint64_t keys) -> std::unique_ptr<LockUnderTest> {
    return std::make_unique<SeveralObjects>(make, keys);
  };
}

Abilities with_object_for_each_key(Abilities can) {
  can.of_form = true;
  can.lock_per_key = true;
  can.one_lock = false;
  can.pairs = false;
  can.any_key = false;
  can.nests_keys = !can.leases;
  can.limits.keys = 0;  // each object gets one
  // A class may need much memory for a table of its keys, and here each key has such a table.
  if (can.limits.keys_below != 0) {
    can.limits.keys_below = std::min(can.limits.keys_below, kMostObjects);
  }
  can.last_may_destroy = false;  // of several objects, which one would be destroyed?
  return can;
}

// Each program shows one way in which a class may mix up its objects.
//   Nested holds    A thread takes its hold of one object for a hold of another, or uses one node
//                   for both.
//   A held object   A thread that waits for object 1, which stays held, gets the wake-up of a
//                   thread that waits for object 0.
//   Z               A thread takes a new lock for the old one that had the same address.
std::vector<std::string> programs_of_objects(const Abilities& can) {
  std::vector<std::string> texts = {"L0 L1 U U | L1 U", "L0 L1 U U | T1 U",
                                    "L1 A2 U | L0 U | L0 U | L1 U"};
  if (can.reentrant) texts.emplace_back("L0 L1 L0 U U U | L1 U");
  if (can.timed) texts.emplace_back("L0 W1:400000 U U | L1 R4000000 U");
  // While a holder rests, a thread that spins for some time goes to sleep.
  texts.insert(texts.end(), {"L0 U Z L0 U | L0 U Z L0 U", "L0 U Z L0 R4000000 U | L0 U Z L0 U",
                             "L0 U Z T0 U | Z L0 U"});
  std::vector<std::string> programs;
  for (const std::string& text : texts) {
    const auto program = program_from(text, kMostThreads);
    if (program.ok() && misfit_of(*program, can).empty()) programs.push_back(text);
  }
  return programs;
}

bool is_of_several_locks(const std::string& name) {
  const std::string kind = name.substr(0, name.find(':'));
  return kind == "striped" || kind == "keyed_table";
}

}  // namespace

std::optional<RegisteredLock> with_several_objects(const RegisteredLock& lock) {
  const bool is_form = std::any_of(kForms.begin(), kForms.end(), [&](std::string_view form) {
    return has_form(lock.name, form);
  });
  if (is_form || is_of_several_locks(lock.name) || lock.abilities.scope != Scope::kThread ||
      !lock.abilities.excludes || lock.abilities.keys_read) {
    return std::nullopt;
  }
  RegisteredLock form = lock;
  form.name = form_of(lock.name, kSeveralObjects);
  form.summary += ", an object for each key";
  form.abilities = with_object_for_each_key(lock.abilities);
  form.make = of_several_objects(lock.make);
  form.make_instrumented = of_several_objects(lock.make_instrumented);
  form.programs = programs_of_objects(form.abilities);
  return form;
}

}  // namespace lockbench::stress
