// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/explore/world/access_log.h"

#include <algorithm>
#include <unwind.h>
#include <utility>

namespace lockbench::stress::explore {
namespace {

struct Walk {
  CallStack stack{};
  std::size_t size = 0;
};

_Unwind_Reason_Code add_frame(_Unwind_Context* context, void* data) {
  auto& walk = *static_cast<Walk*>(data);
  if (walk.size == walk.stack.size()) return _URC_END_OF_STACK;
  walk.stack[walk.size++] = reinterpret_cast<const void*>(_Unwind_GetIP(context));
  return _URC_NO_REASON;
}

bool same(const Access& a, const Access& b) {
  return a.thread == b.thread && a.kind == b.kind && a.word == b.word && a.was == b.was &&
         a.now == b.now && a.order == b.order && a.events == b.events;
}

}  // namespace

CallStack call_stack() {
  Walk walk;
  _Unwind_Backtrace(add_frame, &walk);
  return walk.stack;
}

void AccessLog::reset(bool on) {
  on_ = on;
  started_ = false;
  expects_handle_ = false;
  accesses_.clear();
  blocks_.clear();
  left_out_.clear();
}

void AccessLog::leave_out(const void* begin, std::size_t bytes) {
  if (on_) left_out_.push_back({.begin = static_cast<const std::byte*>(begin), .bytes = bytes});
}

bool AccessLog::keeps(const void* word) const {
  return started_ && std::none_of(left_out_.begin(), left_out_.end(),
                                  [word](const Block& block) { return block.contains(word); });
}

void AccessLog::add(Access access) {
  if (!keeps(access.word)) return;
  if (!accesses_.empty() && same(accesses_.back(), access)) {
    ++accesses_.back().times;
    return;
  }
  access.stack = call_stack();
  accesses_.push_back(access);
}

void AccessLog::add_block(Block block) {
  block.stack = call_stack();
  block.is_handle = std::exchange(expects_handle_, false);
  blocks_.push_back(block);
}

}  // namespace lockbench::stress::explore
