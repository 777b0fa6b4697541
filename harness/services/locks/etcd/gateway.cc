// SPDX-License-Identifier: Apache-2.0

#include "harness/services/locks/etcd/gateway.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "harness/services/locks/random_text.h"
#include "primitives/service.h"

namespace lockbench::services {
namespace {

using std::chrono::milliseconds;

constexpr char kAuthenticate[] = "/v3/auth/authenticate";

// Status codes of HTTP.
constexpr long kOk = 200;
constexpr long kUnauthorized = 401;
constexpr long kUnavailable = 503;

// The call is not safe from several threads at once.
bool curl_is_ready() {
  static const bool ready = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  return ready;
}

std::size_t append(char* bytes, std::size_t size, std::size_t count, void* to) {
  static_cast<std::string*>(to)->append(bytes, size * count);
  return size * count;
}

// Why the last transfer failed.
std::string reason_of(CURL* transfer, CURLcode code) {
  long error = 0;
  curl_easy_getinfo(transfer, CURLINFO_OS_ERRNO, &error);
  if (error != 0) return std::strerror(static_cast<int>(error));
  return curl_easy_strerror(code);
}

bool cannot_connect(CURLcode code) {
  return code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST;
}

// A server without TLS, or with a certificate that this machine does not trust.
bool is_of_tls(CURLcode code) {
  return code == CURLE_SSL_CONNECT_ERROR || code == CURLE_PEER_FAILED_VERIFICATION ||
         code == CURLE_SSL_CACERT_BADFILE;
}

Json parsed(const std::string& text) {
  return Json::parse(text, nullptr, false);
}

std::string error_in(const std::string& answer) {
  const Json body = parsed(answer);
  for (const char* const name : {"message", "error"}) {
    if (std::string error = text_of(part_of(body, name)); !error.empty()) return error;
  }
  return "does not answer as etcd 3.4 or newer does";
}

// With the headers of HTTP.
void count_bytes(CURL* transfer, RequestCounts& counts) {
  long request = 0;  // its headers and what is sent together with them, which here is all
  long headers = 0;
  curl_off_t received = 0;
  curl_easy_getinfo(transfer, CURLINFO_REQUEST_SIZE, &request);
  curl_easy_getinfo(transfer, CURLINFO_HEADER_SIZE, &headers);
  curl_easy_getinfo(transfer, CURLINFO_SIZE_DOWNLOAD_T, &received);
  add_to(counts.bytes_sent, static_cast<std::uint64_t>(request));
  add_to(counts.bytes_received, static_cast<std::uint64_t>(headers + received));
}

long status_of(CURL* transfer) {
  long status = 0;
  curl_easy_getinfo(transfer, CURLINFO_RESPONSE_CODE, &status);
  return status;
}

}  // namespace

EtcdGateway::EtcdGateway(const Address& members, RequestCounts& counts)
    : members_(members),
      counts_(counts),
      member_(random_numbers()[0] % members.size()),
      requests_(curl_is_ready() ? new_transfer() : nullptr),
      waits_(curl_multi_init()) {
  if (requests_ == nullptr || waits_ == nullptr) refuse("not enough memory for a connection");
  curl_easy_setopt(requests_.get(), CURLOPT_TIMEOUT_MS,
                   static_cast<long>(milliseconds(kPatience).count()));
  curl_easy_setopt(requests_.get(), CURLOPT_WRITEDATA, &answer_);
  set_headers();
}

EtcdGateway::Transfer EtcdGateway::new_transfer() {
  Transfer transfer(curl_easy_init());
  CURL* const easy = transfer.get();
  if (easy == nullptr) return nullptr;
  // No signals: neither for time that is up, nor for connections that are lost.
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_PROXY, "");
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                   static_cast<long>(milliseconds(kPatience).count()));
  // As OpenSSL's programs take it: libcurl reads the system's certificates alone.
  if (const char* const trusted = std::getenv("SSL_CERT_FILE"); trusted != nullptr) {
    curl_easy_setopt(easy, CURLOPT_CAINFO, trusted);
  }
  // A connection is used however long it was idle.
  curl_easy_setopt(easy, CURLOPT_MAXAGE_CONN, 1L << 30);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, append);
  return transfer;
}

void EtcdGateway::set_headers() {
  Headers headers(curl_slist_append(nullptr, "Content-Type: application/json"));
  // Otherwise a longer request would wait for the permission to be sent.
  curl_slist_append(headers.get(), "Expect:");
  if (!token_.empty()) curl_slist_append(headers.get(), ("Authorization: " + token_).c_str());
  curl_easy_setopt(requests_.get(), CURLOPT_HTTPHEADER, headers.get());
  headers_ = std::move(headers);
}

