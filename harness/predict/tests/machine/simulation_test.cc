// SPDX-License-Identifier: Apache-2.0

// Executions whose times are computed by hand, on a machine with round figures.

#include "harness/predict/machine/simulation.h"

#include <functional>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/predict/tests/machine/model_of_four.h"

namespace lockbench::machine {
namespace {

using testing::ElementsAre;

constexpr std::size_t kStackBytes = 64 << 10;
constexpr std::int64_t kNever = INT64_MAX;

// A word with a cache line of its own.
struct alignas(64) Word {
  std::uint64_t value = 0;

  std::uint64_t load() const { return Simulation::current()->load(&value, 8); }
  void store(std::uint64_t v) { Simulation::current()->store(&value, 8, v, true); }
  std::uint64_t exchange(std::uint64_t v) {
    const std::uint64_t old = Simulation::current()->begin_update(&value, 8);
    Simulation::current()->end_update(&value, 8, v, true);
    return old;
  }
};

void work(Picoseconds duration) {
  Simulation::current()->work(duration);
}

// The time of the running thread. The clock of the model takes no time.
std::int64_t now_ns() {
  return Simulation::current()->now_ns();
}

using Bodies = std::vector<std::function<void()>>;

// Returns the stacks, which the threads run on. Thread i runs on processor i, as far as there are
// any.
[[nodiscard]] auto start_all(Simulation& simulation, const Bodies& bodies) {
  std::vector<std::unique_ptr<std::byte[]>> stacks;
  for (const std::function<void()>& body : bodies) {
    stacks.emplace_back(new std::byte[kStackBytes]);
    simulation.start(body, {stacks.back().get(), kStackBytes});
  }
  return stacks;
}

class SimulationTest : public testing::Test {
 protected:
  Simulation::End run(const MachineModel& model, const Bodies& bodies) {
    Simulation simulation(model);
    const auto stacks = start_all(simulation, bodies);
    simulation.allow_accesses(100'000);
    const Simulation::End end = simulation.run();
    counts_ = simulation.counts();
    return end;
  }

  Word word_;
  std::vector<std::int64_t> times_;
  std::vector<std::uint64_t> values_;
  Simulation::Counts counts_;

  void note() { times_.push_back(now_ns()); }
};

TEST_F(SimulationTest, TheFirstLoadOfALineCostsATransferAndTheSecondDoesNot) {
  EXPECT_EQ(run(model_of_four(), {[this] {
                  word_.load();
                  note();
                  word_.load();
                  note();
                }}),
            Simulation::End::kFinished);
  EXPECT_THAT(times_, ElementsAre(51, 52));
  EXPECT_EQ(counts_.transfers, 1u);
}

TEST_F(SimulationTest, ALineThatAnotherCoreHasWrittenTakesTheLatencyOfBoth) {
  run(model_of_four(), {[this] { word_.exchange(7); },
                        [this] {
                          work(1 * kUs);
                          values_.push_back(word_.load());
                          note();
                        }});
  EXPECT_THAT(values_, ElementsAre(7));
  EXPECT_THAT(times_, ElementsAre(1101));
}

TEST_F(SimulationTest, TwoRequestsForOneLineAreServedOneAfterTheOther) {
  const auto request = [this] {
    work(1 * kUs);
    word_.exchange(1);
    note();
  };
  run(model_of_four(), {[this] { word_.exchange(1); }, request, request});
  // Both arrive after 50 ns. The second follows the line to the first, which has it from 1100 ns on
  // and uses it for 10 ns.
  EXPECT_THAT(times_, ElementsAre(1110, 1220));
}

TEST_F(SimulationTest, TheOwnerGoesOnUntilTheRequestArrives) {
  run(model_of_four(), {[this] {
                          word_.exchange(0);
                          work(1 * kUs - 60 * kNs);  // until 1000 ns
                          while (word_.load() == 0) times_ = {now_ns()};
                          note();
                        },
                        [this] {
                          work(1 * kUs);
                          word_.exchange(7);
                        }});
  // The request arrives at 1050 ns. The line is away until 1110 ns, and back 100 ns later.
  EXPECT_THAT(times_, ElementsAre(1050, 1211));
}

TEST_F(SimulationTest, AStoreWaitsInTheBufferAndOnlyItsThreadSeesIt) {
  run(model_of_four(), {[this] {
                          word_.load();
                          work(1010 * kNs - 51 * kNs);
                          values_.push_back(word_.load());  // at 1010 ns
                          work(200 * kNs);
                          values_.push_back(word_.load());
                        },
                        [this] {
                          work(1 * kUs);
                          word_.store(7);
                          note();
                          values_.push_back(word_.load());
                          note();
                        }});
  EXPECT_THAT(values_, ElementsAre(7, 0, 7));
  EXPECT_THAT(times_, ElementsAre(1002, 1003));
}

TEST_F(SimulationTest, StoresLeaveTheBufferInTheirOrder) {
  Word other;
  run(model_of_four(), {[&] {
                          other.load();  // the second store would be faster than the first
                          word_.store(1);
                          other.store(1);
                        },
                        [&] {
                          for (int i = 0; i < 200; ++i) {
                            const std::uint64_t second = other.load();
                            const std::uint64_t first = word_.load();
                            if (second == 1 && first == 0) values_.push_back(second);
                          }
                          values_.push_back(word_.load() + other.load());
                        }});
  EXPECT_THAT(values_, ElementsAre(2));
}

TEST_F(SimulationTest, AStoreToAWordThatNoLongerExistsIsNotWritten) {
  Word other;
  run(model_of_four(), {[&] {
                          word_.exchange(1);
                          other.exchange(1);
                        },
                        [&] {
                          work(1 * kUs);
                          word_.store(7);
                          other.store(8);
                          Simulation::current()->forget_stores(&word_.value, sizeof word_.value);
                          word_.value = 5;  // the memory is used for something else
                          Simulation::current()->fence();
                          values_.push_back(word_.value);
                          values_.push_back(other.value);
                        }});
  EXPECT_THAT(values_, ElementsAre(5, 8));
}

TEST_F(SimulationTest, AStoreAtOnceComesAfterThoseInTheBuffer) {
  Word flag;
  run(model_of_four(), {[this, &flag] {
        flag.exchange(0);  // so its line is there, and that of the word is not
        word_.store(7);
        values_.push_back(word_.value);
        Simulation::current()->store_at_once(&flag.value, 8, 1);
        values_.push_back(word_.value);
        values_.push_back(flag.value);
      }});
  EXPECT_THAT(values_, ElementsAre(0, 7, 1));
}

TEST_F(SimulationTest, APlainAccessIsATransferOrFree) {
  run(model_of_four(), {[this] {
        Simulation::current()->touch(&word_, sizeof word_, false);
        note();
        Simulation::current()->touch(&word_, sizeof word_, true);
        Simulation::current()->touch(&word_, 2 * sizeof word_, true);
        note();  // the second line is on its way, and the thread goes on
        Simulation::current()->fence();
        note();
      }});
  EXPECT_THAT(times_, ElementsAre(50, 50, 110));
}

TEST_F(SimulationTest, APlainAccessComesAfterAStoreToItsBytes) {
  run(model_of_four(), {[this] {
        word_.store(7);
        Simulation::current()->touch(&word_, 4, true);
        values_.push_back(word_.value);
      }});
  EXPECT_THAT(values_, ElementsAre(7));
}

TEST_F(SimulationTest, AFenceWaitsUntilTheBufferIsEmpty) {
  run(model_of_four(), {[this] { word_.exchange(0); },
                        [this] {
                          work(1 * kUs);
                          word_.store(7);
                          Simulation::current()->fence();
                          note();
                        }});
  EXPECT_THAT(times_, ElementsAre(1110));
}

TEST_F(SimulationTest, MembarrierEmptiesTheBuffersOfOthersAndInterruptsThem) {
  run(model_of_four(), {[this] {
                          work(1 * kUs);
                          Simulation::current()->membarrier();
                          note();
                          values_.push_back(word_.value);
                        },
                        [this] {
                          work(1050 * kNs);
                          word_.store(7);  // its line would be there at 1075 ns
                          work(100 * kNs);
                          note();
                        }});
  // 1000 + 100 for the call, at which the barrier takes effect, + 700.
  EXPECT_THAT(times_, testing::UnorderedElementsAre(1552, 1800));
  EXPECT_THAT(values_, ElementsAre(7));
}

TEST_F(SimulationTest, AHolderWhoseSliceIsOverKeepsTheOthersSpinning) {
  run(model_of_one(), {[this] {
                         word_.exchange(1);
                         work(25 * kUs);
                         note();
                         word_.store(0);
                       },
                       [this] {
                         while (word_.exchange(1) != 0) Simulation::current()->pause();
                         note();
                       }});
  // The holder works 10, 10 and 5 us. In between, the other thread spins for its slices of 10 us,
  // and each of the four switches takes 1 us.
  EXPECT_EQ(counts_.involuntary_switches, 4u);
  EXPECT_NEAR(static_cast<double>(times_[0]), 49'060, 60);
  EXPECT_GT(times_[1], times_[0]);
}

TEST_F(SimulationTest, AThreadThatIsWokenRunsAfterTheWakeUp) {
  std::uint32_t futex = 0;
  const auto end =
      run(model_of_four(), {[&] {
                              EXPECT_TRUE(Simulation::current()->wait(&futex, 0, kNever));
                              note();
                            },
                            [&] {
                              work(10 * kUs);
                              futex = 1;
                              Simulation::current()->wake(&futex, 1);
                              note();
                            }});
  EXPECT_EQ(end, Simulation::End::kFinished);
  // The call and the wake-up are 400 ns; the kernel's bucket is read and then written, which takes
  // two transfers.
  EXPECT_THAT(times_, ElementsAre(10'600, 12'600));
  EXPECT_EQ(counts_.voluntary_switches, 1u);
}

TEST_F(SimulationTest, AWaitReturnsIfTheWordHasChangedOrTheDeadlineHasPassed) {
  std::uint32_t futex = 1;
  run(model_of_four(), {[&] {
        EXPECT_TRUE(Simulation::current()->wait(&futex, 0, kNever));
        note();
        EXPECT_FALSE(Simulation::current()->wait(&futex, 1, 5'000));
        note();
      }});
  EXPECT_THAT(times_, ElementsAre(200, 7'000));  // two lines come from memory
}

// A thread that looks for sleepers and one that finds that it need not sleep meet at one line.
TEST_F(SimulationTest, FutexCallsOfTwoThreadsForOneWordDelayEachOther) {
  const auto end_of_wait = [this](std::uint32_t* word) {
    std::uint32_t futex = 1;
    times_.clear();
    run(model_of_four(), {[&] {
                            work(1 * kUs);
                            Simulation::current()->wake(word == nullptr ? &futex : word, 1);
                          },
                          [&] {
                            Simulation::current()->wait(&futex, 0, kNever);
                            work(1 * kUs);
                            const std::int64_t before = now_ns();
                            Simulation::current()->wait(&futex, 0, kNever);
                            times_.push_back(now_ns() - before);
                          }});
    return times_.at(0);
  };
  alignas(64) std::uint32_t other = 0;
  EXPECT_EQ(end_of_wait(&other), 100);
  EXPECT_GT(end_of_wait(nullptr), 100);
}

// A call takes 100 ns here, and looks at the word after half of them.
TEST_F(SimulationTest, AWaitLooksAtItsWordHalfwayThroughTheCall) {
  std::int64_t call_ns = 0;
  const auto sleeps_if_changed_at = [&](std::int64_t ns) {
    std::uint32_t futex = 0;
    run(model_of_four(), {[&] {
                            work(ns * kNs);
                            futex = 1;
                            work(10 * kUs);
                            Simulation::current()->wake(&futex, 1);
                          },
                          [&] {
                            Simulation::current()->wait(&futex, 1, kNever);  // the lines come
                            work(1 * kUs);
                            call_ns = now_ns();
                            Simulation::current()->wait(&futex, 0, kNever);
                          }});
    return counts_.voluntary_switches == 1;
  };
  EXPECT_FALSE(sleeps_if_changed_at(1'000));
  EXPECT_FALSE(sleeps_if_changed_at(call_ns + 49));
  EXPECT_TRUE(sleeps_if_changed_at(call_ns + 51));
}

TEST_F(SimulationTest, AnUpdateOfALineThatAnotherHasOnlyReadTakesTwoTransfersIfReadsTake) {
  MachineModel model = model_of_four();
  const auto end = [&] {
    run(model, {[this] { word_.exchange(1); },
                [this] {
                  work(1 * kUs);
                  word_.load();
                },
                [this] {
                  work(2 * kUs);
                  word_.exchange(2);
                  times_ = {now_ns()};
                }});
    return times_.at(0);
  };
  EXPECT_EQ(end(), 2110);
  model.reads_take = true;
  EXPECT_EQ(end(), 2210);
}

// Both find the only sleeper, and the second one loses it to the first.
TEST_F(SimulationTest, AThreadIsWokenOnceIfTwoFindItAsleep) {
  std::uint32_t futex = 0;
  std::vector<int> woken;
  const auto waker = [&] {
    work(10 * kUs);
    woken.push_back(Simulation::current()->wake(&futex, 1));
  };
  EXPECT_EQ(
      run(model_of_four(), {[&] { Simulation::current()->wait(&futex, 0, kNever); }, waker, waker}),
      Simulation::End::kFinished);
  EXPECT_THAT(woken, testing::UnorderedElementsAre(0, 1));
}

TEST_F(SimulationTest, CallsVaryWithinAnEighth) {
  std::vector<std::int64_t> calls;
  Simulation simulation(model_of_four());
  simulation.vary_calls(7);
  const auto stacks =
      start_all(simulation, {[&] {
                  const std::uint32_t futex = 0;
                  Simulation::current()->wake(&futex, 1);  // the kernel's line comes from memory
                  for (int i = 0; i < 1000; ++i) {
                    const std::int64_t before = now_ns();
                    Simulation::current()->wake(&futex, 1);
                    calls.push_back(now_ns() - before);
                  }
                }});
  simulation.run();
  EXPECT_THAT(calls, testing::Each(testing::AllOf(testing::Ge(87), testing::Le(113))));
  EXPECT_THAT(calls, testing::Contains(testing::Le(90)));
  EXPECT_THAT(calls, testing::Contains(testing::Ge(110)));
}

TEST_F(SimulationTest, AThreadThatSleepsLeavesItsProcessorToOthers) {
  run(model_of_one(), {[this] {
                         Simulation::current()->sleep_until_ns(100'000);
                         note();
                       },
                       [this] { note(); }});
  EXPECT_THAT(times_, ElementsAre(1'500, 102'000));
}

TEST_F(SimulationTest, AnIdleProcessorTakesAWaitingThread) {
  MachineModel model = model_of_four();
  model.cores_per_cluster = 2;
  model.latency = {0, 100 * kNs, 100 * kNs, 0};
  // Thread 2 waits behind thread 0; thread 1 ends at once, so its processor takes thread 2.
  run(model, {[] { work(9 * kUs); }, [] {}, [this] { note(); }});
  EXPECT_THAT(times_, ElementsAre(1'000));
}

// Another thread has written both words of a thread that begins at 1000 ns, or of several.
class WorkingAheadTest : public SimulationTest {
 protected:
  void run_ahead(Bodies bodies) {
    MachineModel model = model_of_four();
    model.access.lookahead = 30 * kNs;
    Bodies all;
    all.emplace_back([this] {
      word_.exchange(1);
      other_.exchange(1);
    });
    for (const std::function<void()>& body : bodies) {
      all.emplace_back([body] {
        work(1 * kUs);
        body();
      });
    }
    EXPECT_EQ(run(model, all), Simulation::End::kFinished);
  }

  Word other_;
};

TEST_F(WorkingAheadTest, TransfersThatAreDueSoonAfterAWaitAreUnderWayTogether) {
  run_ahead({[this] {
    word_.exchange(2);
    note();
    other_.load();
    note();
  }});
  EXPECT_THAT(times_, ElementsAre(1110, 1111));
  EXPECT_EQ(counts_.transfers, 4u);
}

TEST_F(WorkingAheadTest, ATransferThatIsDueLaterTakesItsTime) {
  run_ahead({[this] {
    word_.exchange(2);
    work(20 * kNs);
    other_.load();  // at 1130 ns, which is 30 ns after the line has come
    note();
  }});
  EXPECT_THAT(times_, ElementsAre(1231));
}

TEST_F(WorkingAheadTest, ALineThatIsReadAndThenWrittenComesOnce) {
  run_ahead({[this] {
    word_.load();
    word_.store(7);
    other_.exchange(2);  // after the store
    note();
  }});
  EXPECT_THAT(times_, ElementsAre(1113));
}

TEST_F(WorkingAheadTest, AStoreToALineThatIsNotReadIsNotSentAhead) {
  run_ahead({[this] {
    word_.load();
    other_.store(7);
    Simulation::current()->fence();  // after the store
    note();
  }});
  EXPECT_THAT(times_, ElementsAre(1211));
}

TEST_F(WorkingAheadTest, ALineThatAnotherHasTakenSinceIsWaitedFor) {
  run_ahead({[this] {
               word_.exchange(2);
               other_.load();
               note();
             },
             [this] { other_.exchange(3); }});
  // The other one has the line from 1100 ns on and uses it for 10 ns.
  EXPECT_THAT(times_, ElementsAre(1211));
}

TEST_F(WorkingAheadTest, AfterAFenceAFailedCompareOrAPauseNothingWasDoneAhead) {
  run_ahead({[this] {
    word_.load();
    Simulation::current()->fence();
    other_.load();  // at 1111 ns
    note();
  }});
  run_ahead({[this] {
    Simulation::current()->begin_update(&word_.value, 8);
    Simulation::current()->end_update(&word_.value, 8, 0, false);
    other_.load();  // at 1110 ns
    note();
  }});
  run_ahead({[this] {
    word_.load();
    Simulation::current()->pause();
    other_.load();  // at 1106 ns
    note();
  }});
  EXPECT_THAT(times_, ElementsAre(1212, 1211, 1207));
}

TEST_F(WorkingAheadTest, WhatFollowsTheEndOfPollingIsNotDoneAhead) {
  run_ahead({[this] {
    Simulation::current()->pause();
    word_.load();   // from 1005 ns on
    other_.load();  // at 1106 ns
    note();
  }});
  EXPECT_THAT(times_, ElementsAre(1207));
}

TEST_F(SimulationTest, SiblingsSlowEachOther) {
  MachineModel model = model_of_one();
  model.threads_per_core = 2;
  model.sibling_latency = 6 * kNs;
  model.smt_slowdown = 3;
  Word other;
  const auto loads = [this](Word& word) {
    word.load();
    const std::int64_t before = now_ns();
    for (int i = 0; i < 10; ++i) word.load();
    times_.push_back(now_ns() - before);
  };
  run(model, {[&] { loads(word_); }, [&] { loads(other); }});
  EXPECT_THAT(times_, ElementsAre(30, 30));
  times_.clear();
  run(model, {[&] { loads(word_); }});
  EXPECT_THAT(times_, ElementsAre(10));
}

TEST_F(SimulationTest, ThreadsThatWaitForEachOtherAreStuck) {
  std::uint32_t futex = 0;
  const auto sleeps = [&] { Simulation::current()->wait(&futex, 0, kNever); };
  EXPECT_EQ(run(model_of_four(), {sleeps, sleeps}), Simulation::End::kStuck);
}

TEST_F(SimulationTest, AHelperNeitherKeepsTheRunFromItsEndNorFromBeingStuck) {
  const auto run_with_helper = [](const std::function<void()>& worker) {
    Word slept_on;
    std::unique_ptr<std::byte[]> stacks(new std::byte[2 * kStackBytes]);
    Simulation simulation(model_of_four());
    simulation.start(worker, {stacks.get(), kStackBytes});
    simulation.start([&] { Simulation::current()->wait(&slept_on.value, 0, kNever); },
                     {stacks.get() + kStackBytes, kStackBytes}, Simulation::Role::kHelper);
    return simulation.run();
  };
  EXPECT_EQ(run_with_helper([] { work(1000); }), Simulation::End::kFinished);
  EXPECT_EQ(run_with_helper([this] { Simulation::current()->wait(&word_.value, 0, kNever); }),
            Simulation::End::kStuck);
}

TEST_F(SimulationTest, EndsAtTheLimitOfAccesses) {
  EXPECT_EQ(run(model_of_four(), {[this] {
                  for (;;) word_.load();
                }}),
            Simulation::End::kTooLong);
}

TEST_F(SimulationTest, ActionsHappenAtTheirTimeAndAfterTheirAccesses) {
  Simulation simulation(model_of_four());
  const auto stacks = start_all(simulation, {[this] {
                                  for (int i = 0; i < 100; ++i) word_.load();
                                }});
  simulation.at(60 * kNs, [&] { values_.push_back(simulation.accesses()); });
  simulation.after_accesses(20, [&] { times_.push_back(simulation.time() / kNs); });
  EXPECT_EQ(simulation.run(), Simulation::End::kFinished);
  EXPECT_THAT(values_, ElementsAre(11));  // the 11th load was called at 60 ns
  EXPECT_THAT(times_, ElementsAre(68));
}

TEST_F(SimulationTest, PlacementDecidesWhichThreadsShareACore) {
  MachineModel model = model_of_four();
  model.threads_per_core = 2;
  model.sibling_latency = 6 * kNs;
  const auto handover = [&](std::vector<std::uint32_t> bound) {
    Word word;
    Simulation simulation(model, std::move(bound));
    std::int64_t took = 0;
    const auto stacks = start_all(simulation, {[&] { word.exchange(1); },
                                               [&] {
                                                 work(1 * kUs);
                                                 word.load();
                                                 took = now_ns() - 1000;
                                               }});
    simulation.run();
    return took;
  };
  EXPECT_EQ(handover({}), 101);
  EXPECT_EQ(handover({0, 1}), 101);
  EXPECT_EQ(handover({0, 4}), 7);
}

// A thread that sleeps meanwhile comes back to the processor that it is bound to.
TEST_F(SimulationTest, ThreadsThatArePlacedOnOneProcessorNeverRunAtTheSameTime) {
  using Bound = std::vector<std::uint32_t>;
  for (const auto& [bound, at_once] : {std::pair(Bound{0}, false), std::pair(Bound{}, true)}) {
    const MachineModel model = model_of_four();
    Simulation simulation(model, bound);
    const auto stacks = start_all(simulation, Bodies(2, [] {
                                    Simulation::current()->sleep_until_ns(10'000);
                                    work(1000 * kUs);
                                  }));
    EXPECT_EQ(simulation.run(), Simulation::End::kFinished);
    EXPECT_EQ(simulation.time() < 1900 * kUs, at_once);
  }
}

// A delay of a thread that waits for a line is not lost when the line arrives. Two threads read it
// at 1000 ns; the second waits for the first from 1050 ns on, and is interrupted at 1070 ns.
TEST_F(SimulationTest, AnInterruptDelaysAThreadThatWaitsForALine) {
  const auto end_of_load = [](bool interrupted) {
    MachineModel model = model_of_four();
    model.scheduler.interrupt = 900 * kNs;
    model.scheduler.membarrier = 0;
    model.scheduler.futex_call = 0;
    Word word;
    Simulation simulation(model);
    std::int64_t ended = 0;
    const auto stacks = start_all(simulation, {[&] { word.exchange(1); },
                                               [&] {
                                                 work(1 * kUs);
                                                 word.load();
                                               },
                                               [&] {
                                                 work(1 * kUs);
                                                 word.load();
                                                 ended = now_ns();
                                               },
                                               [&] {
                                                 work(1 * kUs + 70 * kNs);
                                                 if (interrupted) {
                                                   Simulation::current()->membarrier();
                                                 }
                                               }});
    simulation.run();
    return ended;
  };
  EXPECT_EQ(end_of_load(true) - end_of_load(false), 900);
}

// ---- kinds of cores

MachineModel two_fast_and_two_slow() {
  MachineModel model = model_of_four();
  model.kinds = {{.name = "fast", .cores = 2}, {.name = "slow", .cores = 2, .speed = 0.5}};
  return model;
}

TEST_F(SimulationTest, ASlowCoreComputesLonger) {
  const auto computes = [this] {
    work(100 * kNs);
    note();
  };
  EXPECT_EQ(run(two_fast_and_two_slow(), {computes, computes, computes, computes}),
            Simulation::End::kFinished);
  EXPECT_THAT(times_, testing::UnorderedElementsAre(100, 100, 200, 200));
}

TEST_F(SimulationTest, ThreadsStayOnTheProcessorsOfTheList) {
  const std::vector<std::uint32_t> slow_and_fast{3, 0};
  Simulation simulation(two_fast_and_two_slow(), slow_and_fast);
  std::vector<std::uint32_t> on;
  const auto sleeps = [&on] {
    Simulation::current()->sleep_until_ns(1000);
    on.push_back(Simulation::current()->processor());
  };
  const auto stacks = start_all(simulation, {sleeps, sleeps, sleeps});
  EXPECT_EQ(simulation.run(), Simulation::End::kFinished);
  EXPECT_THAT(on, testing::UnorderedElementsAre(3, 0, 3));
}

}  // namespace
}  // namespace lockbench::machine
