// SPDX-License-Identifier: Apache-2.0

#include "tests/fuzz/seed_words.h"

#include <cctype>
#include <fstream>
#include <string_view>

#include <absl/strings/str_format.h>

namespace lockbench::fuzz {
namespace {

namespace fs = std::filesystem;

bool is_in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

void write(const fs::path& file, std::string_view text) {
  std::ofstream out(file, std::ios::binary);
  out.exceptions(std::ios::failbit | std::ios::badbit);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
}

std::string dictionary_of(const std::set<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += '"';
    for (const char c : word) text += absl::StrFormat("\\x%02x", static_cast<unsigned char>(c));
    text += "\"\n";
  }
  return text;
}

}  // namespace

std::set<std::string> words_of(const Seeds& seeds) {
  using namespace std::string_literals;
  std::set<std::string> words{"\"",        "\n",    "\r",   ",", "\\",
                              "{",         "}",     "[",    "]", "-1",
                              "0",         "1e308", "\0"s,  "<", ">",
                              "&",         ":",     "=",    "#", "null",
                              "true",      "1e999", "\xff", "'", "99999999999999999999",
                              "4294967295"};
  for (const std::string& seed : seeds) {
    for (std::size_t begin = 0; begin < seed.size();) {
      std::size_t end = begin;
      while (end < seed.size() && is_in_word(seed[end])) ++end;
      if (end - begin >= 2) words.insert(seed.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  return words;
}

void write_seeds(const fs::path& folder) {
  for (const Target& target : all_targets()) {
    const fs::path own = folder / target.name;
    fs::create_directories(own / "seeds");
    const Seeds seeds = target.seeds();
    for (std::size_t i = 0; i < seeds.size(); ++i) {
      write(own / "seeds" / std::to_string(i), seeds[i]);
    }
    write(own / "words", dictionary_of(words_of(seeds)));
  }
}

}  // namespace lockbench::fuzz
