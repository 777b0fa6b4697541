// SPDX-License-Identifier: Apache-2.0

// ZooKeeperLock: a lock per key at ZooKeeper, by the recipe of its manual.
//
// A client that wants a key makes an ephemeral sequential node below the node of the key. Who has
// the lowest number has the lock. Each other client watches the node with the next lower number, so
// a release wakes one client and no herd.
//
// Guarantees   one holder of a key as long as the servers keep what they confirmed and no holder
//              acts after its session. FIFO order of those that wait by lock() or with a timeout.
//              Tokens grow with every hold of a key: the token is the time in µs when the key's
//              node was made, by the server's clock, and the number of the holder's node. So it
//              also grows if the server removes the key's node or forgets everything, unless its
//              clock goes back.
//              A lost connection loses no hold as long as the session goes on, and leaves no node
//              behind that nobody knows (claim.h); zookeeper_as_published does not look for it.
// Not offered  safety of a holder that is late: the resource must check the token (fence.h).
//              Recursion. More than 2^31 holds of a key whose node stays. Sessions that are shorter
//              or longer than the server allows, usually 4 to 40 s.
// Requires     the rules of primitives/service.h. ZooKeeper 3.5 or newer.
// fork()       children may use the primitive; each has its own sessions.
// Cost         three requests for an uncontended hold, two of which are sent together; two more for
//              the first hold of a key. Two for a wait: the watch, and one look after it. A session
//              for each claim that waits or holds, with two threads of ZooKeeper's library.
// Source       ZooKeeper's manual, "ZooKeeper Recipes and Solutions", section "Locks", with the
//              note on recoverable errors and the GUID.
#pragma once

#include "harness/services/locks/queue_lock.h"
#include "harness/services/locks/zookeeper/claim.h"
#include "harness/services/locks/zookeeper/queues.h"

namespace lockbench::services {

using ZooKeeperLock = QueueLock<ZooKeeperQueues>;

}  // namespace lockbench::services
