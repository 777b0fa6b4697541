// SPDX-License-Identifier: Apache-2.0

// The names of the memory models, as users write them.
#pragma once

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

#include "harness/stress/explore/memory/memory.h"

namespace lockbench::stress::explore {

struct NamedMemoryModel {
  MemoryModel memory_model;
  const char* name;
};
inline constexpr NamedMemoryModel kMemoryModels[] = {
    {MemoryModel::kSequential, "sc"}, {MemoryModel::kTso, "tso"}, {MemoryModel::kC11, "c11"}};

inline const char* name_of(MemoryModel memory_model) {
  return std::find_if(std::begin(kMemoryModels), std::end(kMemoryModels),
                      [=](const NamedMemoryModel& one) { return one.memory_model == memory_model; })
      ->name;
}

inline std::optional<MemoryModel> memory_model_named(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kMemoryModels), std::end(kMemoryModels),
                   [=](const NamedMemoryModel& one) { return name == one.name; });
  if (found == std::end(kMemoryModels)) return std::nullopt;
  return found->memory_model;
}

}  // namespace lockbench::stress::explore
