// The conforming device's MMUs.
#include "conformance/drivers/reference/device/mmu.h"

namespace wddm::reference_device {

std::unique_ptr<Mmu> make_mmu(std::uint32_t node, MemoryPort& memory, const MmuGeometry& geometry,
                              EventLog& log) {
  return std::make_unique<Mmu>(node, memory, geometry, log);
}

}  // namespace wddm::reference_device
