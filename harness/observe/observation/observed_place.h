// SPDX-License-Identifier: Apache-2.0

// A place of an observation, read back from its folder.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include <absl/status/statusor.h>

#include "harness/bench/plan/cell.h"
#include "harness/bench/plan/preset.h"
#include "harness/observe/recorder/recording.h"

namespace lockbench {

struct RecordedPlace {
  std::string name;
  Preset preset;                   // that reproduces it
  std::uint64_t acquisitions = 0;  // by threads that did not hold the lock
  std::uint64_t contended = 0;
  std::uint64_t recursions = 0;  // acquisitions by threads that held it
  std::uint64_t failed_tries = 0;
  double wait_p50_ns = 0;  // of each wait
  double wait_p99_ns = 0;

  double contended_share() const;
};

// A place of `folder`/observed.json. `number`: 1 is the place with the greatest gain; the places of
// the first process come before those of the second. InvalidArgument says what is missing.
absl::StatusOr<RecordedPlace> recorded_place(const std::filesystem::path& folder,
                                             std::size_t number);

// The place with the most acquisitions.
absl::StatusOr<RecordedPlace> busiest_place(const std::filesystem::path& folder);

// The code that acquires the locks of this kind of the places whose names the expression finds, as
// ChosenPlaces reads it (harness/observe/substitute). InvalidArgument: there are none; another
// place differs from them only in the callers of that code; or the program was built anew since.
absl::StatusOr<std::string> code_of_places(const std::filesystem::path& folder,
                                           const std::string& expression, observe::LockKind kind);

// The place's load as a cell without a primitive.
Cell load_of(const RecordedPlace& place);

}  // namespace lockbench
