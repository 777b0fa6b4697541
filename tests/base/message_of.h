// SPDX-License-Identifier: Apache-2.0

// The message of a status, for assertions on it.
#pragma once

#include <string>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

namespace lockbench {

inline std::string message_of(const absl::Status& status) {
  return status.ok() ? "OK" : std::string(status.message());
}

template <class T>
std::string message_of(const absl::StatusOr<T>& result) {
  return message_of(result.status());
}

}  // namespace lockbench
