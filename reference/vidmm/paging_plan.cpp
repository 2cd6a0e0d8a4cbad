// See paging_plan.h.
#include "reference/vidmm/paging_plan.h"

#include <algorithm>
#include <limits>

#include "reference/harness_assert.h"

namespace wddm::vidmm {
namespace {

std::uint64_t address_of(const VidMm& vidmm, SegmentId segment, std::uint32_t page) {
  return vidmm.segment(segment).base_address + page * kPageSize;
}

PagingFault append_transfers(const VidMm& vidmm, const PagingStep& step,
                             const PagingChoices& choices, std::vector<PagingRequest>& requests) {
  const std::uint64_t size = step.pages * kPageSize;
  const std::uint64_t limit =
      choices.max_transfer_bytes == 0
          ? size
          : std::max(choices.max_transfer_bytes / kPageSize * kPageSize, kPageSize);
  const std::uint64_t last_offset = (size - 1) / limit * limit;
  if (last_offset > std::numeric_limits<std::uint32_t>::max()) return PagingFault::OffsetTooLarge;

  const TransferEnd local{step.segment, address_of(vidmm, step.segment, step.page)};
  TransferEnd system;
  if (step.through != kNoSegment) {
    system = {step.through, address_of(vidmm, step.through, step.through_page)};
  }
  TransferRequest request;
  request.allocation = step.allocation;
  request.source = step.kind == StepKind::TransferIn ? system : local;
  request.destination = step.kind == StepKind::TransferIn ? local : system;
  request.allocation_is_idle = choices.allocation_is_idle;
  for (std::uint64_t offset = 0; offset < size; offset += limit) {
    request.transfer_offset = static_cast<std::uint32_t>(offset);
    request.transfer_size = std::min(limit, size - offset);
    request.mdl_offset =
        step.through == kNoSegment ? static_cast<std::uint32_t>(offset / kPageSize) : 0;
    request.transfer_start = offset == 0;
    request.transfer_end = offset == last_offset;
    requests.push_back(request);
  }
  return PagingFault::None;
}

void append_mappings(const VidMm& vidmm, const PagingStep& step, const PagingChoices& choices,
                     std::vector<PagingRequest>& requests) {
  const std::uint32_t limit = choices.max_map_pages == 0 ? step.pages : choices.max_map_pages;
  const bool coherent = choices.cacheable && vidmm.segment(step.segment).cache_coherent;
  for (std::uint32_t done = 0; done < step.pages;) {
    const std::uint32_t count = std::min(limit, step.pages - done);
    if (step.kind == StepKind::MapAperture) {
      requests.push_back(MapApertureRequest{step.allocation, step.segment, step.page + done, count,
                                            done, coherent});
    } else {
      requests.push_back(
          UnmapApertureRequest{step.allocation, step.segment, step.page + done, count});
    }
    done += count;
  }
}

}  // namespace

PagingFault append_requests(const VidMm& vidmm, const PagingStep& step,
                            const PagingChoices& choices, std::vector<PagingRequest>& requests) {
  HARNESS_ASSERT(step.pages >= 1);
  const SegmentKind kind = vidmm.segment(step.segment).kind;
  switch (step.kind) {
    case StepKind::TransferIn:
    case StepKind::TransferOut:
      HARNESS_ASSERT(kind == SegmentKind::Memory);
      return append_transfers(vidmm, step, choices, requests);
    case StepKind::Fill:
      HARNESS_ASSERT(kind == SegmentKind::Memory);
      requests.push_back(FillRequest{step.allocation, step.segment,
                                     address_of(vidmm, step.segment, step.page),
                                     step.pages * kPageSize, 0});
      return PagingFault::None;
    case StepKind::Discard:
      requests.push_back(DiscardRequest{step.allocation, step.segment,
                                        address_of(vidmm, step.segment, step.page),
                                        choices.allocation_is_idle});
      return PagingFault::None;
    case StepKind::MapAperture:
    case StepKind::UnmapAperture:
      HARNESS_ASSERT(kind == SegmentKind::Aperture);
      append_mappings(vidmm, step, choices, requests);
      return PagingFault::None;
  }
  HARNESS_ASSERT(!"a step of no kind");
  return PagingFault::None;
}

BuildAction PagingCall::returned(BuildStatus status, std::uint32_t bytes_written,
                                 std::uint32_t multipass_offset, bool buffer_was_empty) {
  switch (status) {
    case BuildStatus::Success:
      return BuildAction::NextRequest;
    case BuildStatus::InsufficientDmaBuffer: {
      const bool progress = bytes_written != 0 || multipass_offset != multipass_offset_;
      if (buffer_was_empty && !progress) return BuildAction::NoProgress;
      multipass_offset_ = multipass_offset;
      return BuildAction::RepeatInNewBuffer;
    }
    case BuildStatus::AllocationBusy: {
      // Only these two operations may be refused as busy, and only while not known to be idle.
      bool* idle = nullptr;
      if (auto* transfer = std::get_if<TransferRequest>(&request_)) {
        idle = &transfer->allocation_is_idle;
      } else if (auto* discard = std::get_if<DiscardRequest>(&request_)) {
        idle = &discard->allocation_is_idle;
      }
      if (idle == nullptr) return BuildAction::UnexpectedStatus;
      if (*idle) return BuildAction::BusyThoughIdle;
      *idle = true;
      return BuildAction::RepeatWhenIdle;
    }
    case BuildStatus::Other:
      return BuildAction::UnexpectedStatus;
  }
  return BuildAction::UnexpectedStatus;
}

}  // namespace wddm::vidmm
