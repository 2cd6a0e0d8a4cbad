// Which segment a driver has in its list that is no aperture: for faults, which know no driver.
#pragma once

#include "conformance/host/interposer.h"

namespace wddm::seg {

/// The first SegmentId of memory in a list; 0: there is none, or no list was asked for.
template <class Out>
[[nodiscard]] UINT first_memory_in(const Out& out) {
  for (UINT i = 0; out.pSegmentDescriptor != nullptr && i < out.NbSegment; ++i) {
    if (!out.pSegmentDescriptor[i].Flags.Aperture) return i + 1;
  }
  return 0;
}
[[nodiscard]] inline UINT first_memory_in(const DXGK_QUERYSEGMENTOUT4& out) {
  for (UINT i = 0; out.pSegmentDescriptor != nullptr && i < out.NbSegment; ++i) {
    const auto* const segment = reinterpret_cast<const DXGK_SEGMENTDESCRIPTOR4*>(
        out.pSegmentDescriptor + i * out.SegmentDescriptorStride);
    if (!segment->Flags.Aperture) return i + 1;
  }
  return 0;
}

/// Remembers it from what the driver says.
class KnowsItsMemory : public Interposer {
 public:
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    const NTSTATUS status = Interposer::QueryAdapterInfo(adapter, query);
    if (!NT_SUCCESS(status)) return status;
    if (query->Type == DXGKQAITYPE_QUERYSEGMENT) note<DXGK_QUERYSEGMENTOUT>(query);
    if (query->Type == DXGKQAITYPE_QUERYSEGMENT3) note<DXGK_QUERYSEGMENTOUT3>(query);
    if (query->Type == DXGKQAITYPE_QUERYSEGMENT4) note<DXGK_QUERYSEGMENTOUT4>(query);
    return status;
  }

 protected:
  /// As a bit of a SegmentSet.
  [[nodiscard]] UINT memory_set() const { return memory_ == 0 ? 0 : 1u << (memory_ - 1); }

 private:
  template <class Out>
  void note(const DXGKARG_QUERYADAPTERINFO* query) {
    const UINT found = first_memory_in(*static_cast<const Out*>(query->pOutputData));
    if (found != 0) memory_ = found;
  }

  UINT memory_ = 0;
};

}  // namespace wddm::seg
