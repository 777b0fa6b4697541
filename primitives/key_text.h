// SPDX-License-Identifier: Apache-2.0

// KeyText: several parts as one string key, so that no two different lists of parts are one key.
//
//   lockbench::KeyText order("order", tenant, 42, lockbench::any_case(email));
//   auto handle = locks.handle(order.view());
//
// Guarantees   equal texts exactly for equal lists: ("a", "b") is not ("b", "a") nor ("ab", ""),
//              and the number 42 is not the string "42". Numbers are equal if their values are,
//              whatever their types; -1 is not 2^64-1, and true is not 1. What composite() promises
//              up to collisions of hashes holds here without exception, for primitives that keep
//              the key itself.
// Not offered  a text for people: it holds lengths and numbers as bytes. It is the same in every
//              run on machines of one byte order.
// Cost         no allocation up to kInside bytes; each part takes its characters and 9 bytes, a
//              number 9 bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "primitives/key.h"

namespace lockbench {

// A part whose ASCII letters count without their case; see CaseInsensitiveHash.
struct AnyCase {
  std::string_view text;
};

inline AnyCase any_case(std::string_view text) {
  return {text};
}

class KeyText {
 public:
  static constexpr std::size_t kInside = 112;

  // Parts are strings, AnyCase or whole numbers up to 64 bits; views of them are read now.
  template <class... Parts>
  explicit KeyText(const Parts&... parts) {
    (add(parts), ...);
  }

  KeyText(const KeyText&) = delete;
  KeyText& operator=(const KeyText&) = delete;

  // Valid as long as the object.
  std::string_view view() const {
    return outside_.empty() ? std::string_view(inside_.data(), size_) : std::string_view(outside_);
  }

  void add(std::string_view part) {
    append_string(part, [](char c) { return c; });
  }
  void add(const char* part) { add(std::string_view(part)); }
  void add(const std::string& part) { add(std::string_view(part)); }
  void add(AnyCase part) { append_string(part.text, CaseInsensitiveHash::lower); }

  template <NumberPart Number>
  void add(Number part) {
    append_word(static_cast<char>(internal::kind_of(part)), static_cast<std::uint64_t>(part));
  }

  // A part that no string or number equals: one for each object in the process.
  void add_identity(const void* object) {
    append_word('i', static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(object)));
  }

  // Separates what came before from what comes after: it equals no part.
  void add_mark() { append_word('m', 0); }

  // The parts of another text, before those still to come.
  void add_all_of(const KeyText& other) { append(other.view()); }

 private:
  template <class Change>
  void append_string(std::string_view part, Change change) {
    append_word('s', part.size());
    for (const char c : part) {
      const char changed = change(c);
      append({&changed, 1});
    }
  }

  // A kind and eight bytes: no word is the beginning of another, so the parts are unambiguous.
  void append_word(char kind, std::uint64_t word) {
    std::array<char, 1 + sizeof word> bytes;
    bytes[0] = kind;
    std::memcpy(bytes.data() + 1, &word, sizeof word);
    append({bytes.data(), bytes.size()});
  }

  void append(std::string_view bytes) {
    if (outside_.empty() && size_ + bytes.size() <= kInside) {
      std::memcpy(inside_.data() + size_, bytes.data(), bytes.size());
      size_ += bytes.size();
      return;
    }
    if (outside_.empty()) outside_.assign(inside_.data(), size_);
    outside_.append(bytes);
  }

  std::array<char, kInside> inside_;
  std::size_t size_ = 0;  // of inside_, as long as outside_ is empty
  std::string outside_;
};

}  // namespace lockbench
