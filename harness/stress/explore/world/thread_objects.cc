// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/explore/world/thread_objects.h"

#include <algorithm>
#include <iterator>

namespace lockbench::stress::explore {
namespace {

template <class Pointer>
AddressRange range_of_pointer(Pointer* const& pointer) {
  const auto begin = reinterpret_cast<std::uintptr_t>(&pointer);
  return {begin, begin + sizeof pointer};
}

}  // namespace

void ThreadObjects::clear() {
  blocks_.clear();
  made_.clear();
  at_end_.clear();
}

std::byte* ThreadObjects::block(std::uint32_t thread, std::size_t module) const {
  for (const Block& block : blocks_) {
    if (block.thread == thread && block.module == module) return block.location;
  }
  return nullptr;
}

void ThreadObjects::add_block(std::uint32_t thread, std::size_t module, std::byte* block) {
  blocks_.push_back({thread, module, block});
}

void* ThreadObjects::made_by(Maker maker, std::uint32_t thread) const {
  for (const Made& made : made_) {
    if (made.thread == thread && made.maker == maker) return made.object;
  }
  return nullptr;
}

void ThreadObjects::add_made(Maker maker, std::uint32_t thread, void* object) {
  made_.push_back({thread, maker, object});
}

std::optional<ThreadObjects::AtEnd> ThreadObjects::take_at_end(std::uint32_t thread) {
  const auto last = std::find_if(at_end_.rbegin(), at_end_.rend(),
                                 [=](const AtEnd& one) { return one.thread == thread; });
  if (last == at_end_.rend()) return std::nullopt;
  const AtEnd one = *last;
  at_end_.erase(std::next(last).base());
  return one;
}

void ThreadObjects::add_roots(std::vector<AddressRange>& roots) const {
  for (const Block& block : blocks_) roots.push_back(range_of_pointer(block.location));
  for (const AtEnd& one : at_end_) roots.push_back(range_of_pointer(one.object));
  for (const Made& made : made_) roots.push_back(range_of_pointer(made.object));
}

}  // namespace lockbench::stress::explore
