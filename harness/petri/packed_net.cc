// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/packed_net.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace lockbench::internal {
namespace {

constexpr std::uint32_t kWordBits = 64;

struct Width {
  std::uint32_t bits = 1;
  bool loose = false;
};

std::vector<Width> widths_of(const Net& net, const Invariants& invariants) {
  std::vector<Width> widths;
  for (const std::optional<std::uint64_t>& bound : bounds_of(net, invariants)) {
    const bool loose = !bound;
    const auto bits = loose ? kLooseBits : static_cast<std::uint32_t>(std::bit_width(*bound));
    widths.push_back({.bits = std::clamp(bits, 1U, kWordBits), .loose = loose});
  }
  for (std::size_t p = 0; p < widths.size(); ++p) {
    const auto needed = static_cast<std::uint32_t>(std::bit_width(net.places[p].tokens));
    widths[p].bits = std::max(widths[p].bits, widths[p].loose ? needed + 1 : needed);
  }
  // Places that change places are equally wide.
  for (const Symmetry& symmetry : net.symmetries) {
    for (std::size_t i = 0; i < symmetry.columns[0].size(); ++i) {
      Width widest;
      for (const auto& column : symmetry.columns) {
        widest.bits = std::max(widest.bits, widths[column[i]].bits);
        widest.loose = widest.loose || widths[column[i]].loose;
      }
      for (const auto& column : symmetry.columns) widths[column[i]] = widest;
    }
  }
  return widths;
}

class Layout {
 public:
  explicit Layout(PackedNet& packed) : packed_(packed) {}

  // The next `bits` that lie within one word.
  PackedColumn reserve(std::uint32_t bits) {
    if (used_ % kWordBits + bits > kWordBits) used_ = (used_ / kWordBits + 1) * kWordBits;
    const PackedColumn place = {.word = used_ / kWordBits, .shift = used_ % kWordBits};
    used_ += bits;
    packed_.words = (used_ + kWordBits - 1) / kWordBits;
    return place;
  }

