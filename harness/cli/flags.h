// SPDX-License-Identifier: Apache-2.0

// Flags: how commands tell the parser of their flags, and ask it what was given.
//
// CLI11 takes seconds to compile: it is known by name here, and included by flags.cc and
// command_line.cc alone. A flag's value is understood while the line is parsed; what its `take`
// refuses ends the parsing with `flag: message`.
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
  // "--keys"; with a second name: "--distribution,--key-distribution"; for a word that stands
  // without a flag: "preset".
  std::string names;
  std::string type;              // what --help calls its value, as "N"
  std::string help;              // ends with what holds without it, as "[60s]"
  std::string group = {};        // its heading in --help; empty: the parser's own
  std::string environment = {};  // a variable that stands in where the flag is not given
};

// A command, and what its --help says after the flags.
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

// A flag that may be given again, a value each time.
void add_values(CLI::App& command, const Flag& flag, Take take);

// A flag whose value is text, taken as it is.
void add_text(CLI::App& command, const Flag& flag, std::string& text);
void add_texts(CLI::App& command, const Flag& flag, std::vector<std::string>& texts);

// A flag whose value `parse` understands.
template <class T>
void add_parsed(CLI::App& command, const Flag& flag, absl::StatusOr<T> (*parse)(std::string_view),
                const std::function<void(const T&)>& take) {
  add_value(command, flag, [parse, take](const std::string& text) {
    const absl::StatusOr<T> value = parse(text);
    if (value.ok()) take(*value);
    return value.status();
  });
}

// A flag whose value is one of some words; `parse` gives nothing for others.
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

// A path that names something.
void add_path(CLI::App& command, const Flag& flag, std::optional<std::filesystem::path>& path);
void add_folder(CLI::App& command, const std::string& name, const std::string& help,
                std::optional<std::filesystem::path>& folder);

// What several commands have.
void add_progress(CLI::App& command, ProgressStyle& progress);
void add_format(CLI::App& command, const std::string& help, std::string& format);
void add_text_or_json(CLI::App& command, const std::string& help,
                      const std::function<void(bool json)>& take);

// Whether a flag, or a word by its name, was given.
bool was_given(const CLI::App& command, const std::string& name);

// The first of them that was given; empty: none.
std::string first_given(const CLI::App& command, std::initializer_list<const char*> names);

}  // namespace lockbench
