// SPDX-License-Identifier: Apache-2.0

#include "harness/predict/program_memory.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <sys/mman.h>

#include "harness/machine/simulation.h"
#include "primitives/platform/layout.h"

namespace lockbench::predict {
namespace {

constexpr std::size_t kRegionBytes = std::size_t{16} << 30;  // of addresses, not of memory
constexpr std::uintptr_t kUsualAddress = 0x2000'0000'0000;
constexpr std::size_t kStackBytes = 128 << 10;
constexpr std::size_t kLine = platform::kCacheLine;

// Before each block. The block itself begins at a multiple of its alignment.
struct alignas(16) Header {
  std::uint32_t size_class;
};

struct Free {
  Free* next;
};

// Size classes: powers of two, and their halves in between.
constexpr std::uint32_t kClasses = 2 * 48;

constexpr std::size_t bytes_of_class(std::uint32_t size_class) {
  const std::size_t whole = std::size_t{16} << (size_class / 2);
  return size_class % 2 == 0 ? whole : whole + whole / 2;
}

constexpr std::uint32_t class_for(std::size_t bytes) {
  std::uint32_t size_class =
      bytes <= 16 ? 0 : 2 * (static_cast<std::uint32_t>(std::bit_width((bytes - 1) / 16)) - 1);
  while (bytes_of_class(size_class) < bytes) ++size_class;
  return size_class;
}

constexpr std::size_t kMostOwners = 1025;  // threads, and what runs before and after them

std::byte* region = nullptr;
std::size_t used = 0;
std::array<std::array<Free*, kClasses>, kMostOwners> free_blocks{};

[[noreturn]] void out_of_memory() {
  std::fputs(
      "lockbench-predict: the simulated program needs more than 16 GiB, or the system has "
      "no such range of addresses\n",
      stderr);
  std::_Exit(1);
}

std::byte* carve(std::size_t bytes, std::size_t alignment) {
  used = (used + alignment - 1) / alignment * alignment;
  std::byte* const place = region + used;
  used += bytes;
  if (used > kRegionBytes) out_of_memory();
  return place;
}

std::size_t owner() {
  const machine::Simulation* const simulation = machine::Simulation::current();
  return simulation == nullptr ? 0
                               : std::min<std::size_t>(simulation->thread() + 1, kMostOwners - 1);
}

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (region == nullptr) {
    void* const place = std::aligned_alloc(alignment, (bytes + alignment) / alignment * alignment);
    return place == nullptr ? throw std::bad_alloc() : place;
  }
  const std::uint32_t size_class = class_for(std::max(bytes, alignment));
  Free*& first = free_blocks[owner()][size_class];
  if (first != nullptr) {
    Free* const taken = first;
    first = taken->next;
    return taken;
  }
  const std::size_t whole = bytes_of_class(size_class);
  const std::size_t begins = std::max<std::size_t>(alignment, whole >= kLine ? kLine : 16);
  std::byte* const header = carve(begins + whole, begins);
  std::byte* const block = header + begins;
  new (block - sizeof(Header)) Header{size_class};
  return block;
}

void release(void* place) {
  const auto* const block = static_cast<std::byte*>(place);
  if (region == nullptr || block < region || block >= region + kRegionBytes) {
    return std::free(place);
  }
  const Header& header = *reinterpret_cast<const Header*>(block - sizeof(Header));
  Free*& first = free_blocks[owner()][header.size_class];
  first = new (place) Free{first};
}

}  // namespace

void begin_program_memory() {
  void* const place =
      mmap(reinterpret_cast<void*>(kUsualAddress), kRegionBytes, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) out_of_memory();
  region = static_cast<std::byte*>(place);
}

std::span<std::byte> stack_memory() {
  return {carve(kStackBytes, 4096), kStackBytes};
}

}  // namespace lockbench::predict

void* operator new(std::size_t bytes) {
  return lockbench::predict::allocate(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return lockbench::predict::allocate(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes) {
  return ::operator new(bytes);
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return ::operator new(bytes, alignment);
}
void operator delete(void* place) noexcept {
  lockbench::predict::release(place);
}
void operator delete(void* place, std::size_t) noexcept {
  lockbench::predict::release(place);
}
void operator delete(void* place, std::align_val_t) noexcept {
  lockbench::predict::release(place);
}
void operator delete(void* place, std::size_t, std::align_val_t) noexcept {
  lockbench::predict::release(place);
}
void operator delete[](void* place) noexcept {
  lockbench::predict::release(place);
}
void operator delete[](void* place, std::size_t) noexcept {
  lockbench::predict::release(place);
}
void operator delete[](void* place, std::align_val_t) noexcept {
  lockbench::predict::release(place);
}
void operator delete[](void* place, std::size_t, std::align_val_t) noexcept {
  lockbench::predict::release(place);
}
