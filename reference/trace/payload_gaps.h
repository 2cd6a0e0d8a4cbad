// Bytes of payloads that lie between and behind their fields. Nobody writes them: whatever lay on
// the caller's stack would get into the trace, and two traces of one run would differ.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "reference/trace/event.h"

namespace wddm {

struct PayloadPart {
  std::uint8_t offset = 0;
  std::uint8_t size = 0;  ///< 0: there is none
};

/// The one gap of a payload. A second one does not compile: its fields are to be put in order.
template <std::size_t Fields>
[[nodiscard]] constexpr PayloadPart gap_between(const std::array<PayloadPart, Fields>& fields,
                                                std::size_t payload_bytes) {
  PayloadPart gap;
  std::size_t end = 0;
  const auto go_to = [&](std::size_t next) {
    if (next == end) return;
    if (gap.size != 0) throw "two gaps";
    gap = {static_cast<std::uint8_t>(end), static_cast<std::uint8_t>(next - end)};
  };
  for (const PayloadPart& field : fields) {
    go_to(field.offset);
    end = std::size_t{field.offset} + field.size;
  }
  go_to(payload_bytes);
  return gap;
}

/// Index = EventKind.
inline constexpr std::array<PayloadPart, kEventKinds> kPayloadGaps{{
    {},
// clang-format off
#define FIELD(type, name, format) , PayloadPart{offsetof(Payload, name), sizeof(ev::type)}
#define EVENT(kind, about, ...)                                                \
  [] {                                                                         \
    using Payload = ev::kind;                                                  \
    return gap_between(std::array{PayloadPart{} __VA_ARGS__}, sizeof(Payload)); \
  }(),
#include "reference/trace/event.def"
#undef EVENT
#undef FIELD
// clang-format on
}};

}  // namespace wddm
