// The two memory segments: video memory (1) and the aperture (2), in the forms that Dxgkrnl asks.
//
// System memory itself is segment 0 with GPU virtual addresses, which nobody lists.
// Queried in two calls: the first, without an array, gets only the number of segments.
#include "kmd_adapter.h"

namespace reference_kmd {

namespace {

constexpr UINT kSegments = 2;

struct Segment {
  ULONGLONG base;
  SIZE_T size;
  DXGK_SEGMENTFLAGS flags;
};

Segment segment_of(const Settings& settings, UINT id) {
  Segment segment = {};
  if (id == UMD_SEGMENT_LOCAL) {
    segment.base = HW_LOCAL_BASE;
    segment.size = static_cast<SIZE_T>(settings.local_segment_pages) * PAGE_SIZE;
    segment.flags.CpuVisible = TRUE;
    segment.flags.Use64KBPages = settings.page_size_64k != 0;
  } else {
    segment.base = HW_APERTURE_BASE;
    segment.size = static_cast<SIZE_T>(settings.aperture_segment_pages) * PAGE_SIZE;
    segment.flags.Aperture = TRUE;
    segment.flags.CacheCoherent = TRUE;
  }
  return segment;
}

template <class Descriptor>
void describe(const Segment& segment, PHYSICAL_ADDRESS video_memory, Descriptor* descriptor) {
  RtlZeroMemory(descriptor, sizeof *descriptor);
  descriptor->BaseAddress = physical_address(segment.base);
  descriptor->Size = segment.size;
  descriptor->CommitLimit = segment.size;
  descriptor->Flags = segment.flags;
  if (segment.flags.CpuVisible) descriptor->CpuTranslatedAddress = video_memory;
}

template <class Out>
void describe_paging_buffers(const Settings& settings, Out* out) {
  out->PagingBufferSegmentId = settings.paging_buffers_in_aperture != 0 ? UMD_SEGMENT_APERTURE : 0;
  out->PagingBufferSize = settings.paging_buffer_size;
  out->PagingBufferPrivateDataSize = 0;
}

}  // namespace

template <class Out>
NTSTATUS Adapter::fill_segments(const DXGKARG_QUERYADAPTERINFO& query) {
  if (query.OutputDataSize < sizeof(Out)) return STATUS_INVALID_PARAMETER;
  Out* out = static_cast<Out*>(query.pOutputData);
  if (out->pSegmentDescriptor == nullptr) {
    out->NbSegment = kSegments;
    return STATUS_SUCCESS;
  }
  if (out->NbSegment < kSegments) return STATUS_INVALID_PARAMETER;
  for (UINT i = 0; i < kSegments; ++i) {
    describe(segment_of(settings_, i + 1), registers_.video_memory(), &out->pSegmentDescriptor[i]);
  }
  describe_paging_buffers(settings_, out);
  return STATUS_SUCCESS;
}

template NTSTATUS Adapter::fill_segments<DXGK_QUERYSEGMENTOUT>(const DXGKARG_QUERYADAPTERINFO&);
template NTSTATUS Adapter::fill_segments<DXGK_QUERYSEGMENTOUT3>(const DXGKARG_QUERYADAPTERINFO&);

// The newest form has an array whose stride Dxgkrnl chooses.
NTSTATUS Adapter::fill_segments4(const DXGKARG_QUERYADAPTERINFO& query) {
  if (query.OutputDataSize < sizeof(DXGK_QUERYSEGMENTOUT4)) return STATUS_INVALID_PARAMETER;
  auto* out = static_cast<DXGK_QUERYSEGMENTOUT4*>(query.pOutputData);
  if (out->pSegmentDescriptor == nullptr) {
    out->NbSegment = kSegments;
    return STATUS_SUCCESS;
  }
  if (out->NbSegment < kSegments ||
      out->SegmentDescriptorStride < sizeof(DXGK_SEGMENTDESCRIPTOR4)) {
    return STATUS_INVALID_PARAMETER;
  }
  for (UINT i = 0; i < kSegments; ++i) {
    BYTE* place = out->pSegmentDescriptor + i * out->SegmentDescriptorStride;
    describe(segment_of(settings_, i + 1), registers_.video_memory(),
             reinterpret_cast<DXGK_SEGMENTDESCRIPTOR4*>(place));
  }
  describe_paging_buffers(settings_, out);
  return STATUS_SUCCESS;
}

}  // namespace reference_kmd
