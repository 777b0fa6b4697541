// SPDX-License-Identifier: Apache-2.0

#include "harness/plugin/load.h"

#include <algorithm>
#include <dlfcn.h>
#include <set>
#include <string_view>
#include <system_error>

#include "harness/plugin/c_table.h"

namespace lockbench {
namespace {

namespace fs = std::filesystem;

absl::Status refuse(const fs::path& file, const std::string& why) {
  return absl::InvalidArgumentError("plug-in " + file.string() + ": " + why);
}

// The loader's message, without the file name at its start.
std::string loader_error(const fs::path& file) {
  std::string said = dlerror();
  const std::string prefix = file.string() + ": ";
  if (said.starts_with(prefix)) said.erase(0, prefix.size());
  return said;
}

absl::StatusOr<void*> open_library(const fs::path& file) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (!fs::exists(status)) {
    return refuse(file, "no such file; name what lockbench_add_plugin() built");
  }
  if (fs::is_directory(status)) {
    return refuse(file, "a folder; name a plug-in's file in it");
  }
  // An absolute path: the loader would look for a bare name in the system's library folders.
  const fs::path whole = fs::absolute(file, error);
  void* const library = dlopen(whole.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return refuse(file, "cannot be loaded (" + loader_error(whole) +
                            "); name a shared library that is whole, as lockbench_add_plugin() "
                            "builds them");
  }
  return library;
}

std::string version_text(const PluginHeader& header) {
  return std::string("it was built with lockbench ") + header.version + " by GNU " +
         header.compiler;
}

// `wanted`: as PluginBuild::simulated.
std::string wrong_simulation(const fs::path& file, std::uint32_t wanted) {
#if defined(LOCKBENCH_PLUGIN_FORM)
  if (wanted == PluginForm::kBuiltFor) return PluginForm::kWhatIsMissing;
#endif
  if (wanted == PluginBuild::kForSimulation) {
    return "not built for simulation; give lockbench_add_plugin() SIMULATE";
  }
  const std::string form = file.stem().extension().string();
  return "built for simulation; name the file without " + (form.empty() ? ".sim" : form) +
         " in its name";
}

absl::Status check_build(const fs::path& file, const PluginHeader& header,
                         const PluginBuild& wanted) {
  if (header.magic != kPluginMagic) {
    return refuse(file,
                  "its `lockbench_plugin` is no plug-in's header; end its source with "
                  "LOCKBENCH_PRIMITIVE");
  }
  // The ABI number comes first in every version. The fields after it can be read only if the builds
  // are compatible.
  if (header.build.abi != wanted.abi) {
    return refuse(file, "of plug-in interface " + std::to_string(header.build.abi) +
                            ", and this lockbench, " LOCKBENCH_VERSION ", has " +
                            std::to_string(wanted.abi) + "; build it again with this one");
  }
  if (header.build.simulated != wanted.simulated) {
    return refuse(file, wrong_simulation(file, wanted.simulated));
  }
  PluginBuild build = header.build;
  // If AddressSanitizer's runtime were not in this process, the library would not have been loaded.
  // The layout of objects is the same with and without it.
  if (build.sanitizer == PluginBuild::kAddressSanitizer && wanted.sanitizer == 0) {
    build.sanitizer = 0;
  }
  const bool same_names = std::string_view(header.version) == LOCKBENCH_VERSION &&
                          std::string_view(header.compiler) == __VERSION__;
  if (same_names && build != wanted) {
    return refuse(file, version_text(header) +
                            ", as this program, but with other headers or options: types that both "
                            "use differ; build it again with this one's");
  }
  if (std::string_view(header.version) != LOCKBENCH_VERSION || build != wanted) {
    return refuse(file, version_text(header) +
                            ", and this is lockbench " LOCKBENCH_VERSION " by GNU " __VERSION__
                            "; build it again with this one and a like compiler");
  }
  return absl::OkStatus();
}

bool is_name(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

absl::Status refuse_name(const fs::path& file, const std::string& name) {
  return refuse(
      file, "'" + name + "' cannot name a lock; take lower-case letters, digits and underscores");
}

// Far more than any plug-in has. A table with more locks than this is invalid.
constexpr std::uint64_t kMostLocks = 1000;

absl::Status refuse_count(const fs::path& file, std::uint64_t locks) {
  return refuse(file, "brings " + std::to_string(locks) + " locks; at most " +
                          std::to_string(kMostLocks) + " are taken");
}

// The contradiction between a lock's promises; empty if there is none.
std::string wrong_promise(const lockbench_c_lock& lock) {
  const lockbench_c_promises promises = c_promises_of(lock);
  if (lock.promises != nullptr && lock.promises->size < sizeof promises.size) {
    return "its promises have no size; say .size = sizeof(lockbench_c_promises)";
  }
  if (promises.reentrant != 0 && promises.capacity != 1) {
    return "it promises to be reentrant and a capacity of " + std::to_string(promises.capacity) +
           "; a reentrant lock has one holder";
  }
  if (promises.lock_per_key != 0 && !knows_keys(lock)) {
    return "it promises a lock for each key, and knows no keys; give it lock_key, try_lock_key and "
           "unlock_key";
  }
  if (promises.depth == 1 || (promises.depth != 0 && promises.reentrant == 0)) {
    return "it promises a depth of " + std::to_string(promises.depth) +
           ", which is for a reentrant lock, and at least 2 there";
  }
  if (promises.limits.threads == 1 || promises.limits.keys_below == 1) {
    return "its limits leave no room for a second thread or key; say at least 2, or 0 for no limit";
  }
  return "";
}

absl::Status check_c(const fs::path& file, const lockbench_c_plugin& plugin) {
  if (plugin.magic != LOCKBENCH_C_MAGIC || plugin.version != LOCKBENCH_C_VERSION) {
    return refuse(file, "its `lockbench_c_locks` is of version " + std::to_string(plugin.version) +
                            ", and this lockbench, " LOCKBENCH_VERSION ", has " +
                            std::to_string(LOCKBENCH_C_VERSION) +
                            "; build it again with this one's c_lock.h");
  }
  const std::size_t least = offsetof(lockbench_c_lock, lock_key);
  if (plugin.count == 0 || plugin.locks == nullptr || plugin.stride < least) {
    return refuse(file,
                  "its `lockbench_c_locks` has no locks; point `locks` at `count` of them, "
                  "`stride` bytes each");
  }
  if (plugin.count > kMostLocks) return refuse_count(file, plugin.count);
  for (std::uint64_t i = 0; i < plugin.count; ++i) {
    const lockbench_c_lock lock = c_lock_at(plugin, i);
    if (!is_whole(lock)) {
      return refuse(file, "lock number " + std::to_string(i) +
                              " lacks a name, a summary or a function; give it create, destroy and "
                              "lock, try_lock, unlock, or these three by key");
    }
    const std::string wrong = wrong_promise(lock);
    if (!wrong.empty()) return refuse(file, std::string("lock '") + lock.name + "': " + wrong);
  }
  return absl::OkStatus();
}

// The one place where the names of a plug-in's locks are checked, whatever its interface and
// whether it is for trials or for stress. Names that lockbench or another plug-in has are known
// only to the program: command/run/plugins.cc.
absl::Status check_names(const fs::path& file, const PluginOffer& offer) {
  for (const std::string& name : offer.names) {
    if (!is_name(name)) return refuse_name(file, name);
  }
  for (const CatalogEntry& entry : offer.entries) {  // of add_line(), without add()
    const auto& choices = entry.listing.choices;
    const auto wrong = std::find_if(choices.begin(), choices.end(),
                                    [](const Choice& c) { return !is_name(c.value); });
    const std::string& name = wrong == choices.end() ? entry.listing.name : wrong->value;
    if (!is_name(name)) return refuse_name(file, name);
  }
  std::set<std::string_view> seen;
  for (const stress::RegisteredLock& lock : offer.locks) {
    if (seen.insert(lock.name).second) continue;
    return refuse(file, "brings two locks named '" + lock.name + "'; give one another name");
  }
  return absl::OkStatus();
}

absl::Status check_offer(const fs::path& file, const PluginOffer& offer) {
  if (offer.entries.empty() && offer.locks.empty()) {
    return refuse(file, "brings no lock; add one in the body of LOCKBENCH_PLUGIN");
  }
  const std::size_t locks = std::max(offer.entries.size(), offer.locks.size());
  if (locks > kMostLocks) return refuse_count(file, locks);
  return check_names(file, offer);
}

}  // namespace

absl::StatusOr<LoadedPlugin> load_plugin(const fs::path& file, const PluginBuild& wanted,
                                         PluginOffer (*of_c)(const lockbench_c_plugin&)) {
  const absl::StatusOr<void*> library = open_library(file);
  if (!library.ok()) return library.status();
  LoadedPlugin loaded{
      .offer = {},
      .build = static_cast<const lockbench_build*>(dlsym(*library, "lockbench_plugin_build"))};
  if (const void* const c = dlsym(*library, "lockbench_c_locks")) {
    loaded.c = static_cast<const lockbench_c_plugin*>(c);
    const absl::Status sound = check_c(file, *loaded.c);
    if (!sound.ok()) return sound;
    if (of_c == nullptr) return loaded;
    loaded.offer = of_c(*loaded.c);
    const absl::Status named = check_names(file, loaded.offer);
    if (!named.ok()) return named;
    return loaded;
  }
  const void* const symbol = dlsym(*library, kPluginSymbol);
  if (symbol == nullptr) {
    return refuse(file,
                  "a library, and no plug-in: it has neither `lockbench_plugin` nor "
                  "`lockbench_c_locks`; end its source with LOCKBENCH_PRIMITIVE");
  }
  const auto& header = *static_cast<const PluginHeader*>(symbol);
  absl::Status sound = check_build(file, header, wanted);
  if (!sound.ok()) return sound;
  header.fill(loaded.offer);
  sound = check_offer(file, loaded.offer);
  if (!sound.ok()) return sound;
  return loaded;
}

}  // namespace lockbench
