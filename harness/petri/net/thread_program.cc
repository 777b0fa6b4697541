// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/net/thread_program.h"

#include <algorithm>

namespace lockbench::internal {
namespace {

Held with(Held held, std::size_t lock) {
  held.push_back(lock);
  return held;
}

}  // namespace

ThreadProgram::ThreadProgram(NetBuilder& net, const std::vector<std::unique_ptr<LockModel>>& locks,
                             std::uint32_t thread)
    : net_(net), locks_(locks), thread_(thread) {}

void ThreadProgram::build(const AcquisitionPlan& plan) {
  outside_ = net_.add_own(thread_, "outside", "is outside", 1);
  ended_ = net_.add_own(thread_, "ended", "has ended");
  net_.add_final(ended_);
  add_acquisitions(plan, outside_, {});
  net_.add_step(thread_, "ends", "ends", std::nullopt, {{outside_}}, {{ended_}});
}

std::vector<std::uint32_t> ThreadProgram::inside(std::size_t lock) const {
  std::vector<std::uint32_t> places = locks_[lock]->more_inside(thread_);
  for (const auto& [place, held] : holding_) {
    const auto times = std::count(held.begin(), held.end(), lock);
    places.insert(places.end(), static_cast<std::size_t>(times), place);
  }
  return places;
}

void ThreadProgram::add_acquisitions(const AcquisitionPlan& plan, std::uint32_t from,
                                     const Held& held) {
  const std::vector<std::size_t> choices = plan.next(held);
  const std::string suffix = held.empty() ? "" : "_with_" + names(held);
  const std::string holding = held.empty() ? "" : "holds " + nouns(held) + " and ";
  for (const std::size_t choice : choices) {
    LockModel& lock = *locks_[choice];
    std::uint32_t waits = from;
    if (held.empty() || choices.size() > 1) {
      waits =
          net_.add_own(thread_, "wants_" + lock.name() + suffix, holding + "wants " + lock.noun());
      net_.add_step(thread_, "asks_" + lock.name() + suffix, "asks for " + lock.noun(),
                    std::nullopt, {{from}}, {{waits}});
      lock.add_wait(thread_, waits, ended_);
    }
    const Held more = with(held, choice);
    const std::uint32_t holds = holding_place(plan, more);
    lock.add_acquisition(
        {.t = thread_, .from = waits, .to = holds, .suffix = suffix, .holding = holding});
    lock.add_critical_section(thread_, holds, ended_, suffix);
    if (more.size() < plan.levels) {
      add_acquisitions(plan, holds, more);
    } else {
      add_releases(holds, more);
    }
  }
}

void ThreadProgram::add_releases(std::uint32_t from, const Held& held) {
  Held rest = held;
  rest.pop_back();
  bool is_new = false;
  const std::uint32_t to = rest.empty() ? outside_ : leaving_place(rest, is_new);
  locks_[held.back()]->add_release(
      {.t = thread_, .from = from, .to = to, .suffix = rest.empty() ? "" : "_with_" + names(rest)});
  if (is_new) add_releases(to, rest);
}

std::uint32_t ThreadProgram::holding_place(const AcquisitionPlan& plan, const Held& held) {
  std::string label = "holds " + nouns(held);
  if (held.size() < plan.levels) {
    const std::vector<std::size_t> choices = plan.next(held);
    if (choices.size() == 1) label += " and wants " + locks_[choices[0]]->noun();
  }
  const std::uint32_t place = net_.add_own(thread_, "holds_" + names(held), label);
  holding_.emplace_back(place, held);
  return place;
}

std::uint32_t ThreadProgram::leaving_place(const Held& held, bool& is_new) {
  const auto known = leaving_.find(held);
  is_new = known == leaving_.end();
  if (!is_new) return known->second;
  const std::uint32_t place =
      net_.add_own(thread_, "leaves_" + names(held), "still holds " + nouns(held));
  leaving_[held] = place;
  holding_.emplace_back(place, held);
  return place;
}

std::string ThreadProgram::names(const Held& held) const {
  std::string text;
  for (const std::size_t lock : held) text += (text.empty() ? "" : "_") + locks_[lock]->name();
  return text;
}

std::string ThreadProgram::nouns(const Held& held) const {
  if (held.size() == 2 && held[0] == held[1]) {
    const LockModel& lock = *locks_[held[0]];
    return lock.noun() + (lock.capacity() == 1 ? " twice" : " and a second");
  }
  std::string text;
  for (std::size_t i = 0; i < held.size(); ++i) {
    if (i != 0) text += i + 1 == held.size() ? " and " : ", ";
    text += locks_[held[i]]->noun();
  }
  return text;
}

}  // namespace lockbench::internal
