// SPDX-License-Identifier: Apache-2.0

// The scripts of RedisLock and RedisSemaphore, each one round trip. What is the same in each
// request is in their texts, which are sent once.
#pragma once

#include <string>

#include "harness/services/locks/redis/script.h"

namespace lockbench::services {

// The name of a client's channel is the prefix of the lock's names, this, and the listener's text.
inline constexpr char kChannels[] = "free:";

// A token is kept for so long after a hold, in ms, after which it comes from the server's clock
// alone; and a queue after the last wait.
inline constexpr char kKept[] = R"(
local kept = 600000)";

// The acts of a request that must wait, in the scripts below.
inline constexpr char kWaitInQueue[] = R"(
  if ARGV[3] == 'tail' then redis.call('RPUSH', KEYS[3], ARGV[1] .. ARGV[5]) end
  if ARGV[3] == 'head' then redis.call('LPUSH', KEYS[3], ARGV[1] .. ARGV[5]) end
  if ARGV[3] ~= 'leave' then redis.call('PEXPIRE', KEYS[3], kept) end)";

// The end of a script that gets the key: leaves the queue, and returns a token beyond the last one.
inline constexpr char kTakeToken[] = R"(
if ARGV[3] ~= 'leave' then redis.call('LREM', KEYS[3], 0, ARGV[1] .. ARGV[5]) end
local instant = redis.call('TIME')
local token = instant[1] * 1000000 + instant[2]
local last = tonumber(redis.call('GET', KEYS[2]) or '0')
if token <= last then token = last + 1 end
redis.call('SET', KEYS[2], string.format('%.0f', token), 'PX', kept)
return token)";

// KEYS: the lock, its last token, the queue of those that wait. ARGV: value, lease in ms, what to
// do if others hold the key: `leave`, go to the `tail` or the `head` of the queue, or `stay` where
// it is; the capacity, and unless it is to `leave`, who listens for it. In the queue are values and
// listeners, each of 22 characters. A value that is there already is that of a request whose answer
// was lost. Returns the token, or less than 0: how long the holder's lease still lasts, in ms.
inline Script& acquire_script() {
  static Script script(std::string(kKept) + R"(
local held = redis.call('GET', KEYS[1])
if held and held ~= ARGV[1] then)" +
                       kWaitInQueue +
                       R"(
  return -math.max(redis.call('PTTL', KEYS[1]), 1)
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]))" +
                       kTakeToken);
  return script;
}

// The end of a script that leaves the key free. KEYS: the lock, the queue. Wakes the first in the
// queue whose client still listens, by a message with its value, and returns 1.
inline std::string wake_first() {
  return std::string(R"(
local channels = string.match(KEYS[1], '^.-:.-:') .. ')") +
         kChannels + R"('
local next
repeat
  next = redis.call('LPOP', KEYS[2])
until not next or
      redis.call('PUBLISH', channels .. string.sub(next, 23), string.sub(next, 1, 22)) > 0
return 1)";
}

// Returns 0 if the hold had ended.
inline Script& release_script() {
  static Script script(std::string(R"(
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1]))") +
                       wake_first());
  return script;
}

// The script for a client that waits no longer. ARGV: its value and listener as they are in the
// queue, and the capacity. If it was woken already and the key is free, it wakes the next one
// instead; else returns 0.
inline Script& leave_script() {
  static Script script(std::string(R"(
if redis.call('LREM', KEYS[2], 0, ARGV[1]) > 0 then return 0 end
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end)") +
                       wake_first());
  return script;
}

// KEYS: the lock. ARGV: value, lease in ms. Returns 1, or 0 if the hold had ended.
inline Script& renew_script() {
  static Script script(R"(
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2]))");
  return script;
}

// ---- for several holders: a sorted set of their values, by the server's time at which their
// leases end, in ms. KEYS and ARGV are the same, with the capacity among ARGV.

// Sets `now`, and removes those whose lease is over.
inline constexpr char kRemoveLate[] = R"(
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now))";

inline Script& semaphore_acquire_script() {
  static Script script(std::string(kKept) + kRemoveLate + R"(
local held = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not held and redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[4]) then)" +
                       kWaitInQueue +
                       R"(
  local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
  return -math.max(tonumber(first[2]) - now, 1)
end
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2]))" +
                       kTakeToken);
  return script;
}

inline Script& semaphore_release_script() {
  static Script script(std::string(kRemoveLate) + R"(
if redis.call('ZREM', KEYS[1], ARGV[1]) == 0 then return 0 end)" +
                       wake_first());
  return script;
}

inline Script& semaphore_leave_script() {
  static Script script(R"(
if redis.call('LREM', KEYS[2], 0, ARGV[1]) > 0 then return 0 end)" +
                       std::string(kRemoveLate) + R"(
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end)" +
                       wake_first());
  return script;
}

inline Script& semaphore_renew_script() {
  static Script script(std::string(kRemoveLate) + R"(
if not redis.call('ZSCORE', KEYS[1], ARGV[1]) then return 0 end
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
return redis.call('PEXPIRE', KEYS[1], ARGV[2]))");
  return script;
}

// All scripts of a lock.
struct LockScripts {
  Script& acquire;
  Script& release;
  Script& leave;
  Script& renew;
};

inline LockScripts lock_scripts(bool several_holders) {
  if (several_holders) {
    return {semaphore_acquire_script(), semaphore_release_script(), semaphore_leave_script(),
            semaphore_renew_script()};
  }
  return {acquire_script(), release_script(), leave_script(), renew_script()};
}

}  // namespace lockbench::services
