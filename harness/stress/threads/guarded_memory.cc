// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/threads/guarded_memory.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <malloc.h>
#include <new>
#include <sys/mman.h>

namespace lockbench::stress::threads {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kPages = 4096;

// Pages in the order in which they are given out.
class Region {
 public:
  // Null if there is no room.
  void* allocate(std::size_t bytes) noexcept {
    if (begin_ == nullptr && !reserve()) return nullptr;
    const std::size_t pages = (bytes + kPage - 1) / kPage;
    // relaxed: only the number counts. The caller passes the memory on.
    const std::size_t first = given_.fetch_add(pages, std::memory_order_relaxed);
    if (first + pages > kPages) return nullptr;
    char* const block = begin_ + first * kPage;
    if (mprotect(block, pages * kPage, PROT_READ | PROT_WRITE) != 0) return nullptr;
    lengths_[first] = static_cast<std::uint16_t>(pages);
    return block;
  }

  void free(void* block) noexcept {
    const auto first = static_cast<std::size_t>(static_cast<char*>(block) - begin_) / kPage;
    mprotect(block, lengths_[first] * kPage, PROT_NONE);
  }

  bool contains(const void* address) const noexcept {
    const auto* const block = static_cast<const char*>(address);
    return begin_ != nullptr && block >= begin_ && block < begin_ + kPages * kPage;
  }

  void reset() noexcept {
    if (begin_ == nullptr) return;
    madvise(begin_, kPages * kPage, MADV_DONTNEED);
    given_.store(0, std::memory_order_relaxed);
  }

 private:
  bool reserve() noexcept {
    void* const all = mmap(nullptr, kPages * kPage, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED) return false;
    begin_ = static_cast<char*>(all);
    return true;
  }

  char* begin_ = nullptr;
  std::atomic<std::size_t> given_{0};
  std::array<std::uint16_t, kPages> lengths_{};
};

// Blocks that were released, in that order.
class Blocks {
 public:
  // False if there is no room for one more.
  bool keep(void* block) noexcept {
    if (!keeps_ || count_ == blocks_.size()) return false;
    blocks_[count_++] = block;
    return true;
  }

  // The first that fits, with little more room than is asked for; null if there is none.
  void* take(std::size_t bytes, std::size_t alignment) noexcept {
    constexpr std::size_t kMostUnused = 32;  // of what malloc() adds
    for (std::size_t i = 0; i < count_; ++i) {
      void* const block = blocks_[i];
      const std::size_t room = malloc_usable_size(block);
      const bool aligned = reinterpret_cast<std::uintptr_t>(block) % alignment == 0;
      if (room < bytes || room > bytes + kMostUnused || !aligned) continue;
      std::copy(blocks_.begin() + i + 1, blocks_.begin() + count_, blocks_.begin() + i);
      --count_;
      return block;
    }
    return nullptr;
  }

  void begin() noexcept { keeps_ = true; }
  void end() noexcept {
    keeps_ = false;
    while (count_ != 0) std::free(blocks_[--count_]);
  }

 private:
  bool keeps_ = false;
  std::size_t count_ = 0;
  std::array<void*, 256> blocks_{};
};

constinit Region region;
constinit thread_local bool guards = false;
constinit thread_local Blocks kept;

}  // namespace

GuardedMemory::GuardedMemory() {
  guards = true;
}

GuardedMemory::~GuardedMemory() {
  guards = false;
}

KeptBlocks::KeptBlocks() {
  kept.begin();
}

KeptBlocks::~KeptBlocks() {
  kept.end();
}

bool GuardedMemory::contains(const void* address) noexcept {
  return region.contains(address);
}

void GuardedMemory::reset() noexcept {
  region.reset();
}

#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)

namespace {

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (bytes == 0) bytes = 1;
  void* block = guards && alignment <= kPage ? region.allocate(bytes) : nullptr;
  if (block == nullptr) block = kept.take(bytes, alignment);
  if (block == nullptr) {
    block = alignment <= alignof(std::max_align_t)
                ? std::malloc(bytes)
                : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  }
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

void release(void* block) noexcept {
  if (region.contains(block)) return region.free(block);
  if (block != nullptr && kept.keep(block)) return;
  std::free(block);
}

}  // namespace

#endif

}  // namespace lockbench::stress::threads

#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)

// The other forms call these.
void* operator new(std::size_t bytes) {
  return lockbench::stress::threads::allocate(bytes, 1);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return lockbench::stress::threads::allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* block) noexcept {
  lockbench::stress::threads::release(block);
}
void operator delete(void* block, std::size_t) noexcept {
  lockbench::stress::threads::release(block);
}
void operator delete(void* block, std::align_val_t) noexcept {
  lockbench::stress::threads::release(block);
}
void operator delete(void* block, std::size_t, std::align_val_t) noexcept {
  lockbench::stress::threads::release(block);
}

#endif
