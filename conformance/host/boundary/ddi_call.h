// One call into the driver: traced with its arguments, at the documented IRQL, with the kernel's
// checks around it. What is particular to an entry point comes from its row in ddi.def.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "conformance/host/boundary/session.h"
#include "conformance/host/interposer.h"
#include "conformance/host/nt/core/foreign_call.h"
#include "reference/trace/ddi.h"

namespace wddm::host {

/// How far a driver moved a cursor, as events hold it: a cursor 4 GiB away must not look unmoved.
[[nodiscard]] constexpr std::int32_t clamped(std::int64_t moved) {
  using Limits = std::numeric_limits<std::int32_t>;
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(moved, Limits::min(), Limits::max()));
}

/// What a driver wrote into a member that is an enum: any number. C++ lets an enum be read only as
/// one of its values.
template <class Enum>
[[nodiscard]] std::uint32_t number_in(const Enum& member) {
  static_assert(std::is_enum_v<Enum> && sizeof(Enum) == sizeof(std::uint32_t));
  std::uint32_t number;
  std::memcpy(&number, &member, sizeof(number));
  return number;
}

/// What the host makes of a row of ddi.def: the call through the wire, and what a trace holds of
/// its arguments.
template <DdiId kDdi>
struct DdiRow;
namespace rows {
using ev::u32;
using ev::u64;
template <class... Arguments>
constexpr void unused(const Arguments&...) {}
}  // namespace rows
#define FIELD(type, name, format, value) .name = static_cast<rows::type>(value),
#define DDI(name_, since_, irql_, level_, presence_, object_, result, parameters, arguments, ...) \
  template <>                                                                                     \
  struct DdiRow<DdiId::name_> {                                                                   \
    static constexpr Irql kIrql = Irql::irql_;                                                    \
    static result call parameters { return session().wire->name_ arguments; }                     \
    static ddi_arguments::name_ held parameters {                                                 \
      rows::unused arguments;                                                                     \
      return {__VA_ARGS__};                                                                       \
    }                                                                                             \
  };
#include "reference/trace/ddi.def"
#undef DDI
#undef EXPORT
#undef FIELD

static_assert(static_cast<std::uint8_t>(Irql::Passive) == nt::kPassive);
static_assert(static_cast<std::uint8_t>(Irql::Apc) == nt::kApc);
static_assert(static_cast<std::uint8_t>(Irql::Dispatch) == nt::kDispatch);
static_assert(static_cast<std::uint8_t>(Irql::Device) == nt::kDirql);
static_assert(static_cast<std::uint8_t>(Irql::High) == nt::kHigh);

/// Whether the driver has this entry point: the entry is filled, and was there already in the
/// interface that the driver was built for. If not, ddi_info(ddi).absence is the reason why what
/// needs it is left out.
[[nodiscard]] inline bool may_call(DdiId ddi) {
  const Interposer& wire = *session().wire;
  return wire.has(ddi) && (ddi == DdiId::DriverEntry ||
                           wire.driver.Version >= static_cast<ULONG>(ddi_info(ddi).since));
}

/// Calls `body` inside of the driver, as an entry point of that name at that level. What it tells
/// the trace first has the level that the driver is called at.
template <class Body>
void enter_driver(DdiId ddi, CallPlace where, Irql irql, Body&& body) {
  const PlaceScope place(where);
  const nt::DriverCall call(ddi_info(ddi).name, static_cast<std::uint8_t>(irql));
  body();
}

/// Calls a DDI with these arguments, at a level that the caller has chosen, on `object` (a slot of
/// the scenario, an ordinal or kNone, as the row says). Returns what the driver returned.
template <DdiId kDdi, class... Arguments>
auto call_ddi_at(Irql irql, std::uint32_t object, Arguments... arguments) {
  using Row = DdiRow<kDdi>;
  using Result = decltype(Row::call(arguments...));
  HARNESS_ASSERT(may_call(kDdi));
  const auto id = static_cast<std::uint32_t>(kDdi);
  const auto held = Row::held(arguments...);
  constexpr std::size_t kHeld = std::is_empty_v<decltype(held)> ? 0 : sizeof(held);
  const auto entered = [&] {
    session().tap(ev::DdiEntered{.ddi = id, .object = object}, &held, kHeld);
  };
  const auto returned = [&](std::int32_t status) {
    session().tap(
        ev::DdiReturned{.ddi = id, .object = object, .status = static_cast<std::uint32_t>(status)});
  };
  if constexpr (std::is_void_v<Result>) {
    enter_driver(kDdi, CallPlace::Ddi, irql, [&] {
      entered();
      nt::call_foreign([&] { Row::call(arguments...); });
    });
    returned(STATUS_SUCCESS);
  } else {
    Result result;
    enter_driver(kDdi, CallPlace::Ddi, irql, [&] {
      entered();
      nt::call_foreign([&] { result = Row::call(arguments...); });
    });
    // What is no status says by itself whether it went well.
    returned(std::is_same_v<Result, NTSTATUS> ? static_cast<std::int32_t>(result) : STATUS_SUCCESS);
    return result;
  }
}

/// The same at the level of its row.
template <DdiId kDdi, class... Arguments>
auto call_ddi(std::uint32_t object, Arguments... arguments) {
  static_assert(DdiRow<kDdi>::kIrql != Irql::Any, "a caller must choose");
  return call_ddi_at<kDdi>(DdiRow<kDdi>::kIrql, object, arguments...);
}
template <DdiId kDdi, class Tag, class... Arguments>
auto call_ddi(Strong<Tag> object, Arguments... arguments) {
  return call_ddi<kDdi>(object.value, arguments...);
}

}  // namespace wddm::host
