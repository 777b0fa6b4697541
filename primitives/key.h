// SPDX-License-Identifier: Apache-2.0

// Keys: how a key becomes a hash, and how several parts become one key.
//
// Guarantees   the same hash in every process and run, so that which keys share a stripe can be
//              repeated; every bit of the key reaches every bit of the hash.
// Not offered  resistance to somebody who chooses keys in order to collide: the hash has no secret.
// Source       the multiply-and-fold step is Wang Yi's, "wyhash", 2019; the integer mixer is
//              Sebastiano Vigna's choice of constants for SplitMix64, 2015.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace lockbench {

namespace internal {

inline std::uint64_t fold_multiply(std::uint64_t a, std::uint64_t b) noexcept {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

template <std::unsigned_integral Word>
Word read_word(const char* bytes) noexcept {
  Word word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

inline constexpr std::uint64_t kOddA = 0xa0761d6478bd642f;
inline constexpr std::uint64_t kOddB = 0xe7037ed1a0b428db;
inline constexpr std::uint64_t kOddC = 0x8ebc6af09c88c6e3;

}  // namespace internal

// Hash of a key; O(length), about 1 ns for an integer and 2-4 ns for a short string.
struct KeyHash {
  std::uint64_t operator()(std::uint64_t key) const noexcept {
    key += 0x9e3779b97f4a7c15;
    key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9;
    key = (key ^ (key >> 27)) * 0x94d049bb133111eb;
    return key ^ (key >> 31);
  }

  std::uint64_t operator()(std::string_view key) const noexcept {
    using internal::fold_multiply;
    using internal::kOddA;
    using internal::kOddB;
    using internal::kOddC;
    using internal::read_word;
    const char* at = key.data();
    std::size_t left = key.size();
    std::uint64_t state = kOddA;
    const auto fold_head = [&] {
      return fold_multiply(read_word<std::uint64_t>(at) ^ kOddB,
                           read_word<std::uint64_t>(at + 8) ^ state);
    };
    for (; left > 32; left -= 16, at += 16) state = fold_head();
    // Two blocks that may overlap, neither of which waits for the other's product.
    if (left > 16) {
      const char* const last = at + left - 16;
      const std::uint64_t tail = fold_multiply(read_word<std::uint64_t>(last) ^ kOddC,
                                               read_word<std::uint64_t>(last + 8) ^ kOddA);
      return fold_multiply(kOddB ^ key.size() ^ fold_head(), kOddC ^ tail);
    }
    // The last 1 to 16 bytes, read as two words that may overlap.
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    if (left >= 8) {
      first = read_word<std::uint64_t>(at);
      last = read_word<std::uint64_t>(at + left - 8);
    } else if (left >= 4) {
      first = read_word<std::uint32_t>(at);
      last = read_word<std::uint32_t>(at + left - 4);
    } else {
      for (std::size_t i = 0; i < left; ++i) {
        first = (first << 8) | static_cast<unsigned char>(at[i]);
      }
    }
    return fold_multiply(kOddB ^ key.size(), fold_multiply(first ^ kOddA, last ^ state ^ kOddB));
  }
};

// Hash under which strings that differ only in the case of ASCII letters are one key. Letters
// beyond ASCII are compared as bytes: case there depends on a language, and a lock has none.
struct CaseInsensitiveHash {
  std::uint64_t operator()(std::uint64_t key) const noexcept { return KeyHash{}(key); }

  std::uint64_t operator()(std::string_view key) const noexcept {
    std::uint64_t state = internal::kOddA ^ key.size();
    for (const char c : key) {
      const char lower = (c >= 'A' && c <= 'Z') ? static_cast<char>(c - 'A' + 'a') : c;
      state = internal::fold_multiply(state ^ static_cast<unsigned char>(lower), internal::kOddB);
    }
    return state;
  }
};

// One key made of parts, in which order counts: ("a", "b") is not ("b", "a"), nor ("ab", "").
struct CompositeKey {
  std::uint64_t hash = 0;
};

// `Hash` is applied to each part. O(length of all parts).
template <class Hash = KeyHash, class... Parts>
CompositeKey composite(const Parts&... parts) noexcept {
  std::uint64_t state = internal::kOddB;
  const auto add = [&state](auto part) {
    state = internal::fold_multiply(std::rotl(state, 29) ^ Hash{}(part), internal::kOddA);
  };
  const auto as_key = [](const auto& part) {
    if constexpr (std::convertible_to<decltype(part), std::string_view>) {
      return std::string_view(part);
    } else {
      return static_cast<std::uint64_t>(part);
    }
  };
  (add(as_key(parts)), ...);
  return {.hash = state};
}

// An index below `count`, taken from the high bits of `hash`; any count, no division.
// Source: D. Lemire, "Fast Random Integer Generation in an Interval", 2019.
inline std::size_t index_below(std::size_t count, std::uint64_t hash) noexcept {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::size_t>((static_cast<Wide>(hash) * count) >> 64);
}

}  // namespace lockbench
