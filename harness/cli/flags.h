// SPDX-License-Identifier: Apache-2.0

// Flags: functions that declare the flags of a command and check which of them were given.
//
// CLI11 takes seconds to compile. This header therefore only declares its types, and only flags.cc
// and the parser of the command line include it. The value of a flag is parsed while the line is
// parsed. If its `take` function returns an error, the parsing ends with `flag: message`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <nlohmann/json_fwd.hpp>

#include "harness/base/progress.h"
#include "harness/base/quantity.h"

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

// Words without a flag.
void add_words(CLI::App& command, const std::string& name, const std::string& help,
               std::vector<std::string>& words);

// One word without a flag, which must be given.
void add_required_word(CLI::App& command, const std::string& name, const std::string& help,
                       std::string& word);

// A flag without a value.
void add_switch(CLI::App& command, const std::string& name, const std::string& help, bool& on);

// A flag with a value, given once at most.
using Take = std::function<absl::Status(const std::string&)>;
void add_value(CLI::App& command, const Flag& flag, Take take);

// A flag that may be given several times, with one value each time.
void add_values(CLI::App& command, const Flag& flag, Take take);

// A flag whose value is text, which is stored unchanged.
template <class T>
void add_text(CLI::App& command, const Flag& flag, T& text) {
  add_value(command, flag, [&text](const std::string& given) {
    text = given;
    return absl::OkStatus();
  });
}
void add_texts(CLI::App& command, const Flag& flag, std::vector<std::string>& texts);

// A flag whose value is converted by `parse`, a function from text to an absl::StatusOr.
template <class Parse, class T>
void add_parsed(CLI::App& command, const Flag& flag, Parse parse, T& out) {
  add_value(command, flag, [parse, &out](const std::string& text) {
    const auto value = parse(text);
    if (value.ok()) out = static_cast<T>(*value);
    return value.status();
  });
}

// A flag whose value is a whole number. `out` has a type that holds the whole range.
template <class T>
void add_count(CLI::App& command, const std::string& name, CountRange range,
               const std::string& help, T& out) {
  add_parsed(
      command, {.names = name, .type = "N", .help = help},
      [range](std::string_view text) { return parse_count(text, range); }, out);
}

// A flag whose value is one of a few words, each of which stands for a value.
absl::Status not_among(std::string_view text, const std::vector<std::string>& words);
template <class T>
void add_choice(CLI::App& command, const Flag& flag,
                const std::type_identity_t<std::vector<std::pair<std::string, T>>>& choices,
                T& out) {
  add_parsed(
      command, flag,
      [choices](std::string_view text) -> absl::StatusOr<T> {
        std::vector<std::string> words;
        for (const auto& [word, value] : choices) {
          if (word == text) return value;
          words.push_back(word);
        }
        return not_among(text, words);
      },
      out);
}

// The same if the value is the word.
void add_word(CLI::App& command, const Flag& flag, const std::vector<std::string>& words,
              std::string& word);

// A flag whose value is a path.
void add_path(CLI::App& command, const Flag& flag, std::optional<std::filesystem::path>& path);
void add_folder(CLI::App& command, const std::string& name, const std::string& help,
                std::optional<std::filesystem::path>& folder);

// The flag that names plug-ins.
void add_plugins(CLI::App& command, std::vector<std::string>& plugins);

// The flag for the style of the progress display, which several commands have.
void add_progress(CLI::App& command, ProgressStyle& progress);
void add_format(CLI::App& command, const std::string& help, std::string& format);
void add_text_or_json(CLI::App& command, const std::string& help, bool& json);

// The flags that a function adds, as data: what a program tells another one of its flags.
nlohmann::json described_flags(const std::function<void(CLI::App&)>& add);

// Adds flags that another program described so, and reads. `given`: the values of those that were
// given, by their first names; that of a switch is empty. A malformed description adds nothing.
void add_described_flags(CLI::App& command, const nlohmann::json& flags,
                         std::map<std::string, std::string>& given);

// True if a flag, or a word without a flag, was given. A command may have a flag only with a
// capability that is not there.
bool was_given(const CLI::App& command, const std::string& name);

// The first of these flags that was given; empty if none was given.
std::string first_given(const CLI::App& command, std::initializer_list<const char*> names);

}  // namespace lockbench
