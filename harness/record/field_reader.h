// SPDX-License-Identifier: Apache-2.0

// FieldReader: takes the fields of one JSON object, and remembers the first thing that is wrong.
//
// Guarantees   every field is of the type asked for and in its range, or finish() says which is
//              not, by its path (`sample.wait.p50_ns`). A field that nobody asked for is accepted:
//              a later version may have written it.
// Requires     the object outlives the reader; finish() comes after the last field.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <absl/strings/str_format.h>
#include <nlohmann/json.hpp>

namespace lockbench::internal {

// `name` stands for the text in errors.
inline absl::StatusOr<nlohmann::json> parse_json(std::string_view text, std::string_view name) {
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s: not JSON at byte %d of %d: cut off or not ours", name, error.byte, text.size()));
  } catch (const nlohmann::json::out_of_range&) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s: a number is beyond what 64 bits hold", name));
  }
}

// Moves `json` to `out`; null if it fits, else what would have been right.
inline const char* take(const nlohmann::json& json, std::string& out) {
  if (!json.is_string()) return "text";
  out = json.get<std::string>();
  return nullptr;
}

inline const char* take(const nlohmann::json& json, bool& out) {
  if (!json.is_boolean()) return "true or false";
  out = json.get<bool>();
  return nullptr;
}

inline const char* take(const nlohmann::json& json, double& out) {
  if (!json.is_number() || !std::isfinite(json.get<double>())) return "a number";
  out = json.get<double>();
  return nullptr;
}

template <std::unsigned_integral T>
const char* take(const nlohmann::json& json, T& out) {
  if (!json.is_number_unsigned() || json.get<std::uint64_t>() > std::numeric_limits<T>::max()) {
    return sizeof(T) == sizeof(std::uint64_t) ? "a whole number from 0 to 2^64-1"
                                              : "a whole number from 0 to 2^32-1";
  }
  out = json.get<T>();
  return nullptr;
}

class FieldReader {
 public:
  FieldReader(const nlohmann::json& object, std::string where)
      : object_(object), where_(std::move(where)) {
    if (!object_.is_object()) fail(where_, "expected an object");
  }

  // The field must be there.
  template <class T>
  void require(std::string_view name, T& out) {
    if (const nlohmann::json* json = required(name)) take_from(*json, name, out);
  }

  // The field may be missing; `out` is then empty.
  template <class T>
  void allow(std::string_view name, std::optional<T>& out) {
    out.reset();
    if (const nlohmann::json* json = find(name)) take_from(*json, name, out.emplace());
  }

  // The field's JSON, to be read by somebody else; null if it is missing.
  const nlohmann::json* find(std::string_view name) {
    if (!object_.is_object()) return nullptr;
    const auto found = object_.find(name);
    return found == object_.end() ? nullptr : &*found;
  }

  // As find(), but a missing field is an error.
  const nlohmann::json* required(std::string_view name) {
    const nlohmann::json* json = find(name);
    if (json == nullptr) fail(path(name), "is missing");
    return json;
  }

  // Takes over what a reader of a part of this object found.
  void merge(const absl::Status& status) {
    if (status_.ok()) status_ = status;
  }

  void fail(std::string_view path, std::string_view what) {
    merge(absl::InvalidArgumentError(absl::StrFormat("%s: %s", path, what)));
  }

  std::string path(std::string_view name) const { return absl::StrFormat("%s.%s", where_, name); }

  absl::Status finish() const { return status_; }

 private:
  template <class T>
  void take_from(const nlohmann::json& json, std::string_view name, T& out) {
    if (const char* right = take(json, out)) {
      fail(path(name), absl::StrFormat("expected %s, found %s", right, json.type_name()));
    }
  }

  const nlohmann::json& object_;
  const std::string where_;
  absl::Status status_;
};

}  // namespace lockbench::internal
