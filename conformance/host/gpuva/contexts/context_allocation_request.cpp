#include "conformance/host/gpuva/contexts/context_allocation_request.h"

namespace wddm::host {

std::uint32_t named_how(const DXGKARGCB_CREATECONTEXTALLOCATION& request, const Objects& objects) {
  constexpr std::uint32_t kDxgkrnls = 0, kNothing = 1, kTheDrivers = 2;
  if (request.ContextAllocationFlags.SharedAcrossContexts) {
    if (Objects::device_named_by(request.hDevice)) return kDxgkrnls;
    for (const DeviceId id : kAllDevices) {
      if (objects.device(id).live && objects.device(id).driver == request.hDevice) {
        return kTheDrivers;
      }
    }
    return kNothing;
  }
  if (Contexts::named_by(request.hContext)) return kDxgkrnls;
  for (const ContextId id : kAllContexts) {
    if (objects.context(id).live && objects.context(id).driver == request.hContext) {
      return kTheDrivers;
    }
  }
  return kNothing;
}

std::optional<SegmentId> segment_for(const DXGKARGCB_CREATECONTEXTALLOCATION& request,
                                     const Adapter& adapter, std::uint32_t physical_adapter) {
  // Places are those of GPU 0: a GPU of a link that is unlike it has to have them as well.
  const auto& own = adapter.segments(physical_adapter);
  const auto is_supported = [&](std::uint32_t id) {
    return id != 0 && id <= adapter.segments().size() && id <= own.size() && id <= 32 &&
           (request.SupportedSegmentSet >> (id - 1) & 1) != 0 &&
           adapter.segment(SegmentId{id}).flags.Aperture == own[id - 1].flags.Aperture &&
           adapter.segment(SegmentId{id}).size <= own[id - 1].size;
  };
  if (is_supported(request.PreferredSegment.SegmentId0)) {
    return SegmentId{request.PreferredSegment.SegmentId0};
  }
  for (const bool aperture : {false, true}) {
    for (std::uint32_t id = 1; id <= 32; ++id) {
      if (is_supported(id) && (own[id - 1].flags.Aperture != 0) == aperture) return SegmentId{id};
    }
  }
  return std::nullopt;
}

bool has_cpu_address(const DXGKARGCB_CREATECONTEXTALLOCATION& request, const Adapter& adapter,
                     std::uint32_t physical_adapter) {
  if (!request.Flags.CpuVisible || !request.Flags.Protected) return false;
  const auto& own = adapter.segments(physical_adapter);
  std::uint32_t apertures = 0;
  for (std::uint32_t id = 1; id <= own.size() && id <= 32; ++id) {
    if (own[id - 1].flags.Aperture) apertures |= 1u << (id - 1);
  }
  return (request.SupportedSegmentSet & ~apertures) == 0;
}

}  // namespace wddm::host
