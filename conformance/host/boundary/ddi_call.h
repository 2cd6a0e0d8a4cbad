// One call into the driver: traced, at the documented IRQL, with the kernel's checks around it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "conformance/host/nt/core/foreign_call.h"
#include "conformance/host/boundary/session.h"

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

/// Calls `body` as the DDI `ddi` on `object` (a slot of the scenario or kNone). `body` returns the
/// driver's NTSTATUS.
template <class Body>
std::int32_t call_driver(DdiId ddi, std::uint32_t object, std::uint8_t irql, Body&& body) {
  const auto id = static_cast<std::uint32_t>(ddi);
  session().tap(ev::DdiEntered{.ddi = id, .object = object});
  std::int32_t status;
  {
    const PlaceScope place(CallPlace::Ddi);
    const nt::DriverCall call(ddi_name(id), irql);
    nt::call_foreign([&] { status = body(); });
  }
  session().tap(
      ev::DdiReturned{.ddi = id, .object = object, .status = static_cast<std::uint32_t>(status)});
  return status;
}

}  // namespace wddm::host
