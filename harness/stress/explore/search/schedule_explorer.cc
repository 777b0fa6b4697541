// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/explore/search/schedule_explorer.h"

#include <algorithm>
#include <utility>

#include "harness/stress/explore/execution/checked_run.h"
#include "harness/stress/explore/search/graph_search.h"
#include "harness/stress/explore/search/shrinker.h"
#include "harness/stress/explore/search/strategies.h"
#include "harness/stress/litmus/generate.h"

namespace lockbench::stress::explore {
namespace {

using namespace std::chrono_literals;

// Names of strategies.
constexpr char kFewPreemptions[] = "few preemptions";
constexpr char kEveryInterleaving[] = "every interleaving";

// How much longer the random part of a round is. Faults that need many preemptions show only there.
constexpr int kRandomToBounded = 2;

constexpr auto kSearchForWorse = 200ms;
constexpr auto kSearchForOneLease = 1s;
constexpr auto kMostForOne = 2000ms;
constexpr auto kMostForOneAtFirst = 100ms;  // in the first round, which is for what shows quickly
constexpr std::size_t kSmallestActs = 4;
constexpr auto kMostForASmallest = 150ms;  // at each bound
constexpr int kPartForTheSmallest = 8;     // of the time
constexpr auto kMostForEvery = 200ms;      // execution of a program, without a bound
// Where so many programs did not end, others mostly do not, and their time is better spent.
constexpr std::uint32_t kMostWithoutEnd = 2;
constexpr auto kProgressPeriod = 200ms;
constexpr auto kTurn = 100ms;

// In one of this many random executions, threads may poll for as long as they like. These have up
// to some hundred times more steps than the others.
constexpr std::uint64_t kPatientOneIn = 1024;

// One of this many random programs is repeated some hundred times. It has some hundred times more
// steps than the others.
constexpr std::uint64_t kLongOneIn = 512;
constexpr std::uint64_t kFirstLong = 64;

// One of this many random programs is repeated some times.
constexpr std::uint64_t kBusyOneIn = 4;
constexpr std::uint64_t kFirstBusy = 1;

// In an execution with more repetitions, the few changes of PCT would leave the threads to run one
// by one, so it is a random walk.
constexpr std::uint32_t kManyRepeats = 100;

// For an exhaustive exploration under c11: most choices of a store other than the last in one
// execution. The litmus tests in the literature need one or two.
constexpr std::uint32_t kMostOldStores = 2;

// A program with more acts or a longer warm-up than this is explored only without preemptions,
// because it would take all the time. With more threads, even that would: their orders are many.
constexpr std::size_t kLongProgram = 60;
constexpr std::uint32_t kMostHoldsToExplore = 300;
constexpr std::size_t kMostThreadsToExplore = 6;
constexpr auto kLeastForALongProgram = 1s;
constexpr auto kMostForACrowd = 50ms;

std::uint32_t holds_before(const LitmusProgram& program) {
  return program.warm_up + program.other_keys + program.nest;
}

bool is_crowd(const LitmusProgram& program) {
  return program.threads.size() > kMostThreadsToExplore;
}

// True if it polls or is refused so often that other orders of the same calls show nothing new.
bool is_monotonous(const LitmusProgram& program) {
  return program.polls != 0 || program.refusals > kMostHoldsToExplore;
}

// True if it is executed once, and explored no earlier than in the second round.
bool is_late(const LitmusProgram& program) {
  return is_crowd(program) || is_monotonous(program) || holds_before(program) > kMostHoldsToExplore;
}

std::uint32_t most_preemptions(const LitmusProgram& program) {
  if (program.acts() > kLongProgram || is_late(program)) return 0;
  return holds_before(program) != 0 ? 1 : ~std::uint32_t{0};
}

// Two threads that acquire a key once each.
bool is_smallest(const LitmusProgram& program) {
  return program.acts() <= kSmallestActs && program.threads.size() == 2 && !program.is_prepared() &&
         program.key_set == 0 && !is_monotonous(program) && !program.has(Act::kUnlockThrowing);
}

bool shows_two_holders(Oracle oracle) {
  return oracle == Oracle::kExclusion || oracle == Oracle::kLease || oracle == Oracle::kOrdering ||
         oracle == Oracle::kConservation;
}

// How often the priorities of PCT change: mostly once to four times, because with each change more
// the share of the executions that find a fault of few changes falls. Some faults need more.
std::uint32_t draw_changes(Random& draw) {
  const auto few = 1 + static_cast<std::uint32_t>(draw() % 4);
  return draw() % 4 == 0 ? few + 4 : few;
}

// A lock that documents room for few threads mostly has a slot or a number for each of them, and
// some faults show only if all are in use. So in half of the cases there are as many.
std::optional<ProgramSize> draw_full_size(const LockLimits& limits, Random& draw) {
  constexpr std::uint32_t kFew = 8;
  if (limits.threads < 3 || limits.threads > kFew || draw() % 2 == 0) return std::nullopt;
  return ProgramSize{
      .threads = limits.threads, .keys = 1, .holds = 1 + static_cast<std::uint32_t>(draw() % 2)};
}

// In three of four cases, two to four threads with several acts. In one of four, more threads with
// fewer acts, because some faults need four threads that are each at a certain point. In one of 16,
// six to eleven threads with one act: more than a lock may have slots for. In one of eight, there
// are more keys than a lock may have stripes.
ProgramSize draw_size(Random& draw) {
  const auto below = [&](std::uint64_t bound) {
    return static_cast<std::uint32_t>(draw() % bound);
  };
  const std::uint32_t keys = below(8) == 0 ? 6 : 1 + below(3);
  if (below(4) != 0) return {.threads = 2 + below(3), .keys = keys, .holds = 1 + below(4)};
  if (below(4) == 0) return {.threads = 6 + below(6), .keys = 1 + below(2), .holds = 1};
  return {.threads = 4 + below(2),
          .keys = 1 + below(2),
          .holds = 1 + below(2),
          .awaits = below(2) == 0};
}

}  // namespace

ScheduleExplorer::ScheduleExplorer(World& world, const RegisteredLock& entry,
                                   const ExploreOptions& options)
    : world_(world), entry_(entry), options_(options) {
  for (const MemoryModel one : options_.memory_models) {
    outcome_.work.push_back({.memory_model = one});
  }
}

bool ScheduleExplorer::over(Clock::time_point until) {
  const auto now = Clock::now();
  if (options_.progress && now - told_ > kProgressPeriod) {
    told_ = now;
    options_.progress(outcome_);
  }
  if (!found() && now >= blind_until_) outcome_.refusal = kSawNoAccess;
  return found() || refused() || now >= until;
}

End ScheduleExplorer::execute(const LitmusProgram& program, Strategy& strategy, const char* name,
                              Clock::time_point until) {
  world_.set_conditions(conditions_);
  world_.end_by(until);
  CheckedRun run(world_, entry_, program);
  World::Execution execution = world_.run([&] { run.run(); }, strategy);
  std::optional<Failure> failure = run.verdict(execution.end);
  ++outcome_.executions;
  ++outcome_.work[memory_model_].executions;
  outcome_.lock_accesses += run.lock_accesses();
  if (execution.end == End::kRefused) outcome_.refusal = world_.refusal();
  if (failure && failure->oracle == Oracle::kOrdering && run.lock_accesses() == 0 &&
      !world_.data_race()) {
    // The accesses of this lock are not seen, so its memory orders cannot be checked. Possibly
    // it does not lock at all; then two threads will be inside at once.
    conditions_.races_end_it = false;
    blind_until_ = std::min(blind_until_, Clock::now() + kSearchForWorse);
  }
  outcome_.steps += execution.steps;
  outcome_.too_long += execution.end == End::kTooLong || execution.end == End::kOutOfTime;
  outcome_.acquisitions += run.acquisitions();
  outcome_.contended += run.contended();
  outcome_.evaluations.add(run.evaluations());
  const bool counts =
      !failure || ((conditions_.races_end_it || failure->oracle != Oracle::kOrdering) &&
                   (!only_two_holders_ || shows_two_holders(failure->oracle)));
  if (failure && counts) {
    outcome_.counterexample =
        Counterexample{.failure = *std::move(failure),
                       .strategy = name,
                       .program = program,
                       .memory_model = world_.memory_model(),
                       .schedule = {conditions_, std::move(execution.schedule)},
                       .executions = outcome_.executions,
                       .seconds = seconds()};
  }
  return execution.end;
}

// Executes the program as the search says. Calls ended(end) after each execution, which says
// whether to go on. Returns false if there was no time for all.
template <class Search, class Ended>
bool ScheduleExplorer::execute_all(const LitmusProgram& program, Search& search, const char* name,
                                   Clock::time_point until, const Ended& ended) {
  for (; !search.exhausted(); search.next()) {
    if (over(until)) return false;
    const End end = execute(program, search, name, until);
    if (end == End::kOutOfTime) return false;
    if (!ended(end)) return true;
  }
  return true;
}

void ScheduleExplorer::explore(const LitmusProgram& program, std::uint32_t bound,
                               Clock::time_point until) {
  DepthFirst search(bound, kMostOldStores);
  const double began = seconds();
  const std::uint64_t before = outcome_.executions;
  const bool in_time =
      execute_all(program, search, kFewPreemptions, until, [&](End) { return !search.diverged(); });
  if (search.diverged()) {
    outcome_.deterministic = false;
    return;
  }
  outcome_.explored.push_back({.program = program,
                               .memory_model = world_.memory_model(),
                               .preemptions = bound,
                               .whole = in_time,
                               .executions = outcome_.executions - before,
                               .states = search.states(),
                               .seconds = seconds() - began});
}

// Why it cannot be shown by executions that differ in what was read from whom; null if it can. Two
// holders of a lock with one slot are seen in each interleaving: nothing orders their holds.
const char* ScheduleExplorer::why_not_every(const LitmusProgram& program) const {
  const Abilities& lock = entry_.abilities;
  if (!lock.excludes) return "it excludes nobody";
  if (lock.capacity != 1 || lock.leases) return "several threads may hold it at once";
  if (lock.hold_limit.count() != 0) return "its holds end with time";
  if (program.has(Act::kMakeAgain)) return "a program makes the lock again";
  if (most_preemptions(program) == 0) return "a program is too long";
  // The values that threads read may then depend on more.
  if (!conditions_.races_end_it) return "it has data races";
  return nullptr;
}

bool ScheduleExplorer::may_explore_every(const LitmusProgram& program) {
  if (world_.memory_model() != MemoryModel::kC11) return false;
  if (!options_.exhaustive && without_end_ == kMostWithoutEnd) return false;
  const char* const why_not = why_not_every(program);
  if (why_not != nullptr) outcome_.obstacle = why_not;
  return why_not == nullptr;
}

// True if no promise depends on which of two unordered events came first: whether a refusal was
// due, and whose turn it was.
bool ScheduleExplorer::every_shows_all(const LitmusProgram& program) const {
  const Abilities& lock = entry_.abilities;
  return !lock.serves_in_order() && !program.has(Act::kTryLock) && !program.has(Act::kTryLockFor);
}

void ScheduleExplorer::explore_every(const LitmusProgram& program, Clock::time_point until) {
  GraphSearch search;
  const double began = seconds();
  const std::uint64_t before = outcome_.executions;
  const bool in_time = execute_all(program, search, kEveryInterleaving, until, [&](End end) {
    // One that was left at an obstacle need not have come to its plain accesses.
    if (!search.obstacle().empty()) return true;
    if (end == End::kTooLong) search.cannot_follow(GraphSearch::kDoesNotEnd);
    // Else what threads do with plain variables is not seen, and neither are data races.
    if (!world_.sees_plain_accesses()) search.cannot_follow("its code is not instrumented");
    return true;
  });
  if (!search.obstacle().empty()) outcome_.obstacle = search.obstacle();
  if (!search.obstacle().empty() || found()) return;
  without_end_ += in_time ? 0 : 1;
  outcome_.explored.push_back({.program = program,
                               .memory_model = world_.memory_model(),
                               .preemptions = every_shows_all(program) ? DepthFirst::kAnyNumber : 0,
                               .every = true,
                               .whole = in_time,
                               .executions = outcome_.executions - before,
                               .seconds = seconds() - began});
}

LitmusProgram ScheduleExplorer::draw_program(Random& draw) const {
  const std::optional<ProgramSize> full = draw_full_size(entry_.abilities.limits, draw);
  const ProgramSize size = full ? *full : draw_size(draw);
  if (options_.program) return *options_.program;
  if (walks_ % kLongOneIn == kFirstLong) return generate_long_program(entry_.abilities, draw());
  if (walks_ % kBusyOneIn == kFirstBusy) return generate_busy_program(entry_.abilities, draw());
  return generate_program(entry_.abilities, size, draw());
}

// Executes it once, with one of the three strategies that draw. Of programs that repeat a few acts,
// partial-order sampling finds most: it draws the order of accesses to one word only.
void ScheduleExplorer::execute_at_random(const LitmusProgram& program, Random& draw,
                                         Clock::time_point until) {
  const bool only_walks = program.repeats > kManyRepeats;
  const bool repeats = program.repeats != 0;
  const std::uint64_t drawn = draw() % 6;
  const std::uint64_t walks_below = repeats ? 1 : 2;
  if (only_walks || drawn < walks_below) {
    RandomWalk strategy(draw());
    execute(program, strategy, "random walk", until);
  } else if (drawn < 4 && !repeats) {
    Pct strategy(draw(), draw_changes(draw), pace_.steps_of(program));
    execute(program, strategy, "PCT", until);
  } else {
    PartialOrderSampling strategy(draw());
    execute(program, strategy, "partial-order sampling", until);
  }
}

void ScheduleExplorer::walk(Clock::time_point until) {
  while (!over(until)) {
    Random draw(options_.seed * 1'000'003 + walks_);
    const LitmusProgram program = draw_program(draw);
    ++outcome_.work[memory_model_].drawn;
    ++walks_;
    conditions_.patient = walks_ % kPatientOneIn == kPatientOneIn / 2 + 1;
    const std::uint64_t steps_before = outcome_.steps;
    execute_at_random(program, draw, until);
    if (conditions_.patient || holds_before(program) != 0 || program.polls != 0) continue;
    pace_.add(program, outcome_.steps - steps_before);
  }
  conditions_.patient = false;
}

// True if the program has its turn in the round with this bound. A program with a long warm-up or
// many threads is explored in the second round, because the first round is for faults that are
// found quickly.
bool ScheduleExplorer::fits(const LitmusProgram& program, std::uint32_t bound) const {
  if (is_explored(program, bound)) return false;
  if (!options_.exhaustive && took_too_long(program)) return false;
  if (options_.program) return true;
  if (is_monotonous(program)) return false;
  if (is_late(program)) return bound == 1;
  return bound <= most_preemptions(program);
}

// True if it was not whole with a smaller bound, so that random executions show more.
bool ScheduleExplorer::took_too_long(const LitmusProgram& program) const {
  return std::any_of(outcome_.explored.begin(), outcome_.explored.end(),
                     [&](const ExploredProgram& one) {
                       return !one.whole && !one.every && one.preemptions > 0 &&
                              one.memory_model == world_.memory_model() && one.program == program;
                     });
}

bool ScheduleExplorer::is_explored(const LitmusProgram& program, std::uint32_t bound) const {
  return std::any_of(outcome_.explored.begin(), outcome_.explored.end(),
                     [&](const ExploredProgram& one) {
                       const bool shows_all = !one.every || every_shows_all(program);
                       return one.whole && shows_all && one.preemptions >= bound &&
                              one.memory_model == world_.memory_model() && one.program == program;
                     });
}

// Most faults that need two threads alone show here, with one to three preemptions. So this comes
// before what is random, and before other programs are explored with preemptions.
void ScheduleExplorer::explore_smallest(const std::vector<LitmusProgram>& programs,
                                        Clock::time_point until) {
  for (std::uint32_t bound = 1; bound <= options_.most_preemptions; ++bound) {
    for (const LitmusProgram& program : programs) {
      const auto now = Clock::now();
      if (now >= until) return;
      if (!is_smallest(program) || is_explored(program, bound) || over(until)) continue;
      explore(program, bound, std::min<Clock::time_point>(until, now + kMostForASmallest));
    }
  }
}

// A counter that overflows mostly shows in any schedule, and so do more waiters than a lock has
// slots for. So each program with a long warm-up or many threads is executed once before the random
// programs.
void ScheduleExplorer::try_long_programs(const std::vector<LitmusProgram>& programs,
                                         Clock::time_point end) {
  for (const LitmusProgram& program : programs) {
    if (!is_late(program)) continue;
    const bool is_short = is_crowd(program) || program.refusals != 0;
    if (over(is_short ? end : end - kLeastForALongProgram)) continue;
    DepthFirst first(0);
    const auto now = Clock::now();
    execute(program, first, kFewPreemptions, now + (end - now) / 2);
  }
}

// Explores the small programs exhaustively, then runs random programs, for longer.
void ScheduleExplorer::explore_round(const std::vector<LitmusProgram>& programs,
                                     std::uint32_t bound, Clock::time_point end) {
  const auto began = Clock::now();
  const auto until = options_.exhaustive ? end : began + (end - began) / (1 + kRandomToBounded);
  for (const LitmusProgram& program : programs) {
    if (!fits(program, bound) || over(end)) continue;
    // Limits the time for each program, so that a program with too many executions leaves time for
    // the next ones.
    const auto now = Clock::now();
    const auto left = std::max<Clock::duration>(until - now, 0ms);
    const Clock::duration most = is_crowd(program) ? kMostForACrowd
                                 : bound == 0      ? kMostForOneAtFirst
                                                   : kMostForOne;
    const auto slice = options_.program      ? left
                       : options_.exhaustive ? left / 2
                                             : std::min<Clock::duration>(left / 4, most);
    const bool is_turn =
        options_.exhaustive || options_.program || is_smallest(program) ? bound == 0 : bound == 1;
    if (is_turn && may_explore_every(program)) {
      // Half at most, because what it cannot end may end with a bound.
      explore_every(program, now + (options_.exhaustive
                                        ? slice / 2
                                        : std::min<Clock::duration>(slice / 2, kMostForEvery)));
      if (is_explored(program, bound) || over(end)) continue;
    }
    const bool long_way = !options_.program && is_late(program);
    explore(program, long_way ? 0 : bound, now + slice);
  }
  if (options_.exhaustive) return;
  const auto spent = std::max<Clock::duration>(Clock::now() - began, 20ms);
  if (bound == 0 && !options_.program) {
    explore_smallest(programs, Clock::now() + (end - Clock::now()) / kPartForTheSmallest);
    try_long_programs(programs, end);
  }
  walk(std::min(end, Clock::now() + kRandomToBounded * spent));
}

template <class Work>
void ScheduleExplorer::work_under(std::size_t memory_model, const Work& work) {
  memory_model_ = memory_model;
  world_.use(options_.memory_models[memory_model]);
  const auto began = Clock::now();
  work();
  outcome_.work[memory_model].time += Clock::now() - began;
}

// Divides the time between the memory models in short turns, so that all have had the same time at
// the end.
void ScheduleExplorer::walk_in_turns(Clock::time_point end) {
  while (!over(end)) {
    const auto least =
        std::min_element(outcome_.work.begin(), outcome_.work.end(),
                         [](const MemoryModelWork& one, const MemoryModelWork& other) {
                           return one.time < other.time;
                         });
    work_under(static_cast<std::size_t>(least - outcome_.work.begin()),
               [&] { walk(std::min<Clock::time_point>(end, Clock::now() + kTurn)); });
  }
}

// The programs that are explored exhaustively.
std::vector<LitmusProgram> ScheduleExplorer::programs() const {
  if (options_.program) return {*options_.program};
  std::vector<LitmusProgram> all = programs_for(entry_.abilities, entry_.programs);
  if (options_.exhaustive) {
    // A complete exploration of the others up to this bound is not possible.
    std::erase_if(all, [&](const LitmusProgram& program) {
      return most_preemptions(program) < options_.most_preemptions;
    });
  }
  return all;
}

Outcome ScheduleExplorer::test_lock() {
  // The last counterexample needs some time to be shrunk.
  const auto end = began_ + options_.budget / 50 * 49;
  const std::vector<LitmusProgram> all = programs();
  const auto memory_models = static_cast<int>(options_.memory_models.size());
  for (std::uint32_t bound = 0; bound <= options_.most_preemptions; ++bound) {
    for (int memory_model = 0; memory_model < memory_models && !over(end); ++memory_model) {
      const auto now = Clock::now();
      // An exhaustive exploration may end under one memory model, and leave its time to the others.
      const auto left = options_.exhaustive
                            ? (end - now) / (memory_models - memory_model)
                            : (end - began_) / memory_models - outcome_.work[memory_model].time;
      work_under(memory_model, [&] { explore_round(all, bound, now + left); });
    }
  }
  if (!options_.exhaustive) walk_in_turns(end);
  if (found() && options_.makes_smaller) {
    search_for_cause();
    outcome_.counterexample = shrunk(world_, entry_, pace_, *std::move(outcome_.counterexample),
                                     began_ + options_.budget);
  }
  if (!found() && !refused() && outcome_.acquisitions != 0 && outcome_.lock_accesses == 0) {
    outcome_.refusal = kSawNoAccess;
  }
  outcome_.seconds = seconds();
  return std::move(outcome_);
}

// A missing memory order is found as soon as there are two holders, even if the lock does not lock
// at all. Its consequence is a more useful counterexample, if it can be found soon. So is the cause
// of leases that are not free in the end: two threads had the same one.
void ScheduleExplorer::search_for_cause() {
  const auto failed_by = [this](Oracle oracle) {
    return outcome_.counterexample->failure.oracle == oracle;
  };
  if (failed_by(Oracle::kResidue) && entry_.abilities.leases) {
    only_two_holders_ = true;
    search_for_another(Clock::now() + kSearchForOneLease);
    only_two_holders_ = false;
  }
  if (failed_by(Oracle::kOrdering)) {
    conditions_.races_end_it = false;
    search_for_another(Clock::now() + kSearchForWorse);
  }
}

void ScheduleExplorer::search_for_another(Clock::time_point until) {
  const Counterexample known = *outcome_.counterexample;
  world_.use(known.memory_model);
  outcome_.counterexample.reset();
  explore(known.program, 2, Clock::now() + (until - Clock::now()) / 2);
  walk(until);
  if (!found()) outcome_.counterexample = known;
}

}  // namespace lockbench::stress::explore
