// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/net/packed_net.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace lockbench::internal {
namespace {

constexpr std::uint32_t kWordBits = 64;

struct Width {
  std::uint32_t bits = 1;
  bool unbounded = false;
};

std::vector<Width> widths_of(const Net& net, const Invariants& invariants) {
  std::vector<Width> widths;
  for (const std::optional<std::uint64_t>& bound : bounds_of(net, invariants)) {
    const bool unbounded = !bound;
    const auto bits =
        unbounded ? kUnboundedBits : static_cast<std::uint32_t>(std::bit_width(*bound));
    widths.push_back({.bits = std::clamp(bits, 1U, kWordBits), .unbounded = unbounded});
  }
  for (std::size_t p = 0; p < widths.size(); ++p) {
    const auto needed = static_cast<std::uint32_t>(std::bit_width(net.places[p].tokens));
    widths[p].bits = std::max(widths[p].bits, widths[p].unbounded ? needed + 1 : needed);
  }
  // Components that can be exchanged have the same width.
  for (const Symmetry& symmetry : net.symmetries) {
    for (std::size_t i = 0; i < symmetry.components[0].size(); ++i) {
      Width widest;
      for (const auto& component : symmetry.components) {
        widest.bits = std::max(widest.bits, widths[component[i]].bits);
        widest.unbounded = widest.unbounded || widths[component[i]].unbounded;
      }
      for (const auto& component : symmetry.components) widths[component[i]] = widest;
    }
  }
  return widths;
}

class FieldAllocator {
 public:
  explicit FieldAllocator(PackedNet& packed) : packed_(packed) {}

  // The next `bits` that lie within one word.
  PackedComponent reserve(std::uint32_t bits) {
    if (used_ % kWordBits + bits > kWordBits) used_ = (used_ / kWordBits + 1) * kWordBits;
    const PackedComponent place = {.word = used_ / kWordBits, .shift = used_ % kWordBits};
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

void place_field(PackedNet& packed, std::uint32_t place, PackedComponent where, Width width) {
  packed.fields[place] = {.word = where.word,
                          .shift = where.shift,
                          .mask = mask_of(width.bits),
                          .unbounded = width.unbounded};
  packed.has_unbounded = packed.has_unbounded || width.unbounded;
}

void lay_out(const Net& net, const std::vector<Width>& widths, bool reduce, PackedNet& packed) {
  FieldAllocator allocator(packed);
  std::vector<bool> placed(net.places.size());
  std::uint32_t ids = 0;
  for (const Symmetry& symmetry : net.symmetries) {
    std::uint32_t bits = 0;
    for (const std::uint32_t place : symmetry.components[0]) bits += widths[place].bits;
    if (!reduce || bits > kWordBits || ids + symmetry.components.size() > kNoComponent) continue;
    PackedSymmetry packed_symmetry = {.mask = mask_of(bits), .first_id = ids};
    for (const auto& component : symmetry.components) {
      PackedComponent where = allocator.reserve(bits);
      packed_symmetry.components.push_back(where);
      ++ids;
      for (const std::uint32_t place : component) {
        place_field(packed, place, where, widths[place]);
        placed[place] = true;
        where.shift += widths[place].bits;
      }
    }
    packed.symmetries.push_back(std::move(packed_symmetry));
  }
  for (std::uint32_t place = 0; place < net.places.size(); ++place) {
    if (placed[place]) continue;
    place_field(packed, place, allocator.reserve(widths[place].bits), widths[place]);
  }
}

// The only component that a transition touches, or kNoComponent.
std::uint32_t component_of(const PackedNet& packed, const NetTransition& transition) {
  std::uint32_t found = kNoComponent;
  for (const std::vector<Arc>* arcs : {&transition.pre, &transition.post}) {
    for (const Arc& arc : *arcs) {
      const Field& field = packed.fields[arc.place];
      for (const PackedSymmetry& symmetry : packed.symmetries) {
        for (std::uint32_t i = 0; i < symmetry.components.size(); ++i) {
          const PackedComponent& component = symmetry.components[i];
          if (field.word != component.word || field.shift < component.shift) continue;
          if (((symmetry.mask << component.shift) >> field.shift & 1) == 0) continue;
          const std::uint32_t id = symmetry.first_id + i;
          if (found != kNoComponent && found != id) return kNoComponent;
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
  for (const Arc& arc : transition.pre) {
    const Field& field = packed.fields[arc.place];
    out.delta[field.word] -= std::uint64_t{arc.weight} << field.shift;
    if (field.mask == 1 && arc.weight == 1) {
      out.need[field.word] |= std::uint64_t{1} << field.shift;
    } else {
      out.tests.push_back({.field = field, .least = arc.weight});
    }
  }
  for (const Arc& arc : transition.post) {
    const Field& field = packed.fields[arc.place];
    out.delta[field.word] += std::uint64_t{arc.weight} << field.shift;
    if (!field.unbounded) continue;
    const std::uint64_t least = field.mask >= arc.weight ? field.mask - arc.weight + 1 : 0;
    out.overflows.push_back({.field = field, .least = least});
  }
  out.component = component_of(packed, transition);
  return out;
}

// Indexes each transition by the bit of its pre-set that the fewest other transitions need.
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

PackedSum pack_property(const PackedNet& packed, const SafetyProperty& property) {
  PackedSum sum = {.bits = std::vector<std::uint64_t>(packed.words), .most = property.most};
  for (const std::uint32_t place : property.places) {
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

PackedNet pack(const Net& net, const Invariants& invariants, bool reduce) {
  PackedNet packed;
  packed.fields.resize(net.places.size());
  lay_out(net, widths_of(net, invariants), reduce, packed);
  packed.words = std::max<std::size_t>(packed.words, 1);
  if (packed.words > kWidestWords) return packed;
  packed.initial.resize(packed.words);
  for (std::size_t p = 0; p < net.places.size(); ++p) {
    const Field& field = packed.fields[p];
    packed.initial[field.word] |= std::uint64_t{net.places[p].tokens} << field.shift;
  }
  for (const NetTransition& transition : net.transitions) {
    packed.transitions.push_back(pack_transition(packed, transition));
  }
  for (const SafetyProperty& property : net.properties)
    packed.properties.push_back(pack_property(packed, property));
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
    const NetTransition turned = {.pre = transition.post, .post = transition.pre};
    back.transitions.push_back(pack_transition(packed, turned));
  }
  index_by_key(back);
  return back;
}

}  // namespace lockbench::internal
