// What VidMm does on request, one function for each op of op.def that asks for it, by the op's
// name, and one for an allocation that goes. Each finds all earlier packets ended.
#pragma once

#include "conformance/host/vidmm/job_waits.h"
#include "conformance/host/vidmm/paging_queue.h"
#include "conformance/host/vidmm/raw_mappings.h"
#include "reference/trace/op.h"
#include "reference/vidmm/split_planner.h"

namespace wddm::host {

/// What requests work with.
struct RequestScene {
  Residency& residency;
  PredictedMemory& memory;
  PagingScene paging;
  PagingQueue& queue;
  RawMappings& mappings;
  JobWaits& waits;
  vidmm::SplitPlanner& planner;
};

/// Null, or why it was not done.
using Request = const char* (*)(const RequestScene& scene, const Op& op);

namespace requests {

[[nodiscard]] const char* make_resident(const RequestScene& scene, const Op& op);
[[nodiscard]] const char* evict(const RequestScene& scene, const Op& op);
[[nodiscard]] const char* move(const RequestScene& scene, const Op& op);
[[nodiscard]] const char* fill_memory(const RequestScene& scene, const Op& op);
[[nodiscard]] const char* transfer_segments(const RequestScene& scene, const Op& op);
[[nodiscard]] const char* map_aperture(const RequestScene& scene, const Op& op);
[[nodiscard]] const char* unmap_aperture(const RequestScene& scene, const Op& op);
[[nodiscard]] const char* discard(const RequestScene& scene, const Op& op);
[[nodiscard]] const char* cpu_write(const RequestScene& scene, const Op& op);
/// The allocation is in `x`, since the host's own lies behind the slots of scenarios.
[[nodiscard]] const char* destroy_allocation(const RequestScene& scene, const Op& op);

}  // namespace requests
}  // namespace wddm::host
