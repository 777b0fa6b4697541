// SPDX-License-Identifier: Apache-2.0

// Which member leads a cluster of etcd or ZooKeeper.
#pragma once

#include <cstdint>
#include <string_view>

namespace lockbench::stress::services {

// Whether the member at this port says that it leads its cluster. False: it does not answer, too.
bool leads_cluster(std::string_view service, std::uint16_t port);

}  // namespace lockbench::stress::services
