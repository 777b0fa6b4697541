// SPDX-License-Identifier: Apache-2.0

#include "harness/command/observe/observed_place.h"

#include <algorithm>
#include <vector>

#include <absl/strings/str_format.h>
#include <nlohmann/json.hpp>

#include "harness/plan/preset_file.h"
#include "harness/record/files.h"

namespace lockbench {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostBytes = std::size_t{1} << 30;

absl::StatusOr<RecordedPlace> place_from(const Json& json, const std::string& file) {
  const auto preset = parse_preset(json.at("preset").get<std::string>(), file);
  if (!preset.ok()) return preset.status();
  const Json& wait = json.at("wait");
  return RecordedPlace{.name = json.at("name"),
                       .preset = *preset,
                       .acquisitions = json.at("acquisitions"),
                       .contended = json.at("contended"),
                       .wait_p50_ns = wait.at("p50_ns"),
                       .wait_p99_ns = wait.at("p99_ns")};
}

// What `choose` returns of the places, those of the first process first.
template <class Choose>
absl::StatusOr<RecordedPlace> chosen_place(const std::filesystem::path& folder,
                                           const Choose& choose) {
  const std::filesystem::path file = folder / "observed.json";
  const absl::StatusOr<std::string> text = read_file(file, kMostBytes);
  if (!text.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(text.status().message(), "; name the folder that `lockbench observe` wrote"));
  }
  try {
    const Json json = Json::parse(*text);
    std::vector<const Json*> places;
    for (const Json& process : json.at("processes")) {
      for (const Json& place : process.at("places")) places.push_back(&place);
    }
    if (places.empty()) {
      return absl::InvalidArgumentError(file.string() + ": the program acquired no lock");
    }
    const Json* const chosen = choose(places);
    if (chosen == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrFormat("--place: %s has places 1 to %d", file.string(), places.size()));
    }
    return place_from(*chosen, file.string());
  } catch (const Json::exception& error) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s: %s; it is not what this version of `lockbench observe` writes",
                        file.string(), error.what()));
  }
}

}  // namespace

double RecordedPlace::contended_share() const {
  return acquisitions == 0 ? 0 : static_cast<double>(contended) / static_cast<double>(acquisitions);
}

absl::StatusOr<RecordedPlace> recorded_place(const std::filesystem::path& folder,
                                             std::size_t number) {
  return chosen_place(folder, [number](const std::vector<const Json*>& places) {
    return number <= places.size() ? places[number - 1] : nullptr;
  });
}

absl::StatusOr<RecordedPlace> busiest_place(const std::filesystem::path& folder) {
  return chosen_place(folder, [](const std::vector<const Json*>& places) {
    return *std::max_element(places.begin(), places.end(), [](const Json* a, const Json* b) {
      return a->at("acquisitions").get<std::uint64_t>() <
             b->at("acquisitions").get<std::uint64_t>();
    });
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