 private:
  PackedNet& packed_;
  std::uint32_t used_ = 0;
};

std::uint64_t mask_of(std::uint32_t bits) {
  return bits == kWordBits ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

void place_field(PackedNet& packed, std::uint32_t place, PackedColumn where, Width width) {
  packed.fields[place] = {
      .word = where.word, .shift = where.shift, .mask = mask_of(width.bits), .loose = width.loose};
  packed.has_loose = packed.has_loose || width.loose;
}

void lay_out(const Net& net, const std::vector<Width>& widths, bool fold, PackedNet& packed) {
  Layout layout(packed);
  std::vector<bool> placed(net.places.size());
  std::uint32_t ids = 0;
  for (const Symmetry& symmetry : net.symmetries) {
    std::uint32_t bits = 0;
    for (const std::uint32_t place : symmetry.columns[0]) bits += widths[place].bits;
    if (!fold || bits > kWordBits || ids + symmetry.columns.size() > kNoColumn) continue;
    PackedSymmetry folded = {.mask = mask_of(bits), .first_id = ids};
    for (const auto& column : symmetry.columns) {
      PackedColumn where = layout.reserve(bits);
      folded.columns.push_back(where);
      ++ids;
      for (const std::uint32_t place : column) {
        place_field(packed, place, where, widths[place]);
        placed[place] = true;
        where.shift += widths[place].bits;
      }
    }
    packed.symmetries.push_back(std::move(folded));
  }
  for (std::uint32_t place = 0; place < net.places.size(); ++place) {
    if (placed[place]) continue;
    place_field(packed, place, layout.reserve(widths[place].bits), widths[place]);
  }
}

// The one column that a transition touches. Symmetries that are not folded have none.
std::uint32_t column_of(const PackedNet& packed, const NetTransition& transition) {
  std::uint32_t found = kNoColumn;
  for (const std::vector<Arc>* arcs : {&transition.takes, &transition.gives}) {
    for (const Arc& arc : *arcs) {
      const Field& field = packed.fields[arc.place];
      for (const PackedSymmetry& symmetry : packed.symmetries) {
        for (std::uint32_t i = 0; i < symmetry.columns.size(); ++i) {
          const PackedColumn& column = symmetry.columns[i];
          if (field.word != column.word || field.shift < column.shift) continue;
          if (((symmetry.mask << column.shift) >> field.shift & 1) == 0) continue;
          const std::uint32_t id = symmetry.first_id + i;
          if (found != kNoColumn && found != id) return kNoColumn;
          found = id;
        }
      }
    }
  }

  return found;
}

PackedTransition pack_transition(const PackedNet& packed, const NetTransition& transition) {
  PackedTransition out;
  out.need.resize(packed.words);
  out.delta.resize(packed.words);
  for (const Arc& arc : transition.takes) {
    const Field& field = packed.fields[arc.place];
    out.delta[field.word] -= std::uint64_t{arc.weight} << field.shift;
    if (field.mask == 1 && arc.weight == 1) {
      out.need[field.word] |= std::uint64_t{1} << field.shift;
    } else {
      out.tests.push_back({.field = field, .least = arc.weight});
    }
  }
  for (const Arc& arc : transition.gives) {
    const Field& field = packed.fields[arc.place];
    out.delta[field.word] += std::uint64_t{arc.weight} << field.shift;
    if (!field.loose) continue;
    const std::uint64_t least = field.mask >= arc.weight ? field.mask - arc.weight + 1 : 0;
    out.overflows.push_back({.field = field, .least = least});
  }
  out.column = column_of(packed, transition);
  return out;
}

// Each transition goes to the one of its needed bits that the fewest others need.
void index_by_key(PackedNet& packed) {
  packed.key_bits.assign(packed.words, 0);
  packed.by_key.assign(packed.words * kWordBits, {});
  packed.without_key.clear();
  std::vector<std::uint32_t> users(packed.words * kWordBits);
  const auto each_bit = [&packed](const PackedTransition& transition, const auto& visit) {
    for (std::size_t w = 0; w < packed.words; ++w) {
      for (std::uint64_t bits = transition.need[w]; bits != 0; bits &= bits - 1) {
        visit(w * kWordBits + static_cast<std::size_t>(std::countr_zero(bits)));
      }
    }
  };
  for (const PackedTransition& transition : packed.transitions) {
    each_bit(transition, [&users](std::size_t bit) { ++users[bit]; });
  }
  for (std::uint32_t t = 0; t < packed.transitions.size(); ++t) {
    std::optional<std::size_t> key;
    each_bit(packed.transitions[t], [&](std::size_t bit) {
      if (!key || users[bit] < users[*key]) key = bit;
    });
    if (!key) {
      packed.without_key.push_back(t);
      continue;
    }
    packed.by_key[*key].push_back(t);
    packed.key_bits[*key / kWordBits] |= std::uint64_t{1} << (*key % kWordBits);
  }
}

PackedSum pack_claim(const PackedNet& packed, const Claim& claim) {
  PackedSum sum = {.bits = std::vector<std::uint64_t>(packed.words), .most = claim.most};
  for (const std::uint32_t place : claim.places) {
    const Field& field = packed.fields[place];
    const std::uint64_t bit = std::uint64_t{1} << field.shift;
    if (field.mask == 1 && (sum.bits[field.word] & bit) == 0) {
      sum.bits[field.word] |= bit;
    } else {
      sum.wide.push_back(field);
    }
  }
  return sum;
}

}  // namespace

PackedNet pack(const Net& net, const Invariants& invariants, bool fold) {
  PackedNet packed;
  packed.fields.resize(net.places.size());
  lay_out(net, widths_of(net, invariants), fold, packed);
  packed.words = std::max<std::size_t>(packed.words, 1);
  packed.initial.resize(packed.words);
  for (std::size_t p = 0; p < net.places.size(); ++p) {
    const Field& field = packed.fields[p];
    packed.initial[field.word] |= std::uint64_t{net.places[p].tokens} << field.shift;
  }
  for (const NetTransition& transition : net.transitions) {
    packed.transitions.push_back(pack_transition(packed, transition));
  }
  for (const Claim& claim : net.claims) packed.claims.push_back(pack_claim(packed, claim));
  for (const Arc& arc : net.final_tokens) {
    packed.final_tests.push_back({.field = packed.fields[arc.place], .least = arc.weight});
  }
  index_by_key(packed);
  return packed;
}

PackedNet reversed(const Net& net, const PackedNet& packed) {
  PackedNet back = packed;
  back.transitions.clear();
  for (const NetTransition& transition : net.transitions) {
    const NetTransition turned = {.takes = transition.gives, .gives = transition.takes};
    back.transitions.push_back(pack_transition(packed, turned));
  }
  index_by_key(back);
  return back;
}

Marking unpacked(const PackedNet& packed, const std::uint64_t* words) {
  Marking marking;
  for (const Field& field : packed.fields) {
    marking.push_back(static_cast<std::uint32_t>(field.read(words)));
  }
  return marking;
}

}  // namespace lockbench::internal
