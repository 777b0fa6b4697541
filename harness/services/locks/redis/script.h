// SPDX-License-Identifier: Apache-2.0

// Script: a script at the server, which is called by the hash of its text.
#pragma once

#include <initializer_list>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "harness/services/locks/redis/connection.h"

namespace lockbench::services {

class Script {
 public:
  explicit Script(std::string text) : text_(std::move(text)) {}

  // Sends the text when the server does not know the hash: at first, and after it was restarted.
  // Throws ServiceError.
  Reply run(Connection& connection, std::initializer_list<std::string_view> keys,
            std::initializer_list<std::string_view> values);

  // The hash of the text, which the server then knows. Throws ServiceError.
  std::string hash_at(Connection& connection);

 private:
  const std::string text_;
  std::mutex mutex_;  // guards hash_
  std::string hash_;  // empty: not asked for yet
};

}  // namespace lockbench::services
