// SPDX-License-Identifier: Apache-2.0

// FileOwner: the owner of a lock file, as a text that outlives the process.
//
// Guarantees   an owner that lives is never reported dead: neither if it is stopped, nor if its
//              process number was reused, nor if the caller runs in another container, another time
//              namespace or on another machine.
// Not offered  an answer in every case. Nothing is known of an owner on a network file system, in
//              another namespace and without a proof of life, or without a readable text; its lock
//              is not touched.
//
// Four facts identify a process: its number, its start time (in clock ticks: the kernel does not
// reuse a number within one), the namespaces of both, and the boot. Neither two boots of a machine
// nor two machines can use one local file system at the same time. Where these facts say nothing,
// the proof of life does: life_lock.h.
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "primitives/platform/process.h"

namespace lockbench::internal {

// Where a process number means the same process.
struct ProcessWorld {
  std::string boot;
  std::uint64_t pid_namespace = 0;
  std::uint64_t time_namespace = 0;

  bool operator==(const ProcessWorld&) const = default;

  // Empty if /proc does not show this process: then its numbers mean other processes.
  static ProcessWorld here() {
    if (!platform::proc_is_of_this_namespace()) return {};
    return {.boot = platform::boot_id(),
            .pid_namespace = platform::namespace_number("pid"),
            .time_namespace = platform::namespace_number("time")};
  }
};

// The byte of the file `.lives` that an owner keeps locked while it lives.
struct LifeProof {
  std::uint64_t file = 0;  // FileFacts::number
  std::uint64_t byte = 0;

  bool operator==(const LifeProof&) const = default;
};

struct FileOwner {
  std::uint64_t process = 0;
  std::uint64_t started = 0;
  std::uint64_t claim = 0;  // distinguishes the claims of one process
  ProcessWorld world;
  std::optional<LifeProof> life = {};

  bool operator==(const FileOwner&) const = default;
};

// `1234:567:0:9f…e1:4026531836:4026531834`: first the process, so that people and scripts find it;
// at the end, with a proof of life, `:393222:5577006791947779410`.
inline std::string to_text(const FileOwner& owner) {
  std::string text = std::to_string(owner.process);
  for (const std::string& part :
       {std::to_string(owner.started), std::to_string(owner.claim), owner.world.boot,
        std::to_string(owner.world.pid_namespace), std::to_string(owner.world.time_namespace)}) {
    text += ':';
    text += part;
  }
  if (owner.life) {
    text += ':' + std::to_string(owner.life->file) + ':' + std::to_string(owner.life->byte);
  }
  return text;
}

// Absent if the text is not an owner's.
inline std::optional<FileOwner> parse_file_owner(std::string_view text) {
  constexpr std::size_t kParts = 6;
  constexpr std::size_t kPartsWithLife = 8;
  constexpr std::size_t kBoot = 3;
  std::array<std::uint64_t, kPartsWithLife> numbers{};
  std::string_view boot;
  std::size_t parts = 0;
  for (bool last = false; !last; ++parts) {
    if (parts == kPartsWithLife) return std::nullopt;
    const std::string_view part = text.substr(0, text.find(':'));
    last = part.size() == text.size();
    text.remove_prefix(last ? text.size() : part.size() + 1);
    if (parts == kBoot) {
      boot = part;
      continue;
    }
    const char* const behind = part.data() + part.size();
    const auto [end, error] = std::from_chars(part.data(), behind, numbers[parts]);
    if (error != std::errc() || end != behind) return std::nullopt;
  }
  if (parts != kParts && parts != kPartsWithLife) return std::nullopt;
  FileOwner owner{
      .process = numbers[0],
      .started = numbers[1],
      .claim = numbers[2],
      .world = {
          .boot = std::string(boot), .pid_namespace = numbers[4], .time_namespace = numbers[5]}};
  if (parts == kPartsWithLife) owner.life = LifeProof{.file = numbers[6], .byte = numbers[7]};
  return owner;
}

// The facts that this process can see of another one now.
struct Sighting {
  bool exists = true;
  std::optional<platform::ProcessFacts> facts;

  static Sighting of(std::uint64_t process) {
    const auto number = static_cast<platform::ProcessId>(process);
    // The order is essential: a process without facts may end before the second step.
    Sighting seen{.facts = platform::process_facts(number)};
    seen.exists = seen.facts.has_value() || platform::process_exists(number);
    return seen;
  }
};

enum class Life { kAlive, kDead, kUnknown };

// Pure. kDead stays true forever; kAlive may be outdated when the caller reads it.
inline Life outcome_of(const FileOwner& owner, const ProcessWorld& here, bool local_file_system,
                       const Sighting& seen) {
  if (owner.world.pid_namespace != here.pid_namespace ||
      owner.world.time_namespace != here.time_namespace) {
    return Life::kUnknown;
  }
  if (owner.world.boot != here.boot) return local_file_system ? Life::kDead : Life::kUnknown;
  if (!seen.exists) return Life::kDead;
  if (!seen.facts) return Life::kUnknown;
  if (seen.facts->started != owner.started) return Life::kDead;
  // If the first thread of a process has ended and others have not, the kernel shows a zombie
  // although the process lives.
  const bool ended = seen.facts->state == 'Z' || seen.facts->state == 'X';
  return ended && seen.facts->threads <= 1 ? Life::kDead : Life::kAlive;
}

}  // namespace lockbench::internal
