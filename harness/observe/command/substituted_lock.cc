// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/command/substituted_lock.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string_view>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include "harness/observe/observation/observed_place.h"
#include "harness/observe/preload/preload.h"
#include "harness/observe/substitute/chosen_places.h"
#include "harness/process/resources.h"

namespace lockbench {
namespace {

namespace fs = std::filesystem;

constexpr char kNative[] = "std";
constexpr char kPrefix[] = "liblockbench_substitute_";
constexpr char kSuffix[] = ".so";

// Those that take the place of locks for readers and writers
// (harness/observe/substitute/CMakeLists.txt). Readers hold the first ones together; the last one
// is a mutex.
constexpr std::array<std::string_view, 4> kForRwlocks{"absl_shared", "tbb_rw", "tbb_spin_rw",
                                                      "rwlock_adaptive"};

observe::LockKind replaced_kind(std::string_view lock) {
  const bool is_for_rwlocks =
      std::find(kForRwlocks.begin(), kForRwlocks.end(), lock) != kForRwlocks.end();
  return is_for_rwlocks ? observe::LockKind::kShared : observe::LockKind::kMutex;
}

}  // namespace

std::vector<std::string> substitutable_locks() {
  std::vector<std::string> locks;
  // All libraries are beside the one that always is there.
  const std::optional<fs::path> one = find_engine(std::string(kPrefix) + "futex" + kSuffix);
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(one ? one->parent_path() : fs::path(), none)) {
    std::string name = entry.path().filename().string();
    if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) continue;
    name.erase(0, std::string_view(kPrefix).size());
    name.resize(name.size() - std::string_view(kSuffix).size());
    locks.push_back(name);
  }
  std::sort(locks.begin(), locks.end());
  locks.insert(locks.begin(), kNative);
  return locks;
}

absl::StatusOr<std::vector<std::string>> environment_for(const Substitution& substitution) {
  const std::string& lock = substitution.lock;
  std::vector<std::string> environment;
  // The unchanged program has no places, whatever their kind is.
  if (lock == kNative) return environment;
  if (!substitution.place.empty()) {
    const auto code =
        code_of_places(*substitution.observed, substitution.place, replaced_kind(lock));
    if (!code.ok()) return code.status();
    environment.push_back(absl::StrCat(kPlacesVariable, "=", *code));
  }
  std::optional<fs::path> library;
  if (lock.ends_with(kSuffix)) {
    std::error_code error;
    library = fs::canonical(lock, error);
    if (error) return absl::NotFoundError("--lock: '" + lock + "': " + error.message());
  } else {
    const std::vector<std::string> locks = substitutable_locks();
    if (std::find(locks.begin(), locks.end(), lock) == locks.end()) {
      return absl::NotFoundError(
          "--lock: '" + lock +
          "' cannot take the place of a pthread mutex or rwlock; these locks can: " +
          absl::StrJoin(locks, ", "));
    }
    library = find_engine(kPrefix + lock + kSuffix);
  }
  const absl::StatusOr<std::string> preload = preload_variable(*library);
  if (!preload.ok()) return preload.status();
  environment.push_back(*preload);
  return environment;
}

}  // namespace lockbench
