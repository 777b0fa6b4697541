// SPDX-License-Identifier: Apache-2.0

// Fingerprint: a short name for a text, the same on every machine and in every version.
#pragma once

#include <string>
#include <string_view>

namespace lockbench {

// 16 hexadecimal digits. Texts that differ by accident have different fingerprints. It does not
// protect against texts that are constructed to collide. FNV-1a of 64 bits (G. Fowler, L. C. Noll,
// K.-P. Vo, 1991).
std::string fingerprint(std::string_view text);

}  // namespace lockbench
