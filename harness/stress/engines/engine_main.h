// SPDX-License-Identifier: Apache-2.0

// engine_main: the main() of an engine that accepts plug-ins.
//
// This is a header only, because it is compiled into each engine and one of the engines is built
// for simulation.
#pragma once

#include <filesystem>
#include <iostream>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/plugin/load.h"
#include "harness/stress/engine_program.h"
#include "harness/stress/several_objects.h"

namespace lockbench {

// `my_locks.so` may also have been built as `my_locks.delays.so`, in which memory accesses can be
// delayed. This function adds the locks of that file to the locks with the same names. If the file
// does not exist or cannot be loaded, the locks stay unchanged.
inline void add_instrumented(const std::filesystem::path& plugin,
                             PluginOffer (*of_c)(const lockbench_c_plugin&),
                             std::vector<stress::RegisteredLock>& locks) {
  std::filesystem::path file = plugin;
  file.replace_extension(".delays.so");
  if (!std::filesystem::exists(file)) return;
  absl::StatusOr<LoadedPlugin> loaded = load_plugin(file, PluginBuild{}, of_c);
  if (!loaded.ok()) {
    std::cerr << std::string(loaded.status().message()) << "; going on without delays in it\n";
    return;
  }
  for (stress::RegisteredLock& lock : locks) {
    for (const stress::RegisteredLock& other : loaded->offer.locks) {
      if (other.name == lock.name) lock.make_instrumented = other.make;
    }
  }
}

// Each lock is followed by its form with several objects, if it has one.
inline void add_several_objects(std::vector<stress::RegisteredLock>& locks) {
  std::vector<stress::RegisteredLock> all;
  for (stress::RegisteredLock& lock : locks) {
    std::optional<stress::RegisteredLock> form = stress::with_several_objects(lock);
    all.push_back(std::move(lock));
    if (form) all.push_back(*std::move(form));
  }
  locks = std::move(all);
}

// Which locks of a plug-in an engine tests. A lock that keeps other processes out need not keep out
// another thread of the same process: fcntl() does not. A lock at a service needs a server of it.
inline bool tests_all(const stress::RegisteredLock&) {
  return true;
}
inline bool tests_between_threads(const stress::RegisteredLock& lock) {
  return lock.abilities.scope == Scope::kThread;
}
inline bool tests_between_processes(const stress::RegisteredLock& lock) {
  return lock.abilities.scope == Scope::kProcess;
}
inline bool tests_at_services(const stress::RegisteredLock& lock) {
  return lock.abilities.scope == Scope::kService;
}

// The parts of an engine.
struct EngineParts {
  // The locks that it knows without a plug-in.
  std::vector<stress::RegisteredLock> (*registry)() = nullptr;
  stress::Engine test_lock;
  // For the orders with a net; empty: they are refused.
  stress::Engine check_net = nullptr;
  // Which locks of a plug-in it knows.
  bool (*tests)(const stress::RegisteredLock&) = tests_all;
  // Makes the offer of a plug-in of the C interface.
  PluginOffer (*of_c)(const lockbench_c_plugin&) = nullptr;
  // Is called with the plug-in's file after it was loaded, and may refuse it.
  absl::Status (*prepare)(const std::filesystem::path&) = nullptr;
};

// As run_engine_program(). If the first words are `--plugin FILE`, the locks are those of the
// plug-in, and the registry is not called.
inline int engine_main(std::span<const char* const> words, const EngineParts& parts) {
  if (words.size() < 3 || std::string_view(words[1]) != "--plugin") {
    return stress::run_engine_program(words, parts.registry(), parts.test_lock, parts.check_net);
  }
  absl::StatusOr<LoadedPlugin> loaded = load_plugin(words[2], PluginBuild{}, parts.of_c);
  absl::Status sound = loaded.status();
  if (sound.ok() && parts.prepare != nullptr) sound = parts.prepare(words[2]);
  if (!sound.ok()) {
    std::cerr << words[0] << ": " << std::string(sound.message()) << '\n';
    return 1;
  }
  std::erase_if(loaded->offer.locks, [&](const auto& lock) { return !parts.tests(lock); });
  const bool delays = PluginBuild::kSimulated == 0 && parts.tests == tests_between_threads;
  if (delays) add_instrumented(words[2], parts.of_c, loaded->offer.locks);
  add_several_objects(loaded->offer.locks);
  std::vector<const char*> rest{words[0]};
  rest.insert(rest.end(), words.begin() + 3, words.end());
  return stress::run_engine_program(rest, loaded->offer.locks, parts.test_lock, parts.check_net);
}

}  // namespace lockbench
