// Names, offsets and formats of the payload of every event kind, made from event.def.
#include "reference/trace/event.h"

#include <array>
#include <cstring>
#include <type_traits>

#include "reference/harness_assert.h"

namespace wddm {
namespace {

using u32 = ev::u32;
using i32 = ev::i32;
using u64 = ev::u64;

// One namespace for each kind, so that FIELD can name its payload. The empty last field keeps the
// array of a kind without fields from having no elements.
#define FIELD(type, name, format)                                                  \
  EventField{#name, offsetof(Payload, name), sizeof(type), std::is_signed_v<type>, \
             FieldFormat::format},
#define EVENT(type, about, ...)                                  \
  namespace fields_of_##type {                                   \
    using Payload = ev::type;                                    \
    constexpr EventField kFields[] = {__VA_ARGS__ EventField{}}; \
  }
#include "reference/trace/event.def"
#undef EVENT
#undef FIELD

template <std::size_t Size>
constexpr std::span<const EventField> without_last(const EventField (&fields)[Size]) {
  return {fields, Size - 1};
}

constexpr std::array<EventInfo, kEventKinds> kEvents = {{
    {"None", "no event", {}},
#define FIELD(...)
#define EVENT(type, about, ...) {#type, about, without_last(fields_of_##type::kFields)},
#include "reference/trace/event.def"
#undef EVENT
#undef FIELD
}};

constexpr EventInfo kUnknown = {"?", "not an event: the trace is damaged", {}};

}  // namespace

std::uint64_t field_value(const std::byte* record, const EventField& field) {
  if (field.size == sizeof(std::uint64_t)) {
    std::uint64_t value;
    std::memcpy(&value, record + field.offset, sizeof(value));
    return value;
  }
  HARNESS_ASSERT(field.size == sizeof(std::uint32_t));
  std::uint32_t value;
  std::memcpy(&value, record + field.offset, sizeof(value));
  return value;
}

const EventInfo& event_info(EventKind kind) {
  const auto index = static_cast<std::size_t>(kind);
  return index < kEventKinds ? kEvents[index] : kUnknown;
}

}  // namespace wddm
