// The memory segments: video memory, the aperture, and where a setting asks for one video memory that
// no CPU sees, or memory that the CPU sees through a window, in the forms that Dxgkrnl asks. Their
// order is segment_layout.h's.
//
// System memory itself is segment 0 with GPU virtual addresses, which nobody lists.
// Queried in two calls: the first, without an array, gets only the number of segments.
#include "kmd_adapter.h"
#include "kmd_allocation.h"
#include "paging/tiles.h"
#include "segment_layout.h"

namespace reference_kmd {

namespace {

// Only one of both is there.
constexpr UINT kHiddenSegment = UMD_SEGMENT_HIGH;

UINT count_of(const Settings& settings) {
  const bool third = settings.high_segment != 0 || settings.cpu_host_aperture != 0;
  return segments_always_there() + (third ? 1 : 0);
}

// Of the hidden segment, whose window Dxgkrnl counts in the same pages.
ULONG page_bytes(const Settings& settings) {
  return settings.page_size_64k != 0 ? kLargePageSize : PAGE_SIZE;
}
// Few: so that what needs many has to do without.
ULONG window_pages(const Settings& settings) {
  return settings.page_size_64k != 0 ? HW_HOST_APERTURE_PAGES * PAGE_SIZE / kLargePageSize : 8;
}
ULONG hidden_pages(const Settings& settings) {
  return settings.page_size_64k != 0 ? HW_HIDDEN_PAGES * PAGE_SIZE / kLargePageSize : 16;
}

struct Segment {
  ULONGLONG base;
  SIZE_T size;
  DXGK_SEGMENTFLAGS flags;
};

Segment segment_of(const Settings& settings, UINT role) {
  Segment segment = {};
  if (role == UMD_SEGMENT_LOCAL) {
    segment.base = HW_LOCAL_BASE;
    segment.size = static_cast<SIZE_T>(settings.local_segment_pages) * PAGE_SIZE;
    segment.flags.CpuVisible = TRUE;
    segment.flags.Use64KBPages = settings.page_size_64k != 0;
  } else if (role == UMD_SEGMENT_SPARE) {
    segment.base = HW_LOCAL_BASE + static_cast<ULONGLONG>(kLocalBesideSpare) * PAGE_SIZE;
    segment.size = static_cast<SIZE_T>(kSparePages) * PAGE_SIZE;
    segment.flags.CpuVisible = TRUE;
  } else if (role == UMD_SEGMENT_HIGH && settings.high_segment != 0) {
    segment.base = HW_HIGH_BASE;
    segment.size = static_cast<SIZE_T>(HW_HIGH_PAGES) * PAGE_SIZE;
  } else if (role == kHiddenSegment) {
    segment.base = HW_HIDDEN_BASE;
    segment.size = hidden_pages(settings) * page_bytes(settings);
    segment.flags.SupportsCpuHostAperture = TRUE;
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
  if (segment.flags.CpuVisible) {
    descriptor->CpuTranslatedAddress = video_memory;
    descriptor->CpuTranslatedAddress.QuadPart += static_cast<LONGLONG>(segment.base - HW_LOCAL_BASE);
  }
}

template <class Out>
void describe_paging_buffers(const Settings& settings, Out* out) {
  out->PagingBufferSegmentId = settings.paging_buffers_in_aperture != 0 ? segment_id(UMD_SEGMENT_APERTURE) : 0;
  out->PagingBufferSize = settings.paging_buffer_size;
  out->PagingBufferPrivateDataSize = settings.paging_private_data;
}

}  // namespace

template <class Out>
NTSTATUS Adapter::fill_segments(const DXGKARG_QUERYADAPTERINFO& query) {
  if (query.OutputDataSize < sizeof(Out)) return STATUS_INVALID_PARAMETER;
  Out* out = static_cast<Out*>(query.pOutputData);
  const UINT segments = count_of(settings_);
  if (out->pSegmentDescriptor == nullptr) {
    out->NbSegment = segments;
    return STATUS_SUCCESS;
  }
  if (out->NbSegment < segments) return STATUS_INVALID_PARAMETER;
  for (UINT i = 0; i < segments; ++i) {
    describe(segment_of(settings_, segment_role(i + 1)), registers_.video_memory(), &out->pSegmentDescriptor[i]);
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
  const UINT segments = count_of(settings_);
  if (out->pSegmentDescriptor == nullptr) {
    out->NbSegment = segments;
    return STATUS_SUCCESS;
  }
  if (out->NbSegment < segments ||
      out->SegmentDescriptorStride < sizeof(DXGK_SEGMENTDESCRIPTOR4)) {
    return STATUS_INVALID_PARAMETER;
  }
  for (UINT i = 0; i < segments; ++i) {
    BYTE* place = out->pSegmentDescriptor + i * out->SegmentDescriptorStride;
    auto* descriptor = reinterpret_cast<DXGK_SEGMENTDESCRIPTOR4*>(place);
    describe(segment_of(settings_, segment_role(i + 1)), registers_.video_memory(), descriptor);
    if (segment_role(i + 1) != kHiddenSegment || settings_.high_segment != 0) continue;
    descriptor->CpuHostAperture.PhysicalAddress =
        static_cast<UINT64>(registers_.host_aperture().QuadPart);
    descriptor->CpuHostAperture.SizeInPages = window_pages(settings_);
  }
  describe_paging_buffers(settings_, out);
  return STATUS_SUCCESS;
}

// Needs neither a process nor a device: the registers are there from the start.
NTSTATUS Adapter::map_cpu_host_aperture(const DXGKARG_MAPCPUHOSTAPERTURE& request) {
  if (settings_.cpu_host_aperture == 0 || segment_role(request.SegmentId) != kHiddenSegment) {
    return STATUS_INVALID_PARAMETER;
  }
  for (UINT64 i = 0; i < request.NumberOfPages; ++i) {
    if (request.pCpuHostAperturePages[i] >= window_pages(settings_) ||
        request.pMemorySegmentPages[i] >= hidden_pages(settings_)) {
      return STATUS_INVALID_PARAMETER;
    }
  }
  for (UINT64 i = 0; i < request.NumberOfPages; ++i) {
    show_hidden(request.pCpuHostAperturePages[i], static_cast<ULONG>(request.pMemorySegmentPages[i]));
  }
  return STATUS_SUCCESS;
}

NTSTATUS Adapter::unmap_cpu_host_aperture(const DXGKARG_UNMAPCPUHOSTAPERTURE& request) {
  if (settings_.cpu_host_aperture == 0 || segment_role(request.SegmentId) != kHiddenSegment) {
    return STATUS_INVALID_PARAMETER;
  }
  for (UINT64 i = 0; i < request.NumberOfPages; ++i) {
    if (request.pCpuHostAperturePages[i] >= window_pages(settings_)) return STATUS_INVALID_PARAMETER;
    show_hidden(request.pCpuHostAperturePages[i], HW_HIDDEN_PAGES);
  }
  return STATUS_SUCCESS;
}

// The device's pages are of 4 KB. Behind the last of the segment lies nothing.
void Adapter::show_hidden(ULONG window, ULONG page) {
  const ULONG parts = page_bytes(settings_) / PAGE_SIZE;
  for (ULONG i = 0; i < parts; ++i) {
    const ULONG shown = page == HW_HIDDEN_PAGES ? page : page * parts + i;
    registers_.write(HW_REG_HOST_APERTURE(window * parts + i), shown);
  }
}

// What is not Swizzled the CPU sees as it stands in video memory, and where Dxgkrnl has it look
// already. Of the rest each page of the window shows the tile that holds that page.
NTSTATUS Adapter::acquire_swizzling_range(DXGKARG_ACQUIRESWIZZLINGRANGE& request) {
  const bool there = settings_.swizzling_ranges() != 0 && request.RangeId < kSwizzlingRanges;
  const bool seen = request.SegmentId == segment_id(UMD_SEGMENT_LOCAL);
  if (!there || !seen) return STATUS_GRAPHICS_UNSWIZZLING_APERTURE_UNSUPPORTED;
  const auto* const allocation = static_cast<const Allocation*>(request.hAllocation);
  if (!allocation->is_swizzled()) return STATUS_SUCCESS;
  const SIZE_T pages = allocation->size() / PAGE_SIZE;
  if (pages > kRangePages) return STATUS_GRAPHICS_UNSWIZZLING_APERTURE_UNSUPPORTED;
  const ULONG first = request.RangeId * kRangePages;
  const auto stored = static_cast<ULONG>(
      (request.CPUTranslatedAddress.QuadPart - registers_.video_memory().QuadPart) / PAGE_SIZE);
  for (SIZE_T i = 0; i < pages; ++i) {
    const auto tile = static_cast<ULONG>(tile_of(i, pages));
    registers_.write(HW_REG_HOST_APERTURE(first + static_cast<ULONG>(i)),
                     HW_WINDOW_LOCAL | (stored + tile));
  }
  request.CPUTranslatedAddress = registers_.host_aperture();
  request.CPUTranslatedAddress.QuadPart += static_cast<LONGLONG>(first) * PAGE_SIZE;
  return STATUS_SUCCESS;
}

NTSTATUS Adapter::release_swizzling_range(const DXGKARG_RELEASESWIZZLINGRANGE& request) {
  if (request.RangeId >= kSwizzlingRanges) return STATUS_INVALID_PARAMETER;
  for (ULONG i = 0; i < kRangePages && settings_.swizzled != 0; ++i) {
    registers_.write(HW_REG_HOST_APERTURE(request.RangeId * kRangePages + i), HW_HIDDEN_PAGES);
  }
  return STATUS_SUCCESS;
}

}  // namespace reference_kmd
