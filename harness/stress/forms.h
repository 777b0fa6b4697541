// SPDX-License-Identifier: Apache-2.0

// Forms of a lock: the same class, which the engines use in another way, under a name of its own.
// A user who names a lock means its forms, too.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace lockbench::stress {

inline constexpr std::string_view kReadersFirst = "readers=first";        // shared_holds.h
inline constexpr std::string_view kReadersApart = "readers=apart";        // shared_holds.h
inline constexpr std::string_view kReadersUpgraded = "readers=upgraded";  // shared_holds.h
inline constexpr std::string_view kWaitsStopped = "waits=stopped";        // stopped_waits.h
inline constexpr std::string_view kSeveralKeys = "keys=several";          // several_keys.h
inline constexpr std::string_view kSeveralObjects = "objects=several";    // several_objects.h

inline constexpr std::array kForms{kReadersFirst, kReadersApart, kReadersUpgraded,
                                   kWaitsStopped, kSeveralKeys,  kSeveralObjects};

// The name of the form: `global:lock=mine,readers=apart`, `keyed:keys=several`.
inline std::string form_of(const std::string& lock, std::string_view form) {
  const char* const mark = lock.find(':') == std::string::npos ? ":" : ",";
  return lock + mark + std::string(form);
}

// True if `name` is one of this form, perhaps among others.
inline bool has_form(std::string_view name, std::string_view form) {
  return name.find(form) != std::string_view::npos;
}

// True if `name` is `lock` in one form or several.
inline bool is_form_of(std::string_view name, std::string_view lock) {
  if (!name.starts_with(lock) || name.size() == lock.size()) return false;
  for (std::string_view rest = name.substr(lock.size()); !rest.empty();) {
    rest.remove_prefix(1);  // the mark
    const std::string_view one = rest.substr(0, rest.find(','));
    if (std::find(kForms.begin(), kForms.end(), one) == kForms.end()) return false;
    rest.remove_prefix(one.size());
  }
  return true;
}

}  // namespace lockbench::stress
