// SPDX-License-Identifier: Apache-2.0

// JSON of records: one list of a record's fields serves for writing and reading.
//
// A record R has a function next to its type, or in the file that reads and writes it:
//
//   template <EitherConst<R> T, class Visit>
//   void json_fields(T& record, Visit&& visit) {
//     visit("threads", record.threads);
//     visit("hold", record.hold, parse_work);  // as text: to_text(record.hold), and parse_work()
//     visit("watch", record.watch, parse_watch, watch_text);  // as text, by two functions
//     // As text, by a table of names (harness/base/names.h):
//     visit("state", record.state, kStates);
//   }
//
// A field may be a text, a boolean, a number, nanoseconds (a count), another record, a list or an
// optional of these, or a map from names to texts.
//
// Guarantees   Every field has its type and is in its range; otherwise finish() names the first
//              wrong field by its path (`meta.json.machine.cores`). An optional field may be
//              missing. A field that is not in the list is accepted, because a later version may
//              have written it; with Unlisted::kRefused it is an error.
// Requires     The object outlives its FieldReader. finish() is called after the last field.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <absl/strings/str_format.h>
#include <nlohmann/json.hpp>

#include "harness/base/names.h"
#include "harness/base/nearest.h"
#include "harness/base/quantity.h"

namespace lockbench {

template <class T, class R>
concept EitherConst = std::same_as<std::remove_const_t<T>, R>;

}  // namespace lockbench

namespace lockbench::internal {

using nlohmann::json;
using nlohmann::ordered_json;  // fields keep their order, because people read the text

// Errors call the text `name`.
inline absl::StatusOr<json> parse_json(std::string_view text, std::string_view name) {
  try {
    return json::parse(text);
  } catch (const json::parse_error& error) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s: not JSON at byte %d of %d: cut off or not ours", name, error.byte, text.size()));
  } catch (const json::out_of_range&) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s: a number is beyond what 64 bits hold", name));
  }
}

// A name from a file system may contain bytes that are not UTF-8. `indent` -1: one line.
inline std::string text_of(const ordered_json& value, int indent = -1) {
  return value.dump(indent, ' ', false, ordered_json::error_handler_t::replace);
}

// The record as a JSON object.
template <class R>
ordered_json json_of(const R& record);

template <class T>
ordered_json json_of_value(const T& value) {
  if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string> ||
                std::is_same_v<T, std::map<std::string, std::string>>) {
    return value;
  } else if constexpr (std::is_same_v<T, std::chrono::nanoseconds>) {
    return value.count();
  } else if constexpr (requires { typename T::value_type; }) {
    ordered_json list = ordered_json::array();
    for (const auto& element : value) list.push_back(json_of_value(element));
    return list;
  } else {
    return json_of(value);
  }
}

class FieldWriter {
 public:
  explicit FieldWriter(ordered_json& object) : object_(object) {}

  template <class T>
  void operator()(std::string_view name, const T& value) {
    object_[name] = json_of_value(value);
  }

  template <class T>
  void operator()(std::string_view name, const std::optional<T>& value) {
    if (value) object_[name] = json_of_value(*value);
  }

  template <class T>
  void operator()(std::string_view name, const T& value, absl::StatusOr<T> (*)(std::string_view)) {
    if constexpr (std::is_same_v<T, std::string>) {
      object_[name] = value;
    } else {
      object_[name] = to_text(value);
    }
  }

  template <class T>
  void operator()(std::string_view name, const T& value, absl::StatusOr<T> (*)(std::string_view),
                  std::string (*text)(T)) {
    object_[name] = text(value);
  }

  template <class T, std::size_t N>
  void operator()(std::string_view name, const T& value, const Named<T> (&table)[N]) {
    object_[name] = name_of(table, value);
  }

 private:
  ordered_json& object_;
};

template <class R>
ordered_json json_of(const R& record) {
  ordered_json object = ordered_json::object();
  json_fields(record, FieldWriter(object));
  return object;
}

// Moves `value` to `out`. Returns null if it fits, else a text that says what is expected.
inline const char* take(const json& value, std::string& out) {
  if (!value.is_string()) return "text";
  out = value.get<std::string>();
  return nullptr;
}

inline const char* take(const json& value, bool& out) {
  if (!value.is_boolean()) return "true or false";
  out = value.get<bool>();
  return nullptr;
}

inline const char* take(const json& value, double& out) {
  if (!value.is_number() || !std::isfinite(value.get<double>())) return "a number";
  out = value.get<double>();
  return nullptr;
}

template <std::unsigned_integral T>
const char* take(const json& value, T& out) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > std::numeric_limits<T>::max()) {
    return sizeof(T) == sizeof(std::uint64_t) ? "a whole number from 0 to 2^64-1"
                                              : "a whole number from 0 to 2^32-1";
  }
  out = value.get<T>();
  return nullptr;
}

