// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/command/listing.h"

#include <algorithm>
#include <utility>

#include <absl/algorithm/container.h>
#include <absl/strings/str_cat.h>

#include "harness/base/nearest.h"
#include "harness/bench/catalog/known_plugins.h"
#include "harness/stress/forms.h"
#include "harness/stress/registered_lock.h"

namespace lockbench {
namespace {

constexpr char kHowToListLocks[] = "`lockbench stress --list` shows all";

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

bool has(const std::vector<EngineListing>& engines, const std::string& name) {
  return std::any_of(engines.begin(), engines.end(), [&](const EngineListing& engine) {
    return std::any_of(engine.locks.begin(), engine.locks.end(),
                       [&](const Listed& lock) { return lock.name == name; });
  });
}

std::string before_colon(const std::string& name) {
  return name.substr(0, name.find(':'));
}

// True if one of these names has nearly the same parameters. The name before them, which is the
// same, would make any two look alike.
bool has_near_parameters(const std::string& name, const std::vector<std::string>& of_that_name) {
  const std::size_t begin = before_colon(name).size() + 1;
  std::vector<std::string> parameters;
  for (const std::string& one : of_that_name) {
    if (one.size() > begin) parameters.push_back(one.substr(begin));
  }
  return nearest(name.substr(begin), parameters).has_value();
}

// The base lock of `striped:lock=mine`; empty: it has none.
std::string base_lock_of(const std::string& name) {
  constexpr std::string_view kMark = ":lock=";
  const std::size_t mark = name.find(kMark);
  if (mark == std::string::npos) return {};
  const std::size_t begin = mark + kMark.size();
  return name.substr(begin, name.find(',', begin) - begin);
}

// These names, and those of base locks, which users may type, too.
std::vector<std::string> with_base_locks(const std::vector<std::string>& names) {
  std::vector<std::string> all = names;
  for (const std::string& name : names) {
    const std::string base = base_lock_of(name);
    if (!base.empty() && !absl::c_linear_search(all, base)) all.push_back(base);
  }
  return all;
}

}  // namespace

std::vector<Listed> listed_from(std::string_view text) {
  std::vector<Listed> locks;
  for (const std::string& line : split(text, '\n')) {
    std::vector<std::string> fields = split(line, '\t');
    if (fields.size() < 5) continue;
    Listed listed{.name = std::move(fields[0]), .summary = std::move(fields[1])};
    if (!fields[2].empty()) listed.expected_oracles = split(fields[2], ',');
    listed.unseen = std::move(fields[3]);
    listed.takes_numbers = fields[4] == "numbers";
    locks.push_back(std::move(listed));
  }
  return locks;
}

std::vector<EngineListing> with_named(std::vector<EngineListing> shipped,
                                      const std::vector<EngineListing>& broken,
                                      const std::vector<std::string>& names) {
  std::vector<EngineListing> all = shipped;
  for (EngineListing listing : broken) {
    std::erase_if(listing.locks, [&](const Listed& lock) {
      return has(shipped, lock.name) || !absl::c_linear_search(names, lock.name);
    });
    if (!listing.locks.empty()) all.push_back(std::move(listing));
  }
  return all;
}

void complete_names(const std::vector<EngineListing>& engines, const stress::Order& order,
                    std::vector<std::string>& names) {
  const auto first_of = [&](const std::string& name) -> std::string {
    for (const EngineListing& engine : engines) {
      for (const Listed& lock : engine.locks) {
        if (lock.name.starts_with(name + ":")) return lock.name;
      }
    }
    return {};
  };
  for (std::string& name : names) {
    const std::string whole = "global:lock=" + name;
    if (has(engines, name)) continue;
    if (has(engines, whole)) {
      name = whole;
    } else if (const std::string first = first_of(name); !first.empty()) {
      name = first;
    }
  }
  if (!order.program.empty() || !order.mode.empty()) return;
  const std::vector<std::string> named = names;
  for (const EngineListing& engine : engines) {
    for (const Listed& lock : engine.locks) {
      const bool is_meant = std::any_of(named.begin(), named.end(), [&](const std::string& name) {
        return stress::is_form_of(lock.name, name);
      });
      if (is_meant && !absl::c_linear_search(names, lock.name)) names.push_back(lock.name);
    }
  }
}

bool knows(const std::vector<EngineListing>& engines, const std::string& name) {
  return std::any_of(engines.begin(), engines.end(), [&](const EngineListing& engine) {
    return std::any_of(engine.locks.begin(), engine.locks.end(),
                       [&](const Listed& lock) { return means(name, lock); });
  });
}

bool knows_all(const std::vector<EngineListing>& engines, std::vector<std::string> names) {
  complete_names(engines, {}, names);
  return std::all_of(names.begin(), names.end(),
                     [&](const std::string& name) { return knows(engines, name); });
}

bool means(const std::string& name, const Listed& lock) {
  return lock.name == name || (lock.takes_numbers && !stress::numbers_of(lock.name, name).empty());
}

bool is_another_of(const std::string& name, const std::string& lock) {
  if (name == lock) return false;
  const std::string base = base_lock_of(lock);
  return base.empty() ? before_colon(name) == lock : base_lock_of(name) == base;
}

absl::Status unknown_lock(const std::string& name, const std::vector<std::string>& known) {
  const std::string plain = before_colon(name);
  const KnownPlugin* const plugin = known_plugin_of(plain);
  if (plugin != nullptr && !absl::c_linear_search(known, plain)) {
    return absl::InvalidArgumentError(absl::StrCat("lock '", plain, "' is in the plug-in ",
                                                   plugin->file,
                                                   "; name it by --plugin, with its folder"));
  }
  if (plain == name) return unknown_name("lock", name, with_base_locks(known), kHowToListLocks);
  std::vector<std::string> of_that_name = known;
  std::erase_if(of_that_name, [&](const std::string& one) { return before_colon(one) != plain; });
  if (absl::c_linear_search(known, plain) && !has_near_parameters(name, of_that_name)) {
    return absl::InvalidArgumentError(absl::StrCat("lock '", name,
                                                   "': stress chooses the parameters of ", plain,
                                                   " itself; say '", plain, "'"));
  }
  return unknown_name("lock", name, of_that_name.empty() ? known : of_that_name, kHowToListLocks);
}

}  // namespace lockbench
