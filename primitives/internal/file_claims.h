// SPDX-License-Identifier: Apache-2.0

// FileClaims: the files that the threads of this process take lock files with.
//
// Guarantees   a claim belongs to one thread at a time, and no other claim ever has its text, even
//              after execve() or with two copies of this header in the process. Claims are reused,
//              since making one costs tens of microseconds. A child of fork() makes claims of its
//              own and does not touch its parent's. Claims of dead processes are removed.
//              Where possible, the process proves its life as long as it has claims (life_lock.h).
// Requires     no fork() while another thread is inside a call.
#pragma once

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "primitives/futex_mutex.h"
#include "primitives/internal/file_forms.h"
#include "primitives/internal/file_owner.h"
#include "primitives/internal/life_lock.h"
#include "primitives/internal/lock_folder.h"
#include "primitives/internal/process_pool.h"
#include "primitives/platform/atomic.h"

namespace lockbench::internal {

inline constexpr std::string_view kClaimPrefix = ".claim-";

inline std::string claim_name(const std::string& owner) {
  return std::string(kClaimPrefix) + owner;
}

// `name` is empty in a handle that holds nothing.
struct FileClaim {
  std::string owner;
  std::string name;
  platform::ProcessId process = 0;  // the process that made it

  // By this process. After a fork() the child has a copy of its parent's handle.
  bool held() const { return !name.empty() && process == platform::this_process(); }
};

// No two claims of a process have the same number, whatever lock they are for. The first number is
// random, since process number and start time stay the same over execve().
[[gnu::visibility("default")]] inline std::uint64_t next_claim_number() {
  static platform::Atomic<std::uint64_t> next{platform::random_number()};
  return next.fetch_add(1, std::memory_order_relaxed);  // relaxed: only the number matters
}

template <class Form>
class FileClaims {
 public:
  explicit FileClaims(const LockFolder& folder) : folder_(folder) { sweep(); }
  ~FileClaims() {
    while (const std::optional<FileClaim> claim = idle_.take()) discard(*claim);
  }
  FileClaims(const FileClaims&) = delete;
  FileClaims& operator=(const FileClaims&) = delete;

  // Throws FileLockError when the folder takes no more files.
  FileClaim obtain() {
    if (std::optional<FileClaim> idle = idle_.take()) return *std::move(idle);
    return make();
  }

  void keep(FileClaim claim) { idle_.give(std::move(claim)); }

  // Its file was removed by another program, for example one that cleans old files away.
  [[gnu::noinline, gnu::cold]] void replace(FileClaim& claim) const { claim = make(); }

  void discard(const FileClaim& claim) const {
    discard_claim(folder_.descriptor(), claim.name.c_str());
  }

  // Removes the claims that killed processes left. Needs no guard: no process makes the claim of a
  // dead one again. O(names in the folder).
  void sweep() const {
    std::vector<std::string> dead;
    platform::for_each_name(folder_.descriptor(), [&](std::string_view name) {
      if (!name.starts_with(kClaimPrefix)) return;
      const auto owner = parse_file_owner(name.substr(kClaimPrefix.size()));
      if (owner && folder_.life_of(*owner) == Life::kDead) dead.emplace_back(name);
    });
    for (const std::string& name : dead) discard_claim(folder_.descriptor(), name.c_str());
  }

 private:
  FileOwner identify() const {
    const platform::ProcessId process = platform::this_process();
    const auto facts = platform::process_facts(process);
    if (!facts || folder_.here().boot.empty()) {
      FileLockError::raise_at("/proc",
                              "does not tell when this process started, or shows another PID "
                              "namespace; mount it for this one: else no process could tell "
                              "whether an owner still lives");
    }
    return {.process = static_cast<std::uint64_t>(process),
            .started = facts->started,
            .world = folder_.here(),
            .life = proof_of(process)};
  }

  // A child of fork() proves its own life: its parent's lock is its parent's.
  std::optional<LifeProof> proof_of(platform::ProcessId process) const {
    std::scoped_lock guard(life_mutex_);
    if (process != life_process_) life_ = folder_.life_lock();
    life_process_ = process;
    return life_.proof();
  }

  FileClaim make() const {
    FileOwner owner = identify();
    owner.claim = next_claim_number();
    const std::string text = to_text(owner);
    FileClaim claim{.owner = text,
                    .name = claim_name(text),
                    .process = static_cast<platform::ProcessId>(owner.process)};
    const int error = Form::prepare(folder_.descriptor(), claim.name.c_str(), claim.owner.c_str());
    if (error == ENOENT) {
      FileLockError::raise_at(folder_.path(),
                              "was removed while it was in use; make it again, and a FileLock for "
                              "the new folder");
    }
    if (error != 0) {
      FileLockError::raise_at(folder_.path() + "/" + claim.name,
                              std::string("cannot be made: ") + std::strerror(error) +
                                  "; the folder must be one that this user can write");
    }
    return claim;
  }

  const LockFolder& folder_;
  ProcessPool<FileClaim> idle_;
  mutable FutexMutex life_mutex_;
  mutable LifeLock life_;  // of life_process_; it outlives the claims, which are discarded before
  mutable platform::ProcessId life_process_ = 0;
};

}  // namespace lockbench::internal
