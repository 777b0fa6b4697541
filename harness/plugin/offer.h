// SPDX-License-Identifier: Apache-2.0

// PluginOffer: what a plug-in contains, and the header that identifies a plug-in.
//
// A plug-in is a shared library with one constant of this type under the name `lockbench_plugin`.
// The library passes C++ objects to the program, so compatible compilers must have built both from
// compatible headers. The constant says how the library was built. It is checked before any
// function of the library is called.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/bench/catalog/entry.h"
#include "harness/bench/measure/phases.h"
#include "harness/plugin/version.h"
#include "harness/stress/registered_lock.h"

// A program that needs locks in a form of its own has plug-ins built with a header that defines
// PluginForm: how locks are offered to it in addition, the number of such builds, and what a
// plug-in lacks that was not built so (cmake/lockbench_add_plugin.cmake).
#if defined(LOCKBENCH_PLUGIN_FORM)
#include LOCKBENCH_PLUGIN_FORM
#endif

namespace lockbench {

struct PluginOffer {
  // For trials; empty if built for the simulated engine.
  std::vector<CatalogEntry> entries;
  std::vector<stress::RegisteredLock> locks;  // for the engines of stress
  std::vector<std::string> names;             // as their author gave them
#if defined(LOCKBENCH_PLUGIN_FORM)
  PluginForm form;
#endif
};

// The version of this header and of everything that it includes. Increase it when the meaning of a
// passed object changes. A change of its size is detected without it.
inline constexpr std::uint32_t kPluginAbi = 9;

// The properties that decide whether two builds can exchange objects.
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
  static constexpr std::uint32_t kForSimulation = 1;
#if defined(LOCKBENCH_PLUGIN_FORM)
  static constexpr std::uint32_t kSimulated = PluginForm::kBuiltFor;
#elif defined(LOCKBENCH_SIMULATE)
  static constexpr std::uint32_t kSimulated = kForSimulation;
#else
  static constexpr std::uint32_t kSimulated = 0;
#endif
};

struct PluginHeader {
  std::uint64_t magic;  // kPluginMagic; if it differs, nothing after it is read
  PluginBuild build;
  const char* version;   // the version of the lockbench headers that it was built with
  const char* compiler;  // for messages
  void (*fill)(PluginOffer&);
};

inline constexpr std::uint64_t kPluginMagic = 0x31'6e'69'67'75'6c'50'6c;  // "lPlugin1"
inline constexpr char kPluginSymbol[] = "lockbench_plugin";

}  // namespace lockbench
