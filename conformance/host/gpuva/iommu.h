// The IOMMU of the platform, for drivers with the IoMmu model: requests of the device that bear a
// PASID reach the memory of that process.
//
// In that model GPU and CPU share the addresses of a process, and the memory manager owns the one
// set of page tables. Here the addresses that VidMm gives to the process are those of both, and its
// mappings (the oracle's, not the tables in memory, which are the driver's GPU MMU's) stand for the
// page tables of the CPU. They reach system memory only. Who makes what is in use lead elsewhere
// waits for it, so no translation is remembered. A fault is the device's to report. A process has a
// PASID of its own for each GPU of a link. Where the IOMMU is alone, paging buffers lie at
// addresses of the system process, which has a PASID too.
//
// Source: "IoMmu model". Left out: accesses of the CPU, address translation services, and requests
// for pages that are paged out.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "conformance/host/adapter/bus.h"
#include "conformance/host/gpuva/tables/address_spaces.h"
#include "conformance/host/vidsch/vidsch_worker.h"
#include "reference/trace/event.h"

namespace wddm::host {

class Iommu final : public ProcessMemory {
 public:
  Iommu(const Processes& processes, const Objects& objects, const AddressSpaces& spaces,
        const VidSchWorker& vidsch)
      : processes_(processes), objects_(objects), spaces_(spaces), vidsch_(vidsch) {}

  bool read(const Requester& who, std::uint64_t address, std::span<std::uint8_t> bytes) override;
  bool write(const Requester& who, std::uint64_t address,
             std::span<const std::uint8_t> bytes) override;
  void report() override;

 private:
  /// Physical address of system memory, and how many bytes follow there; nothing: a fault.
  struct Place {
    std::uint64_t physical = 0;
    std::uint64_t bytes = 0;
  };
  [[nodiscard]] std::optional<Place> translate(const Requester& who, std::uint64_t address,
                                               gpummu::Access access) const;
  /// Calls `move(physical, offset, bytes)` for each stretch, or for none.
  template <class Move>
  [[nodiscard]] bool access(const Requester& who, std::uint64_t address, std::uint64_t bytes,
                            gpummu::Access access, Move move);
  void count(const Requester& who);
  [[nodiscard]] std::uint32_t process_of(const RenderWork& work) const;

  const Processes& processes_;
  const Objects& objects_;
  const AddressSpaces& spaces_;
  const VidSchWorker& vidsch_;
  ev::BusRequested counted_{};  // requests: 0, nothing is counted
};

}  // namespace wddm::host