template <std::signed_integral T>
const char* take(const json& value, T& out) {
  if (!value.is_number_integer() || value.get<std::int64_t>() < std::numeric_limits<T>::min() ||
      value.get<std::int64_t>() > std::numeric_limits<T>::max()) {
    return "a whole number";
  }
  out = value.get<T>();
  return nullptr;
}

inline const char* take(const json& value, std::chrono::nanoseconds& out) {
  if (!value.is_number_unsigned()) return "a whole number of nanoseconds";
  out = std::chrono::nanoseconds(value.get<std::int64_t>());
  return nullptr;
}

enum class Unlisted { kAccepted, kRefused };

class FieldReader {
 public:
  FieldReader(const json& object, std::string where, Unlisted unlisted = Unlisted::kAccepted)
      : object_(object), where_(std::move(where)), unlisted_(unlisted) {
    if (!object_.is_object()) fail(where_, "expected an object");
  }

  template <class T>
  void operator()(std::string_view name, T& out) {
    if (const json* value = required(name)) read(*value, path(name), out);
  }

  // The field may be missing; `out` is then empty.
  template <class T>
  void operator()(std::string_view name, std::optional<T>& out) {
    out.reset();
    if (const json* value = find(name)) read(*value, path(name), out.emplace());
  }

  template <class T>
  void operator()(std::string_view name, T& out, absl::StatusOr<T> (*parse)(std::string_view)) {
    parsed(name, out, parse);
  }

  template <class T>
  void operator()(std::string_view name, T& out, absl::StatusOr<T> (*parse)(std::string_view),
                  std::string (*)(T)) {
    parsed(name, out, parse);
  }

  template <class T, std::size_t N>
  void operator()(std::string_view name, T& out, const Named<T> (&table)[N]) {
    parsed(name, out, [&](std::string_view text) { return parse_name(name, text, table); });
  }

  // The field's JSON; null if it is missing.
  const json* find(std::string_view name) {
    listed_.emplace_back(name);
    if (!object_.is_object()) return nullptr;
    const auto found = object_.find(name);
    return found == object_.end() ? nullptr : &*found;
  }

  // As find(), but it is an error if the field is missing.
  const json* required(std::string_view name) {
    const json* value = find(name);
    if (value == nullptr) fail(path(name), "is missing");
    return value;
  }

  // Adds the errors of a reader of a part of this object.
  void merge(const absl::Status& status) {
    if (status_.ok()) status_ = status;
  }

  void fail(std::string_view path, std::string_view what) {
    merge(absl::InvalidArgumentError(absl::StrFormat("%s: %s", path, what)));
  }

  std::string path(std::string_view name) const { return absl::StrFormat("%s.%s", where_, name); }

  absl::Status finish() {
    if (!status_.ok() || unlisted_ == Unlisted::kAccepted) return status_;
    for (const auto& [name, value] : object_.items()) {
      if (std::find(listed_.begin(), listed_.end(), name) != listed_.end()) continue;
      fail(where_, std::string(unknown_name("field", name, listed_).message()));
    }
    return status_;
  }

 private:
  template <class T, class Parse>
  void parsed(std::string_view name, T& out, const Parse& parse) {
    std::string text;
    (*this)(name, text);
    if (!status_.ok()) return;
    absl::StatusOr<T> value = parse(text);
    if (!value.ok()) return fail(path(name), std::string(value.status().message()));
    out = *std::move(value);
  }

  template <class T>
  void read(const json& value, const std::string& where, T& out) {
    if constexpr (requires { take(value, out); }) {
      const char* const right = take(value, out);
      if (right == nullptr) return;
      fail(where, absl::StrFormat("expected %s, found %s", right, value.type_name()));
    } else {
      FieldReader part(value, where, unlisted_);
      json_fields(out, part);
      merge(part.finish());
    }
  }

  template <class T>
  void read(const json& value, const std::string& where, std::vector<T>& out) {
    if (!value.is_array()) return fail(where, "expected a list");
    out.clear();
    for (const json& element : value) {
      const std::string element_where = absl::StrFormat("%s[%d]", where, out.size());
      read(element, element_where, out.emplace_back());
    }
  }

  void read(const json& value, const std::string& where, std::map<std::string, std::string>& out) {
    if (!value.is_object()) return fail(where, "expected an object");
    for (const auto& [name, text] : value.items()) {
      read(text, absl::StrFormat("%s.%s", where, name), out[name]);
    }
  }

  const json& object_;
  const std::string where_;
  const Unlisted unlisted_;
  std::vector<std::string> listed_;
  absl::Status status_;
};

// Reads a record from `object`. An InvalidArgument names the field by its path from `where`.
template <class R>
absl::StatusOr<R> read_record(const json& object, std::string where,
                              Unlisted unlisted = Unlisted::kAccepted) {
  FieldReader reader(object, std::move(where), unlisted);
  R record;
  json_fields(record, reader);
  if (absl::Status status = reader.finish(); !status.ok()) return status;
  return record;
}

}  // namespace lockbench::internal
