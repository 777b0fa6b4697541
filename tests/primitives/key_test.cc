// SPDX-License-Identifier: Apache-2.0

// Keys: hashes, composites, indexes.
#include "primitives/key.h"

#include <bit>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace lockbench {
namespace {

constexpr std::uint64_t kGreatest = std::numeric_limits<std::uint64_t>::max();

TEST(WideProduct, OfHalvesIsThatOfTheCompiler) {
  const std::uint64_t numbers[] = {0,
                                   1,
                                   2,
                                   0xffffffff,
                                   0x100000000,
                                   0xa0761d6478bd642f,
                                   kGreatest,
                                   kGreatest - 1,
                                   0xffffffff00000000};
  for (const std::uint64_t a : numbers) {
    for (const std::uint64_t b : numbers) {
      const internal::WideProduct of_halves = internal::wide_product_of_halves(a, b);
      EXPECT_EQ(of_halves.low, a * b);
      EXPECT_EQ(of_halves.high, internal::wide_product(a, b).high) << a << " " << b;
    }
  }
}

TEST(KeyHash, DependsOnTheCharactersAndNotOnWhereTheyLie) {
  const std::string text = "xxabcdefghijklmnopqrstuvwxyz0123456789";
  for (std::size_t length = 0; length <= 36; ++length) {
    const std::string copy = text.substr(2, length);
    EXPECT_EQ(KeyHash{}(std::string_view(text).substr(2, length)),
              KeyHash{}(std::string_view(copy)));
  }
}

TEST(KeyHash, TellsEveryPrefixFromTheOthers) {
  const std::string zeros(100, '\0');
  std::set<std::uint64_t> hashes;
  for (std::size_t n = 0; n <= zeros.size(); ++n) {
    hashes.insert(KeyHash{}(std::string_view(zeros).substr(0, n)));
  }
  EXPECT_EQ(hashes.size(), zeros.size() + 1);
}

TEST(KeyHash, EveryByteOfAStringCounts) {
  for (const std::size_t length : {1, 3, 4, 7, 8, 15, 16, 17, 32, 33}) {
    std::string text(length, 'a');
    const std::uint64_t plain = KeyHash{}(std::string_view(text));
    for (char& c : text) {
      c = 'b';
      EXPECT_NE(KeyHash{}(std::string_view(text)), plain) << length;
      c = 'a';
    }
  }
}

// Half the bits on average; the bounds are six standard deviations of a mean of 64 x 64 bits wide.
TEST(KeyHash, OneBitOfAnIntegerChangesAboutHalfTheHash) {
  int changed = 0;
  for (int bit = 0; bit < 64; ++bit) {
    for (std::uint64_t key = 0; key < 64; ++key) {
      changed += std::popcount(KeyHash{}(key) ^ KeyHash{}(key ^ (std::uint64_t{1} << bit)));
    }
  }
  EXPECT_NEAR(changed / (64.0 * 64.0), 32.0, 6 * 4.0 / 64.0);
}

TEST(KeyHash, NeighbouringIntegersSpreadOverIndexes) {
  constexpr std::size_t kCount = 20;
  std::vector<int> hits(kCount);
  for (std::uint64_t key = 0; key < 20'000; ++key) ++hits[index_below(kCount, KeyHash{}(key))];
  // 1,000 expected in each, with a standard deviation of 31.
  for (const int n : hits) EXPECT_NEAR(n, 1000, 6 * 31);
}

TEST(CaseInsensitiveHash, IgnoresTheCaseOfAsciiLettersAlone) {
  const CaseInsensitiveHash hash;
  EXPECT_EQ(hash("Ann@Example.ORG"), hash("ann@example.org"));
  EXPECT_NE(hash("ann@example.org"), hash("bob@example.org"));
  EXPECT_NE(hash("@"), hash("`"));  // 32 apart, as letters of two cases are, but no letters
  EXPECT_NE(hash("["), hash("{"));
  EXPECT_NE(hash("\xC4"), hash("\xE4"));
  EXPECT_EQ(hash(std::uint64_t{5}), KeyHash{}(std::uint64_t{5}));
}

TEST(Composite, OrderMatters) {
  EXPECT_NE(composite("a", "b").hash, composite("b", "a").hash);
  EXPECT_NE(composite(std::uint64_t{1}, std::uint64_t{2}).hash,
            composite(std::uint64_t{2}, std::uint64_t{1}).hash);
}

TEST(Composite, BoundariesOfPartsMatter) {
  EXPECT_NE(composite("a", "b").hash, composite("ab", "").hash);
  EXPECT_NE(composite("a", "b").hash, composite("", "ab").hash);
  EXPECT_NE(composite("a", "b").hash, composite("ab").hash);
  EXPECT_NE(composite("ab").hash, composite("ab", "").hash);
}

TEST(Composite, EqualPartsMakeEqualKeysWhateverTheirStringType) {
  const std::string tenant = "tenant";
  EXPECT_EQ(composite(tenant, 7).hash, composite("tenant", std::uint64_t{7}).hash);
  EXPECT_EQ(composite(std::string_view(tenant), 7).hash, composite(tenant, 7).hash);
}

TEST(Composite, PartsCanIgnoreCase) {
  EXPECT_EQ(composite<CaseInsensitiveHash>("Tenant", 7).hash,
            composite<CaseInsensitiveHash>("tenant", 7).hash);
  EXPECT_NE(composite("Tenant", 7).hash, composite("tenant", 7).hash);
}

TEST(Composite, NumbersOfEqualBitsButDifferentValuesDiffer) {
  EXPECT_NE(composite(-1).hash, composite(kGreatest).hash);
  EXPECT_NE(composite(true).hash, composite(1).hash);
  EXPECT_EQ(composite(std::int8_t{-1}).hash, composite(std::int64_t{-1}).hash);
  EXPECT_EQ(composite(std::uint8_t{7}).hash, composite(std::int64_t{7}).hash);
}

template <class Part>
concept PartOfComposite = requires(Part part) {
  composite(part);
};
static_assert(PartOfComposite<int> && PartOfComposite<const char*> && PartOfComposite<std::string>);
static_assert(!PartOfComposite<double>, "1.2 and 1.9 would be one key");
static_assert(!PartOfComposite<char>, "is it a number or a string?");

// As std::hash of an integer: it hands its argument on.
struct IdentityHash {
  std::uint64_t operator()(std::uint64_t key) const noexcept { return key; }
  std::uint64_t operator()(std::string_view key) const noexcept { return key.size(); }
};

TEST(SpreadHash, EveryBitOfAnotherHashReachesEveryBit) {
  int changed = 0;
  for (std::uint64_t key = 0; key < 100; ++key) {
    for (int bit = 0; bit < 64; ++bit) {
      changed += std::popcount(spread_hash<IdentityHash>(key) ^
                               spread_hash<IdentityHash>(key ^ (std::uint64_t{1} << bit)));
    }
  }
  EXPECT_NEAR(changed / 6400.0, 32, 1);
}

TEST(SpreadHash, LeavesOurOwnAsTheyAre) {
  EXPECT_EQ(spread_hash<KeyHash>(std::uint64_t{5}), KeyHash{}(std::uint64_t{5}));
  EXPECT_EQ(spread_hash<CaseInsensitiveHash>(std::string_view("Ann")),
            CaseInsensitiveHash{}(std::string_view("ann")));
}

TEST(CaseInsensitiveHash, ComparesAndOrdersKeysAsItHashesThem) {
  constexpr KeyTraits<CaseInsensitiveHash> kTraits;
  EXPECT_TRUE(kTraits.equal(std::string_view("Ann"), std::string_view("aNN")));
  EXPECT_FALSE(kTraits.equal(std::string_view("Ann"), std::string_view("Anne")));
  EXPECT_FALSE(kTraits.equal(std::string_view("["), std::string_view("{")));
  for (const std::string_view bob : {"bob", "BOB"}) {
    for (const std::string_view ann : {"ann", "ANN"}) {
      EXPECT_TRUE(kTraits.less(ann, bob));
      EXPECT_FALSE(kTraits.less(bob, ann));
    }
  }
  EXPECT_FALSE(kTraits.less(std::string_view("ANN"), std::string_view("ann")));
  EXPECT_TRUE(kTraits.less(std::string_view("Ann"), std::string_view("anne")));
}

TEST(IndexBelow, IsInRangeForAnyCount) {
  for (const std::size_t count : {1, 2, 3, 7, 20, 64, 100, 1'000'003}) {
    for (const std::uint64_t hash : {std::uint64_t{0}, std::uint64_t{1}, kGreatest / 3,
                                     kGreatest / 2, kGreatest - 1, kGreatest}) {
      EXPECT_LT(index_below(count, hash), count);
    }
    EXPECT_EQ(index_below(count, 0), 0u);
    EXPECT_EQ(index_below(count, kGreatest), count - 1);
  }
}

TEST(IndexBelow, ReachesEveryIndex) {
  for (const std::size_t count : {1, 3, 20, 64}) {
    std::set<std::size_t> seen;
    for (std::uint64_t key = 0; key < 100 * count; ++key) {
      seen.insert(index_below(count, KeyHash{}(key)));
    }
    EXPECT_EQ(seen.size(), count);
  }
}

}  // namespace
}  // namespace lockbench
