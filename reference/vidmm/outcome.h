// How far the documents bind a decision of the memory manager.
#pragma once

#include <cstdint>

namespace wddm::vidmm {

enum class Duty : std::uint8_t {
  Required,     ///< exactly one behaviour is right
  Allowed,      ///< any member of a set is right
  Unspecified,  ///< the documents say nothing; nobody may be blamed
};

/// A duty, and for Allowed the size of the set. Members are numbered from 0; 0 is the default.
struct Outcome {
  Duty duty = Duty::Unspecified;
  std::uint32_t alternatives = 0;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

/// The outcome of picking one of `alternatives` equally legal ones.
constexpr Outcome any_of(std::uint32_t alternatives) {
  if (alternatives == 0) return {Duty::Unspecified, 0};
  if (alternatives == 1) return {Duty::Required, 1};
  return {Duty::Allowed, alternatives};
}

}  // namespace wddm::vidmm
