// What the reader and the writer of the YAML form must agree on. See scenario.md.
#pragma once

#include <cstddef>

namespace wddm {

/// How OpKind::None is written: the no-op that bytes with an unassigned number become.
inline constexpr const char* kNoneOpName = "none";

inline constexpr std::size_t kMaxFileBytes = std::size_t{4} << 20;
inline constexpr std::size_t kMaxNameBytes = 200;
inline constexpr std::size_t kMaxAboutBytes = 16384;
/// Bytes between two pieces of a file that the reader can act upon. It bounds what the YAML library
/// keeps in memory before it says anything: a text is kept whole until it ends.
inline constexpr std::size_t kMaxPieceBytes = 65536;

}  // namespace wddm
