#include "conformance/host/vidsch/log_tags.h"

#include "conformance/host/vidsch/vidsch_worker.h"

namespace wddm::host {

std::uint32_t fence_of(const WddmDeviceEvent& record, std::uint32_t physical_adapter,
                       std::uint32_t tag_bits) {
  VidSchWorker* const vidsch = current_vidsch();
  if (vidsch == nullptr) return record.tag;
  const EngineId engine{.node = NodeId{record.node}, .physical_adapter = physical_adapter};
  return vidsch->log_tags().read(engine, record.tag, tag_bits, [&](FenceId fence) {
    return vidsch->outstanding(engine, fence) != nullptr;
  });
}

}  // namespace wddm::host
