// SPDX-License-Identifier: Apache-2.0

#include "harness/plan/preset_template.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "harness/plan/preset_file.h"
#include "harness/plan/sweep_fields.h"

namespace lockbench {
namespace {

constexpr std::size_t kColumns = 100;

// The keys that a first preset needs; the others are commented out.
constexpr std::array<std::string_view, 8> kActive{"title",    "description", "blocks", "primitive",
                                                  "workload", "threads",     "keys",   "hold"};

// The text as comment lines of at most kColumns characters.
std::string comment(std::string_view text) {
  std::string lines;
  std::string line = "#";
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (line.size() + 1 + word.size() > kColumns) {
      lines += line + "\n";
      line = "#";
    }
    line += " " + std::string(word);
  }
  return lines + line + "\n";
}

std::string default_text(std::string_view usual) {
  return (usual.starts_with("required") ? "" : "default: ") + std::string(usual);
}

std::string key_lines(std::string_view name, const std::string& meaning, std::string_view example) {
  const bool active = std::find(kActive.begin(), kActive.end(), name) != kActive.end();
  return comment(meaning) + (active ? "" : "# ") + std::string(name) + " = " +
         std::string(example) + "\n\n";
}

}  // namespace

std::string preset_template() {
  std::string text =
      "# A preset for lockbench. It runs as it is:\n"
      "#\n"
      "#   lockbench run FILE.toml --dry-run --verbose   lists its trials\n"
      "#   lockbench run FILE.toml                       measures them\n"
      "#\n"
      "# A key that is commented out shows an example; without it, the default holds.\n\n";
  for (const PresetKey& key : preset_keys()) {
    text +=
        key_lines(key.name, std::string(key.wants) + "; " + default_text(key.usual), key.example);
  }
  text +=
      "# A sweep measures all combinations of the values of its keys. A preset may have several.\n"
      "[[sweep]]\n\n";
  for (const SweepField& field : sweep_fields()) {
    const std::string several = field.axis ? "one value or an array: " : "";
    text +=
        key_lines(field.name, several + std::string(field.wants) + "; " + default_text(field.usual),
                  field.example);
  }
  text.pop_back();  // the blank line at the end
  return text;
}

}  // namespace lockbench
