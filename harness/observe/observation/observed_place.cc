// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/observation/observed_place.h"

#include <algorithm>
#include <map>
#include <set>
#include <system_error>
#include <vector>

#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>
#include <nlohmann/json.hpp>

#include "harness/base/files.h"
#include "harness/bench/plan/preset_file.h"
#include "harness/observe/observation/expression.h"
#include "harness/observe/observation/observed_json.h"

namespace lockbench {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 30;

absl::StatusOr<RecordedPlace> place_from(const nlohmann::json& json, const std::string& file) {
  if (json.at("preset").get<std::string>().empty()) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s: of the locks at '%s', which the program makes of futexes, only waits "
                        "are known; choose another place",
                        file, json.at("name").get<std::string>()));
  }
  const auto preset = parse_preset(json.at("preset").get<std::string>(), file);
  if (!preset.ok()) return preset.status();
  const nlohmann::json& wait = json.at("wait");
  return RecordedPlace{.name = json.at("name"),
                       .preset = *preset,
                       .acquisitions = json.at("acquisitions"),
                       .contended = json.at("contended"),
                       .recursions = json.at("recursions"),
                       .failed_tries = json.at("failed_tries"),
                       .wait_p50_ns = wait.at("p50_ns"),
                       .wait_p99_ns = wait.at("p99_ns")};
}

// Returns what `read` makes of the places, those of the first process first.
template <class Read>
auto from_places(const std::filesystem::path& folder, const Read& read)
    -> decltype(read(std::vector<const nlohmann::json*>(), std::string())) {
  const std::filesystem::path file = folder / "observed.json";
  const absl::StatusOr<std::string> text = read_file(file, kMostBytes);
  if (!text.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(text.status().message(), "; name the folder that `lockbench observe` wrote"));
  }
  try {
    const nlohmann::json json = nlohmann::json::parse(*text);
    std::vector<const nlohmann::json*> places;
    for (const nlohmann::json& process : json.at("processes")) {
      for (const nlohmann::json& place : process.at("places")) places.push_back(&place);
    }
    if (places.empty()) {
      return absl::InvalidArgumentError(file.string() + ": the program acquired no lock");
    }
    return read(places, file.string());
  } catch (const nlohmann::json::exception& error) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s: %s; it is not what this version of `lockbench observe` writes",
                        file.string(), error.what()));
  }
}

// Its places would be others.
bool is_newer(const std::string& program, const std::string& observation) {
  std::error_code error;
  const auto built = std::filesystem::last_write_time(program, error);
  if (error) return false;
  const auto observed = std::filesystem::last_write_time(observation, error);
  return !error && built > observed;
}

// `OFFSET PATH` of the innermost caller.
std::string code_of(const nlohmann::json& place) {
  const nlohmann::json& caller = place.at("callers").at(0);
  return absl::StrFormat("%x %s", caller.at("offset").get<std::uint64_t>(),
                         caller.at("module").get<std::string>());
}

}  // namespace

double RecordedPlace::contended_share() const {
  return acquisitions == 0 ? 0 : static_cast<double>(contended) / static_cast<double>(acquisitions);
}

absl::StatusOr<RecordedPlace> recorded_place(const std::filesystem::path& folder,
                                             std::size_t number) {
  return from_places(folder,
                     [number](const std::vector<const nlohmann::json*>& places,
                              const std::string& file) -> absl::StatusOr<RecordedPlace> {
                       if (number <= places.size()) return place_from(*places[number - 1], file);
                       return absl::InvalidArgumentError(
                           absl::StrFormat("--place: %s has places 1 to %d", file, places.size()));
                     });
}

absl::StatusOr<RecordedPlace> busiest_place(const std::filesystem::path& folder) {
  return from_places(
      folder, [](const std::vector<const nlohmann::json*>& places, const std::string& file) {
        return place_from(**std::max_element(places.begin(), places.end(),
                                             [](const nlohmann::json* a, const nlohmann::json* b) {
                                               return a->at("acquisitions").get<std::uint64_t>() <
                                                      b->at("acquisitions").get<std::uint64_t>();
                                             }),
                          file);
      });
}

absl::StatusOr<std::string> code_of_places(const std::filesystem::path& folder,
                                           const std::string& expression, observe::LockKind kind) {
  const absl::StatusOr<Expression> parsed = Expression::parse(expression);
  if (!parsed.ok()) return parsed.status();
  const Expression& wanted = *parsed;
  return from_places(
      folder,
      [&wanted, kind](const std::vector<const nlohmann::json*>& places,
                      const std::string& file) -> absl::StatusOr<std::string> {
        std::set<std::string> chosen;
        std::map<std::string, std::string> others;  // their names, by code
        for (const nlohmann::json* place : places) {
          if (place->at("kind") != kind_name(kind)) continue;
          const std::string name = place->at("name");
          if (wanted.finds_in(name)) {
            const std::string program = place->at("callers").at(0).at("module");
            if (is_newer(program, file)) {
              return absl::InvalidArgumentError(
                  absl::StrFormat("--place: %s is newer than %s; observe it again", program, file));
            }
            chosen.insert(code_of(*place));
          } else {
            others[code_of(*place)] = name;
          }
        }
        if (chosen.empty()) {
          constexpr std::size_t kMostNamed = 8;
          std::vector<std::string> names;
          for (const auto& [code, name] : others) {
            if (names.size() < kMostNamed) names.push_back(name);
          }
          return absl::InvalidArgumentError(absl::StrFormat(
              "--place: matches none of the %d places of kind %s in %s%s%s", others.size(),
              kind_name(kind), file, names.empty() ? "" : ": ", absl::StrJoin(names, "; ")));
        }
        for (const std::string& code : chosen) {
          if (const auto other = others.find(code); other != others.end()) {
            return absl::InvalidArgumentError("--place: '" + other->second +
                                              "' acquires its locks in the same line, by the same "
                                              "wrapper of a lock; choose it, too");
          }
        }
        return absl::StrJoin(chosen, "\n");
      });
}

Cell load_of(const RecordedPlace& place) {
  const Sweep& sweep = place.preset.sweeps.front();
  Cell cell{.workload = sweep.workloads.front(),
            .threads = sweep.threads.front(),
            .keys = sweep.keys.front(),
            .hold = sweep.holds.front()};
  cell.think = sweep.thinks.front();
  if (!sweep.key_distributions.empty()) cell.key_distribution = sweep.key_distributions.front();
  if (!sweep.write_shares.empty()) cell.write_share = sweep.write_shares.front();
  return cell;
}

}  // namespace lockbench
