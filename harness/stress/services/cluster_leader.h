// SPDX-License-Identifier: Apache-2.0

// Which member leads a cluster of etcd or ZooKeeper.
#pragma once

#include <netinet/in.h>
#include <string_view>

namespace lockbench::stress::services {

// Whether this member says that it leads its cluster. False: it does not answer, too.
bool leads_cluster(std::string_view service, const sockaddr_in& member);

}  // namespace lockbench::stress::services
