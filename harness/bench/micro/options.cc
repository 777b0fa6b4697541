// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/micro/options.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace lockbench {
namespace {

constexpr std::string_view kOut = "--lockbench_out";

absl::Status invalid(const std::string& message) {
  return absl::InvalidArgumentError(message);
}

// The value that Google Benchmark uses for `name`: the last flag with that name, or else the
// environment variable with that name in capitals. A flag without a value is `true`.
std::optional<std::string> value_of(const std::string& name,
                                    const std::vector<std::string>& arguments) {
  const std::string flag = "--" + name;
  for (auto argument = arguments.rbegin(); argument != arguments.rend(); ++argument) {
    if (*argument == flag) return "true";
    if (argument->starts_with(flag + "=")) return argument->substr(flag.size() + 1);
  }
  std::string variable = name;
  for (char& c : variable) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const char* const set = std::getenv(variable.c_str());
  return set == nullptr ? std::nullopt : std::optional<std::string>(set);
}

bool is_on(const std::string& name, const std::vector<std::string>& arguments) {
  const std::string value = value_of(name, arguments).value_or("false");
  constexpr std::string_view kOff[] = {"0", "f", "n", "false", "no", "off", "False", "No", "Off"};
  return std::find(std::begin(kOff), std::end(kOff), value) == std::end(kOff);
}

// Google Benchmark itself reports a value that is not a number.
std::uint32_t repetitions_of(const std::vector<std::string>& arguments) {
  const std::string text = value_of("benchmark_repetitions", arguments).value_or("1");
  std::uint32_t repetitions = 1;
  std::from_chars(text.data(), text.data() + text.size(), repetitions);
  return std::max(repetitions, std::uint32_t{1});
}

}  // namespace

absl::StatusOr<MicroOptions> take_options(std::vector<std::string>& arguments) {
  MicroOptions options;
  std::vector<std::string> others;
  for (const std::string& argument : arguments) {
    if (!argument.starts_with(kOut)) {
      others.push_back(argument);
      continue;
    }
    if (argument.size() < kOut.size() + 2 || argument[kOut.size()] != '=') {
      return invalid(argument + ": wants a folder for the rows, as --lockbench_out=results/runs/a");
    }
    options.out = argument.substr(kOut.size() + 1);
  }
  arguments = std::move(others);
  for (const char* const withholds :
       {"benchmark_report_aggregates_only", "benchmark_display_aggregates_only"}) {
    if (options.out && is_on(withholds, arguments)) {
      return invalid(std::string("--") + withholds + ": withholds the repetitions that " +
                     std::string(kOut) + " makes rows of; leave one of the two out");
    }
  }
  options.lists_only = is_on("benchmark_list_tests", arguments);
  options.repetitions = repetitions_of(arguments);
  return options;
}

}  // namespace lockbench
