// SPDX-License-Identifier: Apache-2.0

// Flags: functions that declare the flags of a command and check which of them were given.
//
// CLI11 takes seconds to compile. This header therefore only declares its types, and only flags.cc
// and command_line.cc include it. The value of a flag is parsed while the line is parsed. If its
// `take` function returns an error, the parsing ends with `flag: message`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "harness/command/run/progress.h"
#include "harness/plan/quantity.h"

namespace CLI {
class App;
}  // namespace CLI

namespace lockbench {

struct Flag {
  // "--keys"; with a second name: "--distribution,--key-distribution"; for a word without a flag:
  // "preset".
  std::string names;
  std::string type;              // the name of its value in --help, for example "N"
  std::string help;              // ends with the default, for example "[60s]"
  std::string group = {};        // its heading in --help; empty: the parser's own
  std::string environment = {};  // an environment variable that is used if the flag is not given
};

// A command. --help prints `footer` after the flags.
CLI::App& add_command(CLI::App& app, const std::string& name, const std::string& summary,
                      const std::string& footer);

// Words without a flag.
void add_words(CLI::App& command, const std::string& name, const std::string& help,
               std::vector<std::string>& words);

// A flag without a value.
void add_switch(CLI::App& command, const std::string& name, const std::string& help, bool& on);

// A flag with a value, given once at most.
using Take = std::function<absl::Status(const std::string&)>;
void add_value(CLI::App& command, const Flag& flag, Take take);

// A flag that may be given several times, with one value each time.
void add_values(CLI::App& command, const Flag& flag, Take take);

// A flag whose value is text, which is stored unchanged.
void add_text(CLI::App& command, const Flag& flag, std::string& text);
void add_texts(CLI::App& command, const Flag& flag, std::vector<std::string>& texts);

// A flag whose value is parsed by `parse`.
template <class T>
void add_parsed(CLI::App& command, const Flag& flag, absl::StatusOr<T> (*parse)(std::string_view),
                const std::function<void(const T&)>& take) {
  add_value(command, flag, [parse, take](const std::string& text) {
    const absl::StatusOr<T> value = parse(text);
    if (value.ok()) take(*value);
    return value.status();
  });
}

// A flag whose value is one of a few words; `parse` returns nullopt for any other word.
template <class T>
void add_choice(CLI::App& command, const Flag& flag, std::string_view words,
                std::optional<T> (*parse)(std::string_view),
                const std::function<void(const T&)>& take) {
  add_value(command, flag, [words, parse, take](const std::string& text) {
    const std::optional<T> value = parse(text);
    if (!value) {
      return absl::InvalidArgumentError("'" + text + "' is none of " + std::string(words));
    }
    take(*value);
    return absl::OkStatus();
  });
}

void add_count(CLI::App& command, const std::string& name, CountRange range,
               const std::string& help, const std::function<void(std::uint64_t)>& take);

// A flag whose value is a path.
void add_path(CLI::App& command, const Flag& flag, std::optional<std::filesystem::path>& path);
void add_folder(CLI::App& command, const std::string& name, const std::string& help,
                std::optional<std::filesystem::path>& folder);

// The flag for the style of the progress display, which several commands have.
void add_progress(CLI::App& command, ProgressStyle& progress);
void add_format(CLI::App& command, const std::string& help, std::string& format);
void add_text_or_json(CLI::App& command, const std::string& help,
                      const std::function<void(bool json)>& take);

// Whether a flag, or a word without a flag, was given.
bool was_given(const CLI::App& command, const std::string& name);

// The first of these flags that was given; empty if none was given.
std::string first_given(const CLI::App& command, std::initializer_list<const char*> names);

}  // namespace lockbench
