// SPDX-License-Identifier: Apache-2.0

// HugeMemory: a block of zeros, in pages so large that looking up any word of it costs no walk
// through the kernel's tables.
//
// A search looks up millions of markings all over some hundred megabytes; with pages of 4 KiB each
// look-up would miss the processor's own table of pages, too. Where the kernel gives no large pages
// the block exists anyway. Pages that are never written take no memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <sys/mman.h>
#include <utility>

namespace lockbench::platform {

// For a type T that has a value with all bits zero.
template <class T>
class HugeMemory {
 public:
  HugeMemory() = default;

  // Throws std::bad_alloc.
  explicit HugeMemory(std::size_t count) : bytes_(count * sizeof(T) + kPage) {
    mapped_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped_ == MAP_FAILED) throw std::bad_alloc();
    const auto begin = reinterpret_cast<std::uintptr_t>(mapped_);
    objects_ = reinterpret_cast<T*>((begin + kPage - 1) / kPage * kPage);
    if (count * sizeof(T) >= kPage) madvise(objects_, count * sizeof(T), MADV_HUGEPAGE);
  }

  HugeMemory(HugeMemory&& other) noexcept { *this = std::move(other); }
  HugeMemory& operator=(HugeMemory&& other) noexcept {
    std::swap(mapped_, other.mapped_);
    std::swap(objects_, other.objects_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~HugeMemory() {
    if (bytes_ != 0) munmap(mapped_, bytes_);
  }

  T& operator[](std::size_t i) const { return objects_[i]; }

 private:
  static constexpr std::size_t kPage = 2U << 20;

  void* mapped_ = nullptr;
  T* objects_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace lockbench::platform
