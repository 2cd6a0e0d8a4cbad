#include "fuzz/bench/toy_language.h"

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "reference/digest.h"

namespace wddm::fuzz::toy {
namespace {

Kind kind_of(const Op& op) {
  return static_cast<Kind>(op.kind);
}
bool names_a(const Op& op) {
  return kind_of(op) != Kind::Nothing;
}
bool names_b(const Op& op) {
  return kind_of(op) == Kind::Link;
}
bool has_value(const Op& op) {
  return kind_of(op) == Kind::Write || kind_of(op) == Kind::Tag;
}

// How many of the ops before `index` that stay create something.
std::uint8_t ordinal_of(std::span<const Op> ops, const std::vector<bool>& gone, std::size_t index) {
  std::uint8_t ordinal = 0;
  for (std::size_t i = 0; i < index; ++i) {
    if (!gone[i] && kind_of(ops[i]) == Kind::Create) ++ordinal;
  }
  return ordinal;
}

// Handles as ordinals: each op goes on naming what it named.
void keep_names(Op& op, const Named& names, std::span<const Op> ops,
                const std::vector<bool>& gone) {
  if (names.a != kNobody) op.a = ordinal_of(ops, gone, names.a);
  if (names.b != kNobody) op.b = ordinal_of(ops, gone, names.b);
}

}  // namespace

template <Handles handles>
std::vector<Op> Language<handles>::normalised(std::span<const Op> ops) {
  Ops result;
  for (Op op : ops) {
    op.kind %= kKinds;
    if (!names_a(op)) continue;
    if (handles == Handles::Explicit) op.a %= kSlots;
    if (handles == Handles::Explicit) op.b %= kSlots;
    if (handles == Handles::Ordinal && kind_of(op) == Kind::Create) op.a = 0;
    if (!names_b(op)) op.b = 0;
    if (!has_value(op)) op.v = 0;
    result.push_back(op);
  }
  return result;
}

template <Handles handles>
std::uint64_t Language<handles>::hash(std::span<const Op> ops) {
  static_assert(std::has_unique_object_representations_v<Op>);
  return digest({reinterpret_cast<const std::uint8_t*>(ops.data()), ops.size_bytes()});
}

template <Handles handles>
std::vector<Op> Language<handles>::without(std::span<const Op> ops, std::vector<bool> gone) {
  std::vector<Named> named;
  static_cast<void>(bug_shows(ops, handles, &named));
  Ops rest;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    for (const std::size_t creator : {named[i].a, named[i].b}) {
      if (creator != kNobody && gone[creator]) gone[i] = true;
    }
    if (gone[i]) continue;
    rest.push_back(ops[i]);
    if (handles == Handles::Ordinal) keep_names(rest.back(), named[i], ops, gone);
  }
  return rest;
}

template <Handles handles>
std::vector<std::vector<Op>> Language<handles>::without_alone(std::span<const Op> ops,
                                                              std::size_t one) {
  Ops alone(ops.begin(), ops.end());
  alone.erase(alone.begin() + static_cast<std::ptrdiff_t>(one));
  return {alone};
}

template <Handles handles>
std::vector<Id> Language<handles>::ids(std::span<const Op> ops) {
  std::vector<Id> found;
  const auto add = [&found](std::uint8_t number) {
    const Id id{0, number};
    if (std::find(found.begin(), found.end(), id) == found.end()) found.push_back(id);
  };
  if (handles == Handles::Ordinal) return found;
  for (const Op& op : ops) {
    if (names_a(op)) add(op.a);
    if (names_b(op)) add(op.b);
  }
  return found;
}

template <Handles handles>
std::vector<Op> Language<handles>::renamed(std::span<const Op> ops,
                                           const std::map<Id, std::uint32_t>& to) {
  Ops result(ops.begin(), ops.end());
  const auto rename = [&to](std::uint8_t& number) {
    const auto found = to.find({0, number});
    if (found != to.end()) number = static_cast<std::uint8_t>(found->second);
  };
  for (Op& op : result) {
    if (names_a(op)) rename(op.a);
    if (names_b(op)) rename(op.b);
  }
  return result;
}

template <Handles handles>
std::vector<Value> Language<handles>::values(const Op& op) {
  if (!has_value(op)) return {};
  return {{.now = op.v, .fallback = 0, .lowest = 0, .meaning = 0}};
}

template <Handles handles>
void Language<handles>::set_value(Op& op, std::size_t, std::uint64_t value) {
  op.v = static_cast<std::uint8_t>(value);
}

template struct Language<Handles::Explicit>;
template struct Language<Handles::Ordinal>;

}  // namespace wddm::fuzz::toy
