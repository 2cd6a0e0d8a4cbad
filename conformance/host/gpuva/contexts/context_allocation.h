// One context allocation: what its driver asked for, and where it lies.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "conformance/host/gpuva/contexts/context_mappings.h"
#include "conformance/host/gpuva/former_place.h"
#include "conformance/host/gpuva/tables/table_places.h"

namespace wddm::host {

struct ContextAllocation {
  bool live = false;
  HANDLE driver = nullptr;           ///< hDriverAllocation
  std::optional<ContextId> context;  ///< nothing: of all contexts of the device
  DeviceId device{};                 ///< ... or that of the context
  ContextMappings::Named named;        ///< its number, and what is mapped of it
  std::uint32_t physical_adapter = 0;  ///< whose memory it lies in
  std::uint64_t bytes = 0;
  std::uint32_t alignment = 0;
  SegmentId segment{};
  bool in_aperture = false;                      ///< that is one, so that it lies in system pages
  bool accessed_physically = false;              ///< ... which the aperture shows
  bool has_cpu_address = false;                  ///< the driver is told where the CPU finds it
  bool wants_notices = false;                    ///< ExplicitResidencyNotification
  bool has_addresses = false;                    ///< DxgkCbMapContextAllocation has given some
  std::optional<TablePlace> place;               ///< once it has been initialized
  std::optional<std::uint32_t> aperture_page{};  ///< where it is shown, or was until it left
  bool evicted = false;  ///< it is in system memory, or in an aperture shown nowhere
  std::unique_ptr<FormerPlace> former{};  ///< what it has left, until it is looked at no more

  /// Where its context finds it.
  [[nodiscard]] bool resident() const { return live && place && !evicted; }
  /// Whether its driver wants NotifyResidency, which is about memory segments.
  [[nodiscard]] bool notified() const {
    return accessed_physically && wants_notices && !in_aperture;
  }
  /// Whether its driver hears of where it lies: by that, or by what an aperture maps.
  [[nodiscard]] bool told() const { return accessed_physically && wants_notices != in_aperture; }
  /// Whether its contexts can only find it by an address that leads to it, which leads to wherever
  /// it lies: for others AccessedPhysically is there.
  [[nodiscard]] bool found_by_address() const {
    return !accessed_physically && !in_aperture && has_addresses;
  }
  /// Whether who uses it finds it elsewhere too.
  [[nodiscard]] bool can_move() const { return told() || found_by_address(); }
  /// Whether it does not outlast a loss of power where it is.
  [[nodiscard]] bool has_to_leave() const { return can_move() || aperture_page; }
  /// Its pages, once it is resident.
  [[nodiscard]] PageRuns pages() const {
    gpummu::PhysicalAddress at = place->address;
    if (at.segment == kNoSegment) return {{at, place->pages * kPageSize}};
    at.adapter = gpummu::PhysicalAdapterIndex{static_cast<std::uint16_t>(physical_adapter)};
    return {{at, place->pages * kPageSize}};
  }
  void look_at_former(FormerPlace::Occasion occasion) const {
    if (former) former->look(named.number, context ? context->value : kNone, occasion);
  }
  void give_back_former() {
    look_at_former(FormerPlace::Occasion::GivenBack);
    former.reset();
  }
};

}  // namespace wddm::host
