// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/catalog/catalog.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <absl/strings/str_join.h>

#include "harness/base/nearest.h"
#include "harness/base/quantity.h"
#include "harness/bench/catalog/known_plugins.h"
#include "harness/bench/catalog/subjects.h"
#include "harness/bench/measure/workload_settings.h"
#include "harness/bench/plan/spelling.h"
#include "harness/kernel/processors.h"

namespace lockbench {
namespace {

absl::Status invalid(const std::string& message) {
  return absl::InvalidArgumentError(message);
}

// Everything in the cell exists, but its parts cannot be combined.
absl::Status unfit(const std::string& message) {
  return absl::FailedPreconditionError(message);
}

std::string quoted(const std::string& text) {
  return "'" + text + "'";
}

// The value that the user chose, or the default.
const std::string& chosen(const PrimitiveSpec& spec, const Choice& usual) {
  const auto given = spec.parameters.find(usual.parameter);
  return given == spec.parameters.end() ? usual.value : given->second;
}

std::vector<std::string> parameters_of(const Listing& listing) {
  std::vector<std::string> names;
  names.reserve(listing.choices.size() + listing.numbers.size());
  for (const Choice& choice : listing.choices) names.push_back(choice.parameter);
  for (const Number& number : listing.numbers) names.push_back(number.parameter);
  return names;
}

// `global:lock=ticket`.
std::string text_of(const Listing& listing) {
  PrimitiveSpec spec{.name = listing.name, .parameters = {}};
  for (const Choice& choice : listing.choices) spec.parameters[choice.parameter] = choice.value;
  return to_text(spec);
}

absl::StatusOr<std::uint64_t> number_of(const PrimitiveSpec& spec, const Number& number) {
  const auto given = spec.parameters.find(number.parameter);
  if (given == spec.parameters.end()) return number.usual;
  const std::optional<std::uint64_t> value = parse_number<std::uint64_t>(given->second);
  if (value && number.least <= *value && *value <= number.most) return *value;
  return invalid("primitive " + quoted(spec.name) + ": " + number.parameter + "=" + given->second +
                 "; it is a whole number from " + std::to_string(number.least) + " to " +
                 std::to_string(number.most));
}

absl::StatusOr<Arguments> arguments_for(const CatalogEntry& entry, const Cell& cell) {
  Arguments arguments{.keys = cell.keys};
  for (const Number& number : entry.listing.numbers) {
    const absl::StatusOr<std::uint64_t> value = number_of(cell.primitive, number);
    if (!value.ok()) return value.status();
    arguments.numbers[number.parameter] = *value;
  }
  return arguments;
}

// The address of a PostgreSQL server, or an empty text. It may contain a password, so it is never
// part of a trial.
std::string server_address() {
  const char* const address = std::getenv("LOCKBENCH_POSTGRES");
  return address == nullptr ? "" : address;
}

std::uint64_t holders_of_a_key(const CatalogEntry& entry, const Arguments& arguments,
                               const Cell& cell) {
  if (!entry.promises.excludes) return cell.threads;
  for (const Number& number : entry.listing.numbers) {
    if (number.holders_of_a_key) return arguments[number.parameter];
  }
  return 1;
}

absl::Status check_workload(const WorkloadListing& workload, const Cell& cell,
                            std::uint64_t holders) {
  if (workload.usual.write_share && !cell.write_share) {
    return invalid("workload " + quoted(workload.name) +
                   " wants writes, the share of operations that write, as 1%");
  }
  if (cell.write_share && !workload.usual.write_share) {
    return unfit("workload " + quoted(workload.name) + " always writes; leave writes out");
  }
  if (workload.refusal == nullptr) return absl::OkStatus();
  const std::string refusal = workload.refusal(settings_of({.cell = cell}), holders);
  return refusal.empty() ? absl::OkStatus()
                         : unfit("workload " + quoted(to_text(cell.workload)) + " " + refusal);
}

template <class Container, class Matches>
auto* find_in(Container& container, Matches matches) {
  const auto found = std::find_if(container.begin(), container.end(), matches);
  return found == container.end() ? nullptr : &*found;
}

}  // namespace

const Catalog& Catalog::standard() {
  return standard_for_extension();
}

Catalog& Catalog::standard_for_extension() {
  static Catalog catalog = [] {
    Catalog made;
    made.workloads_ = workload_listings();
    add_global_subjects(made);
    add_keyed_subjects(made);
    add_striped_subjects(made);
    add_shared_subjects(made);
    add_reentrant_subjects(made);
    add_lease_subjects(made);
    add_file_subjects(made);
    return made;
  }();
  return catalog;
}

void Catalog::add(CatalogEntry entry) {
  CatalogEntry* const same = find_in(entries_, [&](const CatalogEntry& e) {
    return e.listing.name == entry.listing.name && e.listing.choices == entry.listing.choices;
  });
  if (same == nullptr) {
    const auto last = std::find_if(entries_.rbegin(), entries_.rend(), [&](const CatalogEntry& e) {
      return e.listing.name == entry.listing.name;
    });
    entries_.insert(last == entries_.rend() ? entries_.end() : last.base(), std::move(entry));
    return;
  }
  same->key_types.insert(same->key_types.end(), entry.key_types.begin(), entry.key_types.end());
  same->pairings.insert(same->pairings.end(), entry.pairings.begin(), entry.pairings.end());
}

absl::Status Catalog::add_from_plugin(CatalogEntry entry) {
  const Listing& listing = entry.listing;
  for (const CatalogEntry& known : entries_) {
    if (known.listing.name != listing.name) continue;
    const bool same_file = known.plugin == entry.plugin;
    const bool same_choices = known.listing.choices == listing.choices;
    // The same primitive may be added once for each kind of key.
    if (same_file && same_choices && known.key_types != entry.key_types) continue;
    if (same_choices || parameters_of(known.listing) != parameters_of(listing)) {
      return absl::AlreadyExistsError("plug-in " + entry.plugin + ": brings '" + text_of(listing) +
                                      "', which " +
                                      (known.plugin.empty() ? "lockbench" : known.plugin) +
                                      " has already; give it another name");
    }
  }
  add(std::move(entry));
  return absl::OkStatus();
}

std::string Catalog::plugin_of(const PrimitiveSpec& primitive) const {
  const absl::StatusOr<const CatalogEntry*> entry = find_entry(primitive);
  return entry.ok() ? (*entry)->plugin : std::string();
}

std::vector<std::string> Catalog::plugins() const {
  std::vector<std::string> files;
  for (const CatalogEntry& entry : entries_) {
    const bool known = std::find(files.begin(), files.end(), entry.plugin) != files.end();
    if (!entry.plugin.empty() && !known) files.push_back(entry.plugin);
  }
  return files;
}

ServiceNeed Catalog::service_of(const PrimitiveSpec& primitive) const {
  const absl::StatusOr<const CatalogEntry*> entry = find_entry(primitive);
  if (!entry.ok()) return {};
  ServiceNeed need{.service = (*entry)->listing.service};
  for (const Number& number : (*entry)->listing.numbers) {
    if (number.servers) need.servers = number_of(primitive, number).value_or(1);
  }
  return need;
}

absl::StatusOr<const CatalogEntry*> Catalog::find_entry(const PrimitiveSpec& spec) const {
  const CatalogEntry* const first =
      find_in(entries_, [&](const CatalogEntry& e) { return e.listing.name == spec.name; });
  if (first == nullptr) {
    std::vector<std::string> names;
    for (const CatalogEntry& entry : entries_) {
      if (names.empty() || names.back() != entry.listing.name) names.push_back(entry.listing.name);
    }
    if (const KnownPlugin* const plugin = known_plugin_of(spec.name)) {
      if (plugin->for_stress_alone) {
        return invalid("primitive " + quoted(spec.name) +
                       " is for `lockbench stress --engine services` alone");
      }
      return invalid("primitive " + quoted(spec.name) + " is in the plug-in " + plugin->file +
                     "; name it by --plugin, or leave the primitive out");
    }
    return unknown_name("primitive", spec.name, names);
  }
  const std::vector<std::string> known = parameters_of(first->listing);
  for (const auto& [parameter, value] : spec.parameters) {
    if (std::find(known.begin(), known.end(), parameter) != known.end()) continue;
    if (known.empty()) return invalid("primitive " + quoted(spec.name) + " takes no parameters");
    return unknown_name(spec.name + " parameter", parameter, known);
  }
  // A choice that the user left out has the value of the first entry with that name.
  const CatalogEntry* const entry = find_in(entries_, [&](const CatalogEntry& e) {
    if (e.listing.name != spec.name) return false;
    return std::equal(
        e.listing.choices.begin(), e.listing.choices.end(), first->listing.choices.begin(),
        first->listing.choices.end(),
        [&](const Choice& has, const Choice& usual) { return has.value == chosen(spec, usual); });
  });
  if (entry != nullptr) return entry;

  for (const Choice& usual : first->listing.choices) {
    std::set<std::string> values;
    for (const CatalogEntry& e : entries_) {
      if (e.listing.name != spec.name) continue;
      for (const Choice& choice : e.listing.choices) {
        if (choice.parameter == usual.parameter) values.insert(choice.value);
      }
    }
    const std::string& value = chosen(spec, usual);
    if (values.contains(value)) continue;
    return unknown_name(spec.name + ":" + usual.parameter, value,
                        std::vector(values.begin(), values.end()));
  }
  return invalid("primitive " + quoted(to_text(spec)) +
                 ": these parameters do not go together; `lockbench list primitives` shows "
                 "which do");
}

absl::StatusOr<const WorkloadListing*> Catalog::find_workload(const WorkloadSpec& spec) const {
  const WorkloadListing* const listing =
      find_in(workloads_, [&](const WorkloadListing& w) { return w.name == spec.name; });
  if (listing == nullptr) {
    std::vector<std::string> names;
    names.reserve(workloads_.size());
    for (const WorkloadListing& workload : workloads_) names.push_back(workload.name);
    return unknown_name("workload", spec.name, names);
  }
  if (spec.scenario.empty()) return listing;
  if (listing->scenarios.empty()) {
    return invalid("workload " + quoted(spec.name) + " has no scenarios; it is written " +
                   quoted(spec.name));
  }
  const auto& scenarios = listing->scenarios;
  if (std::find(scenarios.begin(), scenarios.end(), spec.scenario) == scenarios.end()) {
    return unknown_name(spec.name + " scenario", spec.scenario, scenarios);
  }
  return listing;
}

absl::StatusOr<const Pairing*> Catalog::find_pairing(const Cell& cell) const {
  const absl::StatusOr<const CatalogEntry*> entry = find_entry(cell.primitive);
  if (!entry.ok()) return entry.status();
  const absl::StatusOr<const WorkloadListing*> workload = find_workload(cell.workload);
  if (!workload.ok()) return workload.status();

  const Pairing* const found = find_in((*entry)->pairings, [&](const Pairing& p) {
    return p.workload == cell.workload.name && p.key_type == cell.key_type;
  });
  if (found != nullptr) return found;

  const auto& key_types = (*entry)->key_types;
  if (std::find(key_types.begin(), key_types.end(), cell.key_type) == key_types.end()) {
    return unfit("primitive " + quoted(cell.primitive.name) + " has no " + to_text(cell.key_type) +
                 " keys; its keys are " + to_text(key_types.front()));
  }
  std::set<std::string> others;
  for (const Pairing& pairing : (*entry)->pairings) others.insert(pairing.workload);
  return unfit("workload " + quoted(cell.workload.name) + " (which needs " + (*workload)->needs +
               ") does not run with primitive " + quoted(to_text(cell.primitive)) +
               ", which runs with " + absl::StrJoin(others, ", "));
}

absl::StatusOr<CellTraits> Catalog::check(const Cell& cell) const {
  const absl::StatusOr<const Pairing*> pairing = find_pairing(cell);
  if (!pairing.ok()) return pairing.status();
  const CatalogEntry& entry = **find_entry(cell.primitive);
  const absl::StatusOr<Arguments> arguments = arguments_for(entry, cell);
  if (!arguments.ok()) return arguments.status();
  if (cell.timeout.count() != 0 && !entry.promises.timed) {
    return unfit("primitive " + quoted(to_text(cell.primitive)) +
                 " cannot time out; leave the timeout out, or take one that can "
                 "(`lockbench list primitives`)");
  }
  const WorkloadListing& workload = **find_workload(cell.workload);
  if (cell.workload.scenario == kInProcesses && !locks_between_processes(entry.promises)) {
    return unfit("primitive " + quoted(to_text(cell.primitive)) +
                 " locks between threads of one process, and the workers of workload " +
                 quoted(to_text(cell.workload)) +
                 " are processes; take a lock between processes (file and its peers) or of a "
                 "service");
  }
  const std::uint64_t holders = holders_of_a_key(entry, *arguments, cell);
  const absl::Status status = check_workload(workload, cell, holders);
  if (!status.ok()) return status;
  return CellTraits{.acquisitions_per_operation = workload.acquisitions,
                    .holders_of_a_key = holders,
                    .excludes = entry.promises.excludes,
                    .one_lock = entry.promises.one_lock,
                    .keys_per_operation = workload.keys_per_operation,
                    .at_service = entry.promises.scope == Scope::kService,
                    .processors = usable_processors()};
}

absl::StatusOr<PrimitiveSpec> Catalog::with_defaults(const PrimitiveSpec& spec) const {
  const absl::StatusOr<const CatalogEntry*> entry = find_entry(spec);
  if (!entry.ok()) return entry.status();
  PrimitiveSpec whole = spec;
  const Listing& listing = (*entry)->listing;
  for (const Choice& choice : listing.choices) whole.parameters[choice.parameter] = choice.value;
  for (const Number& number : listing.numbers) {
    whole.parameters.emplace(number.parameter, std::to_string(number.usual));
  }
  return whole;
}

SweepDefaults Catalog::defaults_for(const std::string& workload) const {
  const absl::StatusOr<const WorkloadListing*> listing = find_workload({workload, {}});
  return listing.ok() ? (*listing)->usual : SweepDefaults{};
}

absl::StatusOr<WorkloadSpec> Catalog::in_processes(const WorkloadSpec& workload) const {
  const absl::StatusOr<const WorkloadListing*> listing = find_workload(workload);
  if (!listing.ok()) return listing.status();
  if ((*listing)->runs_processes({.scenario = workload.scenario})) return workload;
  std::vector<std::string> able;
  for (const WorkloadListing& other : workloads_) {
    const bool by_scenario = std::find(other.scenarios.begin(), other.scenarios.end(),
                                       kInProcesses) != other.scenarios.end();
    if (by_scenario && other.name == workload.name && workload.scenario.empty()) {
      return WorkloadSpec{.name = workload.name, .scenario = std::string(kInProcesses)};
    }
    if (by_scenario || other.runs_processes({})) able.push_back(other.name);
  }
  return unfit("the workers of workload " + quoted(to_text(workload)) +
               " are threads; those with processes are " + absl::StrJoin(able, ", "));
}

absl::StatusOr<std::unique_ptr<Subject>> Catalog::subject_for(const Trial& trial) const {
  const absl::StatusOr<CellTraits> fits = check(trial.cell);
  if (!fits.ok()) return fits.status();
  const CatalogEntry& entry = **find_entry(trial.cell.primitive);
  return (*find_pairing(trial.cell))
      ->make(trial, settings_of(trial), *arguments_for(entry, trial.cell));
}

WorkloadSettings settings_of(const Trial& trial) {
  WorkloadSettings settings = workload_settings(trial);
  settings.server = server_address();
  return settings;
}

}  // namespace lockbench
