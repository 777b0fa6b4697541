// SPDX-License-Identifier: Apache-2.0

// EtcdWatch: waits for the deletion of a key, on a connection of its own.
//
// HTTP/1.1 has no message that ends a watch, so the connection ends with it. A watch from an
// earlier revision on would miss nothing; but events of the past are sent by a loop that etcd runs
// ten times a second. So this one begins when the server has it, and says when that was: whoever
// needs to know what happened before asks for it.
#pragma once

#include <chrono>
#include <cstdint>
#include <curl/curl.h>
#include <optional>
#include <string>

#include "harness/services/locks/etcd/gateway.h"

namespace lockbench::services {

class EtcdWatch {
 public:
  using Clock = std::chrono::steady_clock;

  // `key`, `end`: in base64; with an `end`, for the deletion of any key of a range. `gateway`
  // serves nothing else while the watch lasts but requests.
  EtcdWatch(EtcdGateway& gateway, const std::string& key, const std::string& end = {});
  ~EtcdWatch();
  EtcdWatch(const EtcdWatch&) = delete;
  EtcdWatch& operator=(const EtcdWatch&) = delete;

  // The server's revision after which a deletion is noticed. Without a value: the watch has not
  // begun until the deadline, or the server refuses it.
  std::optional<std::uint64_t> await_begin(Clock::time_point deadline);
  // Until a deletion, the deadline, or the end of the connection.
  void await_event(Clock::time_point deadline);

 private:
  std::ptrdiff_t await_lines(std::ptrdiff_t count, Clock::time_point deadline);

  EtcdGateway& gateway_;
  const std::string body_;
  std::string received_;
  const EtcdGateway::Transfer transfer_;
};

}  // namespace lockbench::services
