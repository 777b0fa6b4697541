// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/thread_program.h"

#include <algorithm>

namespace lockbench::internal {
namespace {

Held with(Held held, std::size_t lock) {
  held.push_back(lock);
  return held;
}

}  // namespace

ThreadProgram::ThreadProgram(NetBuilder& net, const std::vector<std::unique_ptr<LockPart>>& locks,
                             std::uint32_t thread)
    : net_(net), locks_(locks), thread_(thread) {}

void ThreadProgram::build(const Course& course) {
  outside_ = net_.own(thread_, "outside", "is outside", 1);
  ended_ = net_.own(thread_, "ended", "has ended");
  net_.want_at_end(ended_);
  descend(course, outside_, {});
  net_.step(thread_, "ends", "ends", "", {{outside_}}, {{ended_}});
}

std::vector<std::uint32_t> ThreadProgram::inside(std::size_t lock) const {
  std::vector<std::uint32_t> places = locks_[lock]->more_inside(thread_);
  for (const auto& [place, held] : holding_) {
    const auto times = std::count(held.begin(), held.end(), lock);
    places.insert(places.end(), static_cast<std::size_t>(times), place);
  }
  return places;
}

void ThreadProgram::descend(const Course& course, std::uint32_t from, const Held& held) {
  const std::vector<std::size_t> choices = course.next(held);
  const std::string suffix = held.empty() ? "" : "_with_" + names(held);
  const std::string holding = held.empty() ? "" : "holds " + nouns(held) + " and ";
  for (const std::size_t choice : choices) {
    LockPart& lock = *locks_[choice];
    std::uint32_t waits = from;
    if (held.empty() || choices.size() > 1) {
      waits = net_.own(thread_, "wants_" + lock.name() + suffix, holding + "wants " + lock.noun());
      net_.step(thread_, "asks_" + lock.name() + suffix, "asks for " + lock.noun(), "", {{from}},
                {{waits}});
      lock.add_wait(thread_, waits, ended_);
    }
    const Held more = with(held, choice);
    const std::uint32_t holds = holding_place(course, more);
    lock.add_taking(
        {.t = thread_, .from = waits, .to = holds, .suffix = suffix, .holding = holding});
    lock.add_stay(thread_, holds, ended_, suffix);
    if (more.size() < course.levels) {
      descend(course, holds, more);
    } else {
      ascend(holds, more);
    }
  }
}

void ThreadProgram::ascend(std::uint32_t from, const Held& held) {
  Held rest = held;
  rest.pop_back();
  bool made = false;
  const std::uint32_t to = rest.empty() ? outside_ : leaving_place(rest, made);
  locks_[held.back()]->add_release(
      {.t = thread_, .from = from, .to = to, .suffix = rest.empty() ? "" : "_with_" + names(rest)});
  if (made) ascend(to, rest);
}

std::uint32_t ThreadProgram::holding_place(const Course& course, const Held& held) {
  std::string says = "holds " + nouns(held);
  if (held.size() < course.levels) {
    const std::vector<std::size_t> choices = course.next(held);
    if (choices.size() == 1) says += " and wants " + locks_[choices[0]]->noun();
  }
  const std::uint32_t place = net_.own(thread_, "holds_" + names(held), says);
  holding_.emplace_back(place, held);
  return place;
}

std::uint32_t ThreadProgram::leaving_place(const Held& held, bool& made) {
  const auto known = leaving_.find(held);
  made = known == leaving_.end();
  if (!made) return known->second;
  const std::uint32_t place =
      net_.own(thread_, "leaves_" + names(held), "still holds " + nouns(held));
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
    const LockPart& lock = *locks_[held[0]];
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
