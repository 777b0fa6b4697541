// SPDX-License-Identifier: Apache-2.0

// Readable: figures as people read them: three significant digits and a unit. Pure.
//
// The same figure reads the same in the report: scripts/analysis/units.py is the other side.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lockbench {

// 1234 -> 1,230; 0.01234 -> 0.0123.
std::string readable_digits(double value, int significant = 3);

// 1234567 -> 1.23 M.
std::string readable_count(double value);

// 1234 -> 1.23 µs.
std::string readable_ns(double value);

// 4096 -> 4 KiB.
std::string readable_bytes(double value);

// Nothing rounded: 1000000 -> 1 MB, 65536 -> 64 KiB, 1001 -> 1,001 B.
std::string exact_bytes(std::uint64_t bytes);

// 1.234 -> 1.23×.
std::string readable_ratio(double value);

// 12345 -> 12,345.
std::string readable_whole(std::uint64_t value);

// "1 key", "10,000 keys".
std::string readable_plural(std::uint64_t count, std::string_view thing);

}  // namespace lockbench
