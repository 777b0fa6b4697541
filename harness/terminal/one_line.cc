// SPDX-License-Identifier: Apache-2.0

#include "harness/terminal/one_line.h"

#include <cstdio>

namespace lockbench {
namespace {

constexpr unsigned char kDelete = 0x7f;

std::string spelt_out(unsigned char c) {
  if (c == '\n') return "\\n";
  if (c == '\r') return "\\r";
  if (c == '\t') return "\\t";
  char text[8];
  std::snprintf(text, sizeof text, "\\x%02x", c);
  return text;
}

}  // namespace

std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < ' ' || byte == kDelete) {
      line += spelt_out(byte);
    } else {
      line += c;
    }
  }
  return line;
}

}  // namespace lockbench
