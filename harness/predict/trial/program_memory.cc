// SPDX-License-Identifier: Apache-2.0

#include "harness/predict/trial/program_memory.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <sys/mman.h>

#include "harness/predict/machine/simulation.h"
#include "harness/stress/simulated/program_memory.h"
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
      "lockbench-predicted-trial: the simulated program needs more than 16 GiB, or the system has "
      "no such range of addresses\n",
      stderr);
  std::_Exit(1);
}

std::byte* carve(std::size_t bytes, std::size_t alignment) {
  used = (used + alignment - 1) / alignment * alignment;
  std::byte* const block = region + used;
  used += bytes;
  if (used > kRegionBytes) out_of_memory();
  return block;
}

std::size_t owner() {
  const machine::Simulation* const simulation = machine::Simulation::current();
  return simulation == nullptr ? 0
                               : std::min<std::size_t>(simulation->thread() + 1, kMostOwners - 1);
}

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (region == nullptr) {
    void* const block = std::aligned_alloc(alignment, (bytes + alignment) / alignment * alignment);
    return block == nullptr ? throw std::bad_alloc() : block;
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

bool is_in_region(const void* address) {
  const auto* const byte = static_cast<const std::byte*>(address);
  return region != nullptr && byte >= region && byte < region + kRegionBytes;
}

const Header& header_of(const void* block) {
  return *reinterpret_cast<const Header*>(static_cast<const std::byte*>(block) - sizeof(Header));
}

void release(void* block) {
  if (!is_in_region(block)) return std::free(block);
  Free*& first = free_blocks[owner()][header_of(block).size_class];
  first = new (block) Free{first};
}

}  // namespace

void begin_program_memory() {
  void* const mapped =
      mmap(reinterpret_cast<void*>(kUsualAddress), kRegionBytes, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) out_of_memory();
  region = static_cast<std::byte*>(mapped);
}

std::span<std::byte> stack_memory() {
  return {carve(kStackBytes, 4096), kStackBytes};
}

std::byte* zeroed_lines(std::size_t bytes) {
  const std::size_t lines = (bytes + kLine - 1) / kLine * kLine;
  return static_cast<std::byte*>(std::memset(carve(lines, kLine), 0, lines));
}

}  // namespace lockbench::predict

// ---- the same memory for malloc() and similar functions in a lock (simulated/wrapped_memory.cc)

namespace lockbench::stress::explore {

bool is_of_program(const void* address) {
  return predict::is_in_region(address);
}

void* allocate_for_program(std::size_t bytes, std::size_t alignment) {
  return predict::allocate(bytes, alignment);
}

// The stores of the running thread to the block that others do not see yet are never made: the
// memory may be used for something else.
void release_of_program(void* block) {
  if (machine::Simulation* const simulation = machine::Simulation::current()) {
    simulation->forget_stores(block, static_cast<unsigned>(size_in_program(block)));
  }
  predict::release(block);
}

std::size_t size_in_program(const void* allocated) {
  return predict::bytes_of_class(predict::header_of(allocated).size_class);
}

}  // namespace lockbench::stress::explore

// operator delete of a plug-in, which is linked with --wrap for it.
// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming)
extern "C" {

void __wrap__ZdlPv(void* block) {
  namespace explore = lockbench::stress::explore;
  explore::is_of_program(block) ? explore::release_of_program(block)
                                : lockbench::predict::release(block);
}
void __wrap__ZdlPvm(void* block, std::size_t) {
  __wrap__ZdlPv(block);
}
void __wrap__ZdlPvSt11align_val_t(void* block, std::align_val_t) {
  __wrap__ZdlPv(block);
}
void __wrap__ZdlPvmSt11align_val_t(void* block, std::size_t, std::align_val_t) {
  __wrap__ZdlPv(block);
}
// operator delete[]
void __wrap__ZdaPv(void* block) {
  __wrap__ZdlPv(block);
}
void __wrap__ZdaPvm(void* block, std::size_t) {
  __wrap__ZdlPv(block);
}
void __wrap__ZdaPvSt11align_val_t(void* block, std::align_val_t) {
  __wrap__ZdlPv(block);
}
void __wrap__ZdaPvmSt11align_val_t(void* block, std::size_t, std::align_val_t) {
  __wrap__ZdlPv(block);
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)

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
void operator delete(void* block) noexcept {
  lockbench::predict::release(block);
}
void operator delete(void* block, std::size_t) noexcept {
  lockbench::predict::release(block);
}
void operator delete(void* block, std::align_val_t) noexcept {
  lockbench::predict::release(block);
}
void operator delete(void* block, std::size_t, std::align_val_t) noexcept {
  lockbench::predict::release(block);
}
void operator delete[](void* block) noexcept {
  lockbench::predict::release(block);
}
void operator delete[](void* block, std::size_t) noexcept {
  lockbench::predict::release(block);
}
void operator delete[](void* block, std::align_val_t) noexcept {
  lockbench::predict::release(block);
}
void operator delete[](void* block, std::size_t, std::align_val_t) noexcept {
  lockbench::predict::release(block);
}
