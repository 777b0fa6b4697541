// SPDX-License-Identifier: Apache-2.0

// Key order: the order in which a thread takes several keys of one primitive.
#pragma once

#include <algorithm>
#include <concepts>
#include <ranges>
#include <utility>
#include <vector>

#include "primitives/key.h"

namespace lockbench::internal {

// The different ones of `keys`, in the order that all threads follow. O(n log n).
template <class K, class Hash, class Range>
std::vector<K> keys_in_order(Range& keys) {
  using Traits = KeyTraits<Hash>;
  static_assert(!std::integral<K> || !std::floating_point<std::ranges::range_value_t<Range>>,
                "a number with a fraction is no key: 1.2 and 1.9 would be one");
  std::vector<K> ordered;
  if constexpr (std::ranges::sized_range<Range>) ordered.reserve(std::ranges::size(keys));
  for (auto&& key : keys) ordered.push_back(K(std::forward<decltype(key)>(key)));
  std::sort(ordered.begin(), ordered.end(),
            [](const K& a, const K& b) { return Traits::less(a, b); });
  ordered.erase(std::unique(ordered.begin(), ordered.end(),
                            [](const K& a, const K& b) { return Traits::equal(a, b); }),
                ordered.end());
  return ordered;
}

}  // namespace lockbench::internal
