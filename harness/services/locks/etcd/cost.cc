// SPDX-License-Identifier: Apache-2.0

// etcd-lock-cost: what EtcdLock adds to the requests that it sends (harness/services/locks/cost.h).
//
//   LOCKBENCH_ETCD=127.0.0.1:2379 etcd-lock-cost [BLOCKS]
#include "harness/services/locks/cost.h"

#include <chrono>
#include <curl/curl.h>
#include <memory>
#include <string>
#include <string_view>

#include "harness/services/locks/etcd/base64.h"
#include "harness/services/locks/etcd/etcd_lock.h"

namespace lockbench::services {
namespace {

// libcurl and texts, and nothing else.
class Bare {
 public:
  explicit Bare(const Address& address)
      : transfer_(curl_easy_init()), url_("http://" + address.text()) {
    RequestCounts counts;
    EtcdGateway gateway({address}, counts);
    lease_ = text_of(part_of(gateway.request(kGrant, {{"TTL", "3600"}}), "ID"));
    claim_ = claim_request(kNames, kName, lease_, false).dump();
    const std::string release = delete_request(kName, kMark).dump();
    const std::size_t at = release.find(std::to_string(kMark));
    release_begin_ = release.substr(0, at);
    release_end_ = release.substr(at + std::to_string(kMark).size());
    headers_ = curl_slist_append(headers_, "Content-Type: application/json");
    curl_easy_setopt(transfer_, CURLOPT_HTTPHEADER, headers_);
    curl_easy_setopt(transfer_, CURLOPT_WRITEFUNCTION, append);
    curl_easy_setopt(transfer_, CURLOPT_WRITEDATA, &answer_);
  }
  ~Bare() {
    curl_easy_cleanup(transfer_);
    curl_slist_free_all(headers_);
  }
  Bare(const Bare&) = delete;
  Bare& operator=(const Bare&) = delete;

  void acquire() { post(claim_); }

  void release() {
    constexpr std::string_view kField = "\"create_revision\":\"";
    const std::size_t at = answer_.find(kField);
    if (at == std::string::npos) throw ServiceError("no revision in the answer: " + answer_);
    const std::size_t begin = at + kField.size();
    const std::string revision = answer_.substr(begin, answer_.find('"', begin) - begin);
    post(release_begin_ + revision + release_end_);
  }

 private:
  static constexpr std::uint64_t kMark = 123'456'789;  // where the revision goes
  inline static const EtcdNames kNames{.begin = to_base64("lockbench/bare/"),
                                       .end = to_base64("lockbench/bare0"),
                                       .base = to_base64("lockbench/bare-base")};
  inline static const std::string kName = to_base64("lockbench/bare/0123456789012345678");

  static std::size_t append(char* bytes, std::size_t size, std::size_t count, void* to) {
    static_cast<std::string*>(to)->append(bytes, size * count);
    return size * count;
  }

  void post(const std::string& body) {
    answer_.clear();
    curl_easy_setopt(transfer_, CURLOPT_URL, (url_ + kTransaction).c_str());
    curl_easy_setopt(transfer_, CURLOPT_POSTFIELDS, body.c_str());
    const bool done = curl_easy_perform(transfer_) == CURLE_OK;
    if (!done || answer_.find("\"succeeded\":true") == std::string::npos) {
      throw ServiceError("a bare request failed: " + answer_);
    }
  }

  CURL* const transfer_;
  const std::string url_;
  curl_slist* headers_ = nullptr;
  std::string lease_;
  std::string claim_;
  std::string release_begin_;
  std::string release_end_;
  std::string answer_;
};

void run(int blocks) {
  const EtcdGateway::Address members = addresses_of("etcd");
  EtcdLock lock({.members = members, .lease = std::chrono::seconds(10)}, std::chrono::seconds(1));
  Bare bare(members.front());
  CostOfLock(lock, bare).measure(blocks);
}

}  // namespace
}  // namespace lockbench::services

int main(int argc, char** argv) {
  return lockbench::services::cost_main("etcd-lock-cost", argc, argv, lockbench::services::run);
}
