// Memory descriptor lists that the host hands to drivers, and what mappings drivers hold.
#pragma once

#include <cstdint>
#include <span>

#include "conformance/host/memory/memory.h"
#include "conformance/sdk/ddi/nt/memory.h"

namespace wddm::nt {

/// An MDL over frames of the host's, locked as Dxgkrnl passes it to the driver (segment mapping,
/// paging transfers). The driver may map it; a mapping left at destruction is undone, as unlocking
/// does on Windows. Lies in nonpaged pool, so a driver that writes beyond its PFN array is caught.
class MdlOverFrames {
 public:
  /// `offset`: of the first byte in the first frame. `bytes` must need exactly the frames given.
  MdlOverFrames(std::span<const memory::Frame> frames, std::uint64_t bytes, std::uint32_t offset);
  ~MdlOverFrames();
  MdlOverFrames(const MdlOverFrames&) = delete;
  MdlOverFrames& operator=(const MdlOverFrames&) = delete;
  [[nodiscard]] MDL* get() const { return mdl_; }

 private:
  MDL* mdl_;
};

void mdl_boot();
void io_memory_boot();
/// MDLs, mappings of them, and pages that the driver has not given back.
void report_mdl_leaks();
/// Contiguous memory and mappings of device memory.
void report_io_memory_leaks();

/// Fails a service that got an address it cannot use: raises STATUS_ACCESS_VIOLATION.
[[noreturn]] void raise_access_violation();

}  // namespace wddm::nt