void EtcdGateway::set_url(CURL* transfer, const char* path) const {
  const bool ipv6 = member().host.find(':') != std::string::npos;
  const std::string host = ipv6 ? "[" + member().host + "]" : member().host;
  const std::string url =
      (member().tls ? "https://" : "http://") + host + ":" + std::to_string(member().port) + path;
  curl_easy_setopt(transfer, CURLOPT_URL, url.c_str());
}

void EtcdGateway::refuse(const std::string& why) const {
  throw ServiceError("etcd at " + member().text() + ": " + why);
}

// Asks one server. Without `posted`: a GET. Returns why there is no answer; empty: there is one.
std::string EtcdGateway::attempt(const char* path, const std::string* posted) {
  CURL* const easy = requests_.get();
  if (posted == nullptr) {
    curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L);
  } else {
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, posted->data());
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, static_cast<long>(posted->size()));
  }
  set_url(easy, path);
  answer_.clear();
  const CURLcode code = curl_easy_perform(easy);
  // A GET asks about the server, for example its metrics: much text, and not for a lock.
  if (posted != nullptr) count_bytes(easy, counts_);
  if (cannot_connect(code)) {
    return "cannot connect: " + reason_of(easy, code) +
           "; start the server, or name another by --service";
  }
  if (is_of_tls(code)) return "cannot connect by TLS: " + std::string(curl_easy_strerror(code));
  if (code != CURLE_OK) return "no answer, or the connection was lost; look at the server's log";
  if (status_of(easy) == kUnavailable) return error_in(answer_);
  return {};
}

// Throws ServiceError if there is no answer. Returns whether the request may have been taken twice.
bool EtcdGateway::perform(const char* path, const std::string* posted) {
  const std::size_t attempts = std::max<std::size_t>(members_.size(), 2);
  bool may_have_arrived = false;
  for (std::size_t left = attempts;; --left) {
    const std::string why = attempt(path, posted);
    long connections = 0;  // curl itself asks again if it finds that its connection is lost
    curl_easy_getinfo(requests_.get(), CURLINFO_NUM_CONNECTS, &connections);
    const bool reconnected = connected_before_ && connections > 0;
    if (why.empty()) {
      if (reconnected) counts_.reconnects.fetch_add(1, std::memory_order_relaxed);
      connected_before_ = true;
      counts_.round_trips.fetch_add(1, std::memory_order_relaxed);
      return may_have_arrived || reconnected;
    }
    if (left == 1) refuse(why);
    may_have_arrived = true;
    member_ = (member_ + 1) % members_.size();
  }
}

void EtcdGateway::authenticate() {
  const std::string account = Json{{"name", member().user}, {"password", member().password}}.dump();
  perform(kAuthenticate, &account);
  if (status_of(requests_.get()) != kOk) refuse("refuses the account: " + error_in(answer_));
  token_ = text_of(part_of(parsed(answer_), "token"));
  set_headers();
}

EtcdAnswer EtcdGateway::post(const char* path, const std::string& body) {
  const bool sent_again = perform(path, &body);
  EtcdAnswer answer{.body = parsed(answer_), .error = {}, .sent_again = sent_again};
  if (status_of(requests_.get()) != kOk) answer.error = error_in(answer_);
  return answer;
}

EtcdAnswer EtcdGateway::ask(const char* path, const Json& body) {
  const std::string text = body.dump();
  if (has_account() && token_.empty()) authenticate();
  EtcdAnswer answer = post(path, text);
  if (!has_account() || status_of(requests_.get()) != kUnauthorized) return answer;
  // A server that was restarted does not know the token any more.
  authenticate();
  return post(path, text);
}

Json EtcdGateway::request(const char* path, const Json& body) {
  EtcdAnswer answer = ask(path, body);
  if (!answer.error.empty()) refuse(answer.error);
  return std::move(answer.body);
}

std::string EtcdGateway::get(const char* path) {
  perform(path, nullptr);
  if (status_of(requests_.get()) != kOk) refuse(error_in(answer_));
  return answer_;
}

void EtcdGateway::end_post(CURL* transfer) {
  curl_multi_remove_handle(waits_.get(), transfer);
  count_bytes(transfer, counts_);
}

EtcdGateway::Transfer EtcdGateway::new_post(const char* path, const std::string& body,
                                            std::string& answer) const {
  Transfer transfer = new_transfer();
  CURL* const easy = transfer.get();
  if (easy == nullptr) refuse("not enough memory for a connection");
  set_url(easy, path);
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers_.get());
  curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body.data());
  curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, static_cast<long>(body.size()));
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &answer);
  return transfer;
}

}  // namespace lockbench::services
