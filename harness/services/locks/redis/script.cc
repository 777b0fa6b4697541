// SPDX-License-Identifier: Apache-2.0

#include "harness/services/locks/redis/script.h"

namespace lockbench::services {

std::string Script::hash_at(Connection& connection) {
  std::scoped_lock guard(mutex_);
  if (hash_.empty()) hash_ = text_of(*connection.request({"SCRIPT", "LOAD", text_}));
  return hash_;
}

Reply Script::run(Connection& connection, std::initializer_list<std::string_view> keys,
                  std::initializer_list<std::string_view> values) {
  const std::string hash = hash_at(connection);
  const std::string count = std::to_string(keys.size());
  Words words{"EVALSHA", hash, count};
  words.insert(words.end(), keys);
  words.insert(words.end(), values);
  constexpr std::string_view kUnknown = "NOSCRIPT";
  Reply reply = connection.request(words, kUnknown);
  if (reply->type != REDIS_REPLY_ERROR) return reply;
  words[0] = "EVAL";
  words[1] = text_;
  return connection.request(words);
}

}  // namespace lockbench::services
