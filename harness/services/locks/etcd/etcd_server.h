// SPDX-License-Identifier: Apache-2.0

// EtcdServer: what every lock at one server or cluster of etcd has: connections, counts, and the
// names of its keys, which begin with a random prefix so that two trials share none.
//
// Tokens begin at a base, which is under the prefix, too: the time in µs when it was made, less the
// server's revision then. So base and revision together grow with the revision, and also if the
// server forgets everything, unless clocks go back: the next base is then a later time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <unistd.h>

#include "harness/services/locks/etcd/gateway.h"
#include "primitives/service.h"

namespace lockbench::services {

class EtcdServer {
 public:
  // Throws ServiceError if the server cannot be used.
  explicit EtcdServer(const EtcdGateway::Address& members);
  // Removes the keys that are left, if the server can be reached.
  ~EtcdServer();
  EtcdServer(const EtcdServer&) = delete;
  EtcdServer& operator=(const EtcdServer&) = delete;

  EtcdPool::Lease connection() { return pool_.take(); }
  const EtcdGateway::Address& members() const { return members_; }
  RequestCounts& counts() { return *counts_; }
  ServiceUse use();

  // The beginning of the names of a key's holds. No key's name begins with that of another.
  std::string name_of(std::string_view key) const;

  // The name of the base, in base64. Its value is a number.
  const std::string& base_name() const { return base_name_; }
  // Makes the base if there is none. Throws ServiceError. Returns the lease that was granted for
  // it.
  std::string make_base(EtcdGateway& gateway);

 private:
  double cpu_s();
  void refuse_without_majority() const;

  const SharedCounts counts_;
  const EtcdGateway::Address members_;
  const std::string prefix_;
  const std::string base_name_;
  EtcdPool pool_;
  const pid_t process_ = getpid();
  std::string base_lease_;
  double cpu_before_s_ = 0;
};

// The first text after all that begin with `prefix`, which has no byte of 255 at its end.
std::string end_of_prefix(std::string prefix);

}  // namespace lockbench::services
