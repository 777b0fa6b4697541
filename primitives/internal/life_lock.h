// SPDX-License-Identifier: Apache-2.0

// LifeLock: how an owner proves that it lives to processes that cannot see it, for example those of
// another container.
//
// The owner locks one byte of a file, `.lives`, that nothing is written to, with the kernel's lock
// of an open file (OFD lock). The kernel removes that lock when the process ends, however it ends,
// and shows it to every process of its machine, whatever its namespaces. The owner's text names the
// file and the byte (LifeProof).
//
// Guarantees   a proof that was free once belongs to a dead owner for ever. If `.lives` was removed
//              and made again, nothing is known of the owners of the removed one: no two files have
//              the same number while one of them is open.
// Not offered  a proof on a file system that other machines may use; for a user that may not write
//              `.lives`; or on a kernel without OFD locks (before 3.15).
// Requires     the owner closes no descriptors that it did not open. A child of fork() has its
//              parent's descriptor until it takes a lock of its own, calls execve() or ends: until
//              then a killed parent seems to live, to other namespaces.
#pragma once

#include <cstdint>
#include <optional>

#include "primitives/internal/file_owner.h"
#include "primitives/platform/file.h"
#include "primitives/platform/process.h"

namespace lockbench::internal {

class LifeLock {
 public:
  static constexpr char kName[] = ".lives";

  LifeLock() = default;

  explicit LifeLock(const platform::FileDescriptor& folder)
      : file_(platform::open_private_file(folder, kName)) {
    platform::FileFacts facts;
    if (!file_.open() || platform::facts_of(file_, facts) != 0 || !facts.regular) return;
    // A random byte: no other owner locks it, unless two of 2^63 are equal, and then a dead owner
    // seems to live.
    const std::uint64_t byte = platform::random_number() >> 1;
    if (platform::try_byte_lock(file_, byte) != 0) return;
    proof_ = LifeProof{.file = facts.number, .byte = byte};
  }

  // Absent if it could not be had.
  const std::optional<LifeProof>& proof() const { return proof_; }

  // Says whether the owner with this proof lives. A descriptor of its own: the kernel does not show
  // a lock to the open file that has it.
  static Life life_of(const LifeProof& proof, const platform::FileDescriptor& folder) {
    const platform::FileDescriptor file = platform::open_file_in(folder, kName);
    platform::FileFacts facts;
    if (!file.open() || platform::facts_of(file, facts) != 0) return Life::kUnknown;
    if (!facts.regular || facts.number != proof.file) return Life::kUnknown;
    bool locked = false;
    if (platform::byte_is_locked(file, proof.byte, locked) != 0) return Life::kUnknown;
    return locked ? Life::kAlive : Life::kDead;
  }

 private:
  platform::FileDescriptor file_;
  std::optional<LifeProof> proof_;
};

}  // namespace lockbench::internal
