// SPDX-License-Identifier: Apache-2.0

// PluginOffer: what a plug-in brings, and the header by which it is recognised.
//
// A plug-in is a shared library with one constant of this type under the name `lockbench_plugin`.
// What it brings crosses from library to program as C++ objects, so both must have been made by
// like compilers from like headers: the constant tells what the library was made of, and is looked
// at before any of its functions is called.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/catalog/entry.h"
#include "harness/measure/phases.h"
#include "harness/plugin/version.h"
#include "harness/stress/registered_lock.h"

namespace lockbench {

struct PluginOffer {
  std::vector<CatalogEntry> entries;          // for trials; none when built for simulation
  std::vector<stress::RegisteredLock> locks;  // for the engines of stress
};

// Of this header and all that it includes. Grows when what crosses changes its meaning; what
// changes its size is noticed without.
inline constexpr std::uint32_t kPluginAbi = 2;

// What decides whether two builds understand each other's objects.
struct PluginBuild {
  std::uint32_t abi = kPluginAbi;
  std::uint32_t standard_library = _GLIBCXX_RELEASE;  // libstdc++'s
  std::uint32_t dual_abi = _GLIBCXX_USE_CXX11_ABI;
  std::uint32_t sizes = sizeof(CatalogEntry) + 3 * sizeof(Trial) + 5 * sizeof(WorkloadSettings) +
                        7 * sizeof(ThreadReport) + 11 * sizeof(TrialPhases) +
                        13 * sizeof(Arguments) + 17 * sizeof(stress::RegisteredLock) +
                        19 * sizeof(Proof);
  std::uint32_t sanitizer = kSanitizer;
  std::uint32_t simulated = kSimulated;

  bool operator==(const PluginBuild&) const = default;

  static constexpr std::uint32_t kAddressSanitizer = 1;
#if defined(__SANITIZE_ADDRESS__)
  static constexpr std::uint32_t kSanitizer = kAddressSanitizer;
#elif defined(__SANITIZE_THREAD__) && !defined(LOCKBENCH_INSTRUMENTED)
  static constexpr std::uint32_t kSanitizer = 2;
#else
  static constexpr std::uint32_t kSanitizer = 0;
#endif
#if defined(LOCKBENCH_SIMULATE)
  static constexpr std::uint32_t kSimulated = 1;
#else
  static constexpr std::uint32_t kSimulated = 0;
#endif
};

struct PluginHeader {
  std::uint64_t magic;  // kPluginMagic; what it is not followed by is not read
  PluginBuild build;
  const char* version;   // of lockbench, whose headers it was built with
  const char* compiler;  // for people
  void (*fill)(PluginOffer&);
};

inline constexpr std::uint64_t kPluginMagic = 0x31'6e'69'67'75'6c'50'6c;  // "lPlugin1"
inline constexpr char kPluginSymbol[] = "lockbench_plugin";

}  // namespace lockbench
