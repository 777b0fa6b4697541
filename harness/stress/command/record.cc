// SPDX-License-Identifier: Apache-2.0

#include "harness/stress/command/record.h"

#include <chrono>
#include <cstddef>
#include <thread>
#include <utility>

#include <nlohmann/json.hpp>

#include "harness/base/files.h"
#include "harness/process/page_script.h"
#include "harness/stress/oracles/failure.h"

namespace lockbench {

namespace {

// How long another process that appends is awaited; it needs microseconds.
constexpr int kTries = 100;
constexpr std::chrono::milliseconds kBetweenTries{10};

absl::StatusOr<AppendFile> opened(const std::filesystem::path& file) {
  absl::StatusOr<AppendFile> open = AppendFile::open(file);
  for (int i = 0; i < kTries && absl::IsFailedPrecondition(open.status()); ++i) {
    std::this_thread::sleep_for(kBetweenTries);
    open = AppendFile::open(file);
  }
  if (!absl::IsNotFound(open.status())) return open;
  if (absl::Status made = make_folders(file.parent_path()); !made.ok()) return made;
  absl::StatusOr<AppendFile> created = AppendFile::create(file);
  // Another process was faster.
  return absl::IsAlreadyExists(created.status()) ? AppendFile::open(file) : std::move(created);
}

}  // namespace

std::string stress_record_line(const stress::Report& report, const Build& build,
                               const std::string& at,
                               const std::optional<std::filesystem::path>& page) {
  using Json = nlohmann::ordered_json;
  Json line = {{"at", at},
               {"lock", report.lock},
               {"engine", report.engine},
               {"verdict", std::string(name_of(report.verdict))}};
  if (report.failure) line["oracle"] = std::string(name_of(report.failure->oracle));
  line["seconds"] = report.seconds;
  line["version"] = build.version;
  if (build.commit) line["commit"] = *build.commit;
  if (build.modified) line["modified"] = *build.modified;
  line["machine"] = report.machine;
  if (!report.command.empty()) line["command"] = report.command;
  if (page) line["page"] = std::filesystem::absolute(*page).string();
  return line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

absl::Status append_stress_record(const std::filesystem::path& file, const std::string& line) {
  absl::StatusOr<AppendFile> open = opened(file);
  return open.ok() ? open->append(line) : open.status();
}

std::string stress_page_json(const std::vector<stress::Report>& reports,
                             const std::string& machine) {
  using Json = nlohmann::ordered_json;
  Json all = Json::array();
  for (const stress::Report& report : reports) all.push_back(Json::parse(to_json(report)));
  Json oracles = Json::object();
  for (std::size_t i = 0; i < stress::kOracles; ++i) {
    const auto oracle = static_cast<stress::Oracle>(i);
    oracles[std::string(name_of(oracle))] = std::string(description_of(oracle));
  }
  const Json json = {{"machine", machine}, {"oracles", oracles}, {"reports", all}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

absl::Status write_stress_page(const std::vector<stress::Report>& reports,
                               const std::string& machine, const std::filesystem::path& file) {
  return write_page("scripts/commands/stress_report.py", stress_page_json(reports, machine), file);
}

}  // namespace lockbench
