// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/command/run/baseline_link.h"

#include <algorithm>
#include <cctype>
#include <system_error>

namespace lockbench {
namespace {

constexpr std::size_t kLongestName = 100;

bool is_plain(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
}

absl::Status cannot(const std::filesystem::path& path, const std::error_code& error) {
  return absl::UnavailableError(path.string() +
                                ": the baseline cannot be saved: " + error.message());
}

}  // namespace

absl::Status check_baseline_name(const std::string& name) {
  const bool fits = !name.empty() && name.size() <= kLongestName && name[0] != '.' &&
                    name[0] != '-' && std::all_of(name.begin(), name.end(), is_plain);
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "'" + name +
      "' is no name for a baseline; write up to 100 letters, digits, '-', '_' and '.', as main");
}

absl::Status save_baseline(const std::string& name, const std::filesystem::path& run) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path("results") / "baselines";
  const fs::path link = folder / name;
  const fs::path next = folder / ("." + name + ".new");
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return cannot(link, error);
  const fs::path target = fs::relative(run, folder, error);
  if (error || target.empty()) return cannot(link, error);
  fs::remove(next, error);
  fs::create_directory_symlink(target, next, error);
  if (error) return cannot(link, error);
  fs::rename(next, link, error);
  if (!error) return absl::OkStatus();
  std::error_code ignored;
  fs::remove(next, ignored);
  return cannot(link, error);
}

}  // namespace lockbench
