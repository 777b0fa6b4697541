// SPDX-License-Identifier: Apache-2.0

// The answers of etcd's JSON gateway: numbers are texts, and what is 0 or empty is left out.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace lockbench::services {

using Json = nlohmann::json;

// The value that `object` has under this name; null if it has none.
inline const Json& part_of(const Json& object, const char* name) {
  static const Json null;
  if (!object.is_object()) return null;
  const auto found = object.find(name);
  return found == object.end() ? null : *found;
}

// Without it, a 0 would be taken for a name.
const Json& part_of(const Json& array, int at) = delete;

// Element `at` of an array; null if it has none.
inline const Json& element_of(const Json& array, std::size_t at) {
  static const Json null;
  return array.is_array() && at < array.size() ? array[at] : null;
}

inline std::string text_of(const Json& json) {
  return json.is_string() ? json.get<std::string>() : std::string();
}

// 0 if it is none.
inline std::uint64_t number_of(std::string_view text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

inline std::uint64_t number_of(const Json& json) {
  return number_of(std::string_view(text_of(json)));
}

}  // namespace lockbench::services
