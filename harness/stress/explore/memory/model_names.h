// SPDX-License-Identifier: Apache-2.0

// The names of the memory models, as users write them.
#pragma once

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

#include "harness/stress/explore/memory/memory.h"

namespace lockbench::stress::explore {

struct NamedModel {
  Model model;
  const char* name;
};
inline constexpr NamedModel kModels[] = {
    {Model::kSequential, "sc"}, {Model::kTso, "tso"}, {Model::kC11, "c11"}};

inline const char* name_of(Model model) {
  return std::find_if(std::begin(kModels), std::end(kModels),
                      [=](const NamedModel& one) { return one.model == model; })
      ->name;
}

inline std::optional<Model> model_named(std::string_view name) {
  const auto* const found = std::find_if(std::begin(kModels), std::end(kModels),
                                         [=](const NamedModel& one) { return name == one.name; });
  if (found == std::end(kModels)) return std::nullopt;
  return found->model;
}

}  // namespace lockbench::stress::explore
