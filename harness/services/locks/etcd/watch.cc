// SPDX-License-Identifier: Apache-2.0

#include "harness/services/locks/etcd/watch.h"

#include <algorithm>
#include <sys/socket.h>

#include "harness/services/locks/etcd/requests.h"

namespace lockbench::services {
namespace {

using std::chrono::milliseconds;

// The connection is not kept for a minute after its end: ports would run out.
int reset_at_end(void*, curl_socket_t number, curlsocktype) {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  setsockopt(number, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  return CURL_SOCKOPT_OK;
}

}  // namespace

EtcdWatch::EtcdWatch(EtcdGateway& gateway, const std::string& key, const std::string& end)
    : gateway_(gateway),
      body_(watch_request(key, end).dump()),
      transfer_(gateway.new_post("/v3/watch", body_, received_)) {
  curl_easy_setopt(transfer_.get(), CURLOPT_SOCKOPTFUNCTION, reset_at_end);
  curl_multi_add_handle(gateway_.waits(), transfer_.get());
}

EtcdWatch::~EtcdWatch() {
  gateway_.end_post(transfer_.get());
}

// How many lines the server has sent, each a message, when there are `count` or the deadline is
// over. -1: there are fewer, and no more will come.
std::ptrdiff_t EtcdWatch::await_lines(std::ptrdiff_t count, Clock::time_point deadline) {
  for (;;) {
    int running = 0;
    curl_multi_perform(gateway_.waits(), &running);
    const std::ptrdiff_t lines = std::count(received_.begin(), received_.end(), '\n');
    if (lines >= count) return lines;
    if (running == 0) return -1;
    const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return lines;
    curl_multi_poll(gateway_.waits(), nullptr, 0, static_cast<int>(left), nullptr);
  }
}

std::optional<std::uint64_t> EtcdWatch::await_begin(Clock::time_point deadline) {
  if (await_lines(1, deadline) < 1) return std::nullopt;
  const Json first = Json::parse(
      received_.begin(), std::find(received_.begin(), received_.end(), '\n'), nullptr, false);
  const Json& result = part_of(first, "result");
  if (part_of(result, "created") != true || part_of(result, "canceled") == true) {
    return std::nullopt;
  }
  gateway_.counts().round_trips.fetch_add(1, std::memory_order_relaxed);
  return number_of(part_of(part_of(result, "header"), "revision"));
}

void EtcdWatch::await_event(Clock::time_point deadline) {
  await_lines(2, deadline);
}

}  // namespace lockbench::services
