// SPDX-License-Identifier: Apache-2.0

#include "harness/services/locks/redis/redis_server.h"

#include <unistd.h>
#include <utility>

#include "harness/services/locks/random_text.h"

namespace lockbench::services {

std::string new_prefix() {
  return "lockbench:" + short_random_text() + ":";
}

RedisServer::RedisServer(const Address& address, std::string prefix)
    : pool_(address, *counts_), prefix_(std::move(prefix)) {}

RedisServer::~RedisServer() {
  if (process_ != getpid()) return;  // the keys are its parent's, too
  try {
    remove_keys();
  } catch (const ServiceError&) {
    // Everything that is left at the server expires, but for a key of RedisAsPublished without an
    // expiry.
  }
}

void RedisServer::remove_keys() {
  const RedisPool::Lease connection = pool_.take();
  const std::string pattern = prefix_ + "*";
  std::string cursor = "0";
  do {
    const Reply found = connection->request({"SCAN", cursor, "MATCH", pattern, "COUNT", "1000"});
    if (found->type != REDIS_REPLY_ARRAY || found->elements != 2) return;
    cursor = text_of(*found->element[0]);
    const redisReply& names = *found->element[1];
    for (std::size_t i = 0; i < names.elements; ++i) {
      connection->request({"UNLINK", text_of(*names.element[i])});
    }
  } while (cursor != "0");
}

double RedisServer::cpu_s() {
  const std::string info = info_of(*pool_.take(), "cpu");
  return number_in(info, "used_cpu_sys:") + number_in(info, "used_cpu_user:");
}

ServiceUse RedisServer::use() {
  ServiceUse use = use_of(*counts_);
  try {
    use.server_cpu_s = cpu_s() - cpu_before_s_;
  } catch (const ServiceError&) {
    // One of several servers may be lost; its time is then not known.
  }
  return use;
}

}  // namespace lockbench::services
