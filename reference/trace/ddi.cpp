// The rows of ddi.def and callback.def as data.
#include "reference/trace/ddi.h"

#include <array>
#include <iterator>

#include "reference/harness_assert.h"

namespace wddm {
namespace {

using u32 = ev::u32;
using u64 = ev::u64;

// One namespace for each row, so that FIELD can name its structure. The empty last field keeps the
// array of a row without fields from having no elements.
#define FIELD(type, name, format, value) \
  EventField{#name, offsetof(Payload, name), sizeof(type), false, FieldFormat::format},
#define DDI(name, since, irql, level, presence, object, result, parameters, arguments, ...) \
  namespace arguments_of_##name {                                                           \
    using Payload [[maybe_unused]] = ddi_arguments::name;                                   \
    constexpr EventField kFields[] = {__VA_ARGS__ EventField{}};                            \
  }
#include "reference/trace/ddi.def"
#undef DDI
#undef EXPORT
#undef FIELD

template <std::size_t Size>
constexpr std::span<const EventField> without_last(const EventField (&fields)[Size]) {
  return {fields, Size - 1};
}

#define FIELD(...)
#define ROW(id, name, since, irql, level, presence, object) \
  {name,                                                    \
   InterfaceVersion::since,                                 \
   Irql::irql,                                              \
   ThreadingLevel::level,                                   \
   DdiPresence::presence,                                   \
   DdiObject::object,                                       \
   without_last(arguments_of_##id::kFields),                \
   "the driver has no " name},
// By the name that the function has itself.
#define EXPORT(name, since, irql, level, presence, object, ...) \
  ROW(name, #name, since, irql, level, presence, object)
#define DDI(name, since, irql, level, presence, object, ...) \
  ROW(name, "DxgkDdi" #name, since, irql, level, presence, object)
constexpr DdiInfo kDdiTable[] = {
#include "reference/trace/ddi.def"
};
#undef DDI
#undef EXPORT
#undef ROW
#undef FIELD

constexpr bool kMay = true, kNever = false;
constexpr bool kOffered = true, kRefused = false;
#define DXGKCB(name, since, lowest, highest, failure, offer) \
  {"DxgkCb" #name, InterfaceVersion::since, Irql::lowest, Irql::highest, k##failure, k##offer},
#define NO_MEMBER(name, since, lowest, highest, failure, offer) \
  {"?", InterfaceVersion::since, Irql::lowest, Irql::highest, k##failure, k##offer},
constexpr CallbackInfo kCallbackTable[] = {
#include "reference/trace/callback.def"
};
#undef NO_MEMBER
#undef DXGKCB

}  // namespace

std::span<const DdiInfo> ddi_table() {
  return kDdiTable;
}

const DdiInfo& ddi_info(DdiId id) {
  const auto index = static_cast<std::size_t>(id);
  HARNESS_ASSERT(index < std::size(kDdiTable));
  return kDdiTable[index];
}

std::span<const CallbackInfo> callback_table() {
  return kCallbackTable;
}

const CallbackInfo& callback_info(CallbackId id) {
  const auto index = static_cast<std::size_t>(id);
  HARNESS_ASSERT(index < std::size(kCallbackTable));
  return kCallbackTable[index];
}

}  // namespace wddm
