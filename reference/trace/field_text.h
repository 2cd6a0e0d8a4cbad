// Values of op fields as text, both ways, and the words that messages use for them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "reference/trace/op.h"

namespace wddm {

/// "3", "0x01020304", "true", "PatchOffset": how `value` of `field` is written.
[[nodiscard]] std::string value_text(const FieldInfo& field, std::uint64_t value);

/// The value that `text` stands for, if it is one of `field`. Numbers are decimal without leading
/// zeros, or 0x and hex digits; numbers and flags must not stand in quotes (`plain`).
[[nodiscard]] std::optional<std::uint64_t> read_value(const FieldInfo& field, std::string_view text,
                                                      bool plain);

/// "a number in 0..255", "true or false", "any, local or aperture".
[[nodiscard]] std::string expected_values(const FieldInfo& field);

/// "context, dma_bytes or patch_capacity"; "no field" if there are none.
[[nodiscard]] std::string expected_fields(std::span<const FieldInfo> fields);

/// The op whose name is nearest to a mistyped one, or null if none is near.
[[nodiscard]] const OpInfo* nearest_op(std::string_view name);
/// The op of that name, or null.
[[nodiscard]] const OpInfo* find_op(std::string_view name);

}  // namespace wddm
