// The built-in driver with other numbers (disguise.def).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "conformance/harness/judge/result.h"

namespace wddm::harness {

struct Disguise {
  enum class Kind : std::uint8_t {
    Whole,  ///< every clause is reached that is reached without it
    Part,   ///< the GPU has less than the built-in one
  };

  std::string_view name;
  Kind kind;
  const char* settings;
  std::uint32_t first_fence;
  std::uint32_t queue_entries;
  const char* client;  ///< file name
  const char* beyond;  ///< ids of clauses that it has no commands for, separated by spaces
  const char* about;
};

/// Between the name of a configuration and that of the disguise it is played in.
inline constexpr std::string_view kAs = " as ";

[[nodiscard]] std::span<const Disguise> disguises();
/// Null with one line in `error`, if there is no such.
[[nodiscard]] const Disguise* find_disguise(std::string_view name, std::string& error);
/// The configuration with what the disguise changes besides.
[[nodiscard]] Configuration disguised(const Configuration& configuration, const Disguise& disguise);

}  // namespace wddm::harness
