// Paging steps as DDI-shaped requests, and the protocol around one DxgkDdiBuildPagingBuffer call.
//
// Source: DXGKARG_BUILDPAGINGBUFFER and the pages of its operations (wdk-ddi-src d3dkmddi); clauses
// PAGE-002, -003, -005, -006, -011, -012, -014, -015, -023. Field names follow the DDI's; segment
// addresses contain the segment's BaseAddress, offsets into MDLs are in pages.
// Leaves out: MDLs, PFNs, handles and the dummy page, which the host owns; swizzling; operations of
// the GPU-VA model.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "reference/types.h"
#include "reference/vidmm/paging_step.h"
#include "reference/vidmm/vidmm.h"

namespace wddm::vidmm {

/// One end of a transfer: a segment address, or with kNoSegment the allocation's MDL.
struct TransferEnd {
  SegmentId segment = kNoSegment;
  std::uint64_t address = 0;  ///< where the allocation starts; TransferOffset comes on top
  friend bool operator==(const TransferEnd&, const TransferEnd&) = default;
};

/// DXGK_OPERATION_TRANSFER.
struct TransferRequest {
  AllocationId allocation;
  std::uint32_t transfer_offset = 0;  ///< bytes; applies to ends in a segment only
  std::uint64_t transfer_size = 0;    ///< bytes
  TransferEnd source;
  TransferEnd destination;
  std::uint32_t mdl_offset = 0;  ///< pages; applies to the end that is an MDL only
  bool transfer_start = false;   ///< first sub-transfer of the allocation
  bool transfer_end = false;     ///< last one
  bool allocation_is_idle = false;
  friend bool operator==(const TransferRequest&, const TransferRequest&) = default;
};

/// DXGK_OPERATION_FILL.
struct FillRequest {
  AllocationId allocation;
  SegmentId segment;
  std::uint64_t address = 0;
  std::uint64_t fill_size = 0;  ///< bytes
  std::uint32_t fill_pattern = 0;
  friend bool operator==(const FillRequest&, const FillRequest&) = default;
};

/// DXGK_OPERATION_DISCARD_CONTENT.
struct DiscardRequest {
  AllocationId allocation;
  SegmentId segment;
  std::uint64_t address = 0;
  bool allocation_is_idle = false;
  friend bool operator==(const DiscardRequest&, const DiscardRequest&) = default;
};

/// DXGK_OPERATION_MAP_APERTURE_SEGMENT.
struct MapApertureRequest {
  AllocationId allocation;
  SegmentId segment;
  std::uint32_t offset_in_pages = 0;  ///< from the start of the segment
  std::uint32_t number_of_pages = 0;
  std::uint32_t mdl_offset = 0;  ///< pages
  bool cache_coherent = false;
  friend bool operator==(const MapApertureRequest&, const MapApertureRequest&) = default;
};

/// DXGK_OPERATION_UNMAP_APERTURE_SEGMENT.
struct UnmapApertureRequest {
  AllocationId allocation;
  SegmentId segment;
  std::uint32_t offset_in_pages = 0;
  std::uint32_t number_of_pages = 0;
  friend bool operator==(const UnmapApertureRequest&, const UnmapApertureRequest&) = default;
};

using PagingRequest = std::variant<TransferRequest, FillRequest, DiscardRequest, MapApertureRequest,
                                   UnmapApertureRequest>;

/// How VidMm may cut and mark its requests.
struct PagingChoices {
  /// Most bytes of one sub-transfer, rounded down to pages but at least one; 0: no limit.
  std::uint64_t max_transfer_bytes = 0;
  /// Most pages of one map or unmap request; 0: no limit.
  std::uint32_t max_map_pages = 0;
  /// The GPU is known not to use the allocations.
  bool allocation_is_idle = false;
  /// The mapped pages are cacheable; takes effect in CacheCoherent aperture segments only.
  bool cacheable = false;
};

enum class PagingFault : std::uint8_t {
  None,
  OffsetTooLarge,  ///< a sub-transfer would start at or beyond 4 GiB: TransferOffset has 32 bits
};

/// Appends the requests that carry out `step`, in order. With a fault nothing is appended.
[[nodiscard]] PagingFault append_requests(const VidMm& vidmm, const PagingStep& step,
                                          const PagingChoices& choices,
                                          std::vector<PagingRequest>& requests);

/// The statuses of DxgkDdiBuildPagingBuffer.
enum class BuildStatus : std::uint8_t {
  Success,
  InsufficientDmaBuffer,  ///< STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER
  AllocationBusy,         ///< STATUS_GRAPHICS_ALLOCATION_BUSY
  Other,                  ///< anything else: a bug check
};

/// What the OS does after the call.
enum class BuildAction : std::uint8_t {
  NextRequest,        ///< done; the buffer may take more
  RepeatInNewBuffer,  ///< submit the partial buffer, repeat unchanged in an empty one
  RepeatWhenIdle,     ///< wait for the GPU, repeat with AllocationIsIdle
  UnexpectedStatus,   ///< violation (PAGE-002)
  BusyThoughIdle,     ///< violation (PAGE-011)
  NoProgress,         ///< violation (PAGE-003): nothing written although the buffer was empty
};

/// The calls that one request takes. MultipassOffset is 0 first and the driver's own value after.
class PagingCall {
 public:
  explicit PagingCall(const PagingRequest& request) : request_(request) {}

  /// The request as the next call must carry it.
  [[nodiscard]] const PagingRequest& request() const { return request_; }
  [[nodiscard]] std::uint32_t multipass_offset() const { return multipass_offset_; }

  /// The call returned. `bytes_written` is how far pDmaBuffer moved; `buffer_was_empty` says that
  /// the call had a whole fresh paging buffer.
  [[nodiscard]] BuildAction returned(BuildStatus status, std::uint32_t bytes_written,
                                     std::uint32_t multipass_offset, bool buffer_was_empty);

 private:
  PagingRequest request_;
  std::uint32_t multipass_offset_ = 0;
};

}  // namespace wddm::vidmm
