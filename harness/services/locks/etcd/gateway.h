// SPDX-License-Identifier: Apache-2.0

// EtcdGateway: requests to the JSON gateway of etcd (`/v3/…`), through libcurl.
//
// Guarantees   A request returns what a server answered or throws ServiceError. One that was not
//              answered is sent once more, to the next server if there are several; the answer says
//              so, because the first copy may take effect, even later.
// fork()       closing a connection in a child leaves that of the parent open.
#pragma once

#include <chrono>
#include <curl/curl.h>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/services/locks/address.h"
#include "harness/services/locks/connection_pool.h"
#include "harness/services/locks/etcd/json.h"

namespace lockbench::services {

struct EtcdAnswer {
  Json body;
  std::string error;        // what the server says against the request; empty: nothing
  bool sent_again = false;  // the request may have been taken twice
};

class EtcdGateway {
 public:
  using Address = std::vector<services::Address>;  // of the members of one cluster
  using Clock = std::chrono::steady_clock;

  // An answer that takes longer counts as none.
  static constexpr std::chrono::seconds kPatience{2};

  // Connects when the first request is sent.
  EtcdGateway(const Address& members, RequestCounts& counts);

  // Posts `body` to a path as `/v3/kv/txn`.
  EtcdAnswer ask(const char* path, const Json& body);

  // The same, but throws ServiceError if the answer is an error.
  Json request(const char* path, const Json& body);

  // The text at a path that needs no account: `/version`, `/metrics`.
  std::string get(const char* path);

  template <auto kEnd>
  struct End {
    template <class T>
    void operator()(T* thing) const {
      kEnd(thing);
    }
  };
  using Transfer = std::unique_ptr<CURL, End<curl_easy_cleanup>>;
  using Transfers = std::unique_ptr<CURLM, End<curl_multi_cleanup>>;

  // For an answer that goes on: a transfer of its own, which uses the account of the last request,
  // and what runs it. `body` and `answer` must outlive it. Throws ServiceError.
  Transfer new_post(const char* path, const std::string& body, std::string& answer) const;
  void end_post(CURL* transfer);  // takes it from waits()
  CURLM* waits() const { return waits_.get(); }

  RequestCounts& counts() const { return counts_; }
  [[noreturn]] void refuse(const std::string& why) const;

 private:
  using Headers = std::unique_ptr<curl_slist, End<curl_slist_free_all>>;

  const services::Address& member() const { return members_[member_]; }
  bool has_account() const { return !member().user.empty() || !member().password.empty(); }
  static Transfer new_transfer();
  void set_url(CURL* transfer, const char* path) const;
  void set_headers();
  void authenticate();
  std::string attempt(const char* path, const std::string* posted);
  bool perform(const char* path, const std::string* posted);
  EtcdAnswer post(const char* path, const std::string& body);

  const Address members_;
  RequestCounts& counts_;
  std::size_t member_;  // that requests go to; at first one at random, so that clients spread
  bool connected_before_ = false;
  std::string token_;  // of the account; empty: none was asked for yet
  Headers headers_;
  std::string answer_;
  const Transfer requests_;
  const Transfers waits_;
};

using EtcdPool = ConnectionPool<EtcdGateway>;

}  // namespace lockbench::services
