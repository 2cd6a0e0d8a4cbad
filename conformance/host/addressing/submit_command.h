// SubmitCommand: its arguments from a packet, and what came of it as an event.
#pragma once

#include "conformance/host/adapter/objects/objects.h"
#include "conformance/host/boundary/decision_seat.h"
#include "conformance/host/vidsch/queued_packet.h"

namespace wddm::host {

/// The packet may end, and be gone, before this returns. `tell_always`: that nothing was written
/// beside its private data is told even of a driver that asked for none.
void call_submit_command(const Adapter& adapter, const Objects& objects, const Packet& packet,
                         bool tell_always);

/// What Patch and SubmitCommand are both told of a packet.
template <class Arguments>
void name_buffer(const Packet& packet, Arguments& args) {
  const memory::GuardedBuffer& dma = packet.dma();
  const memory::GuardedBuffer& private_data = packet.private_data();
  // In an aperture its address is the segment's, and its pages need not follow each other in
  // memory.
  const AperturePlace& shown = packet.place();
  const bool in_aperture = shown.segment != kNoSegment;
  args.DmaBufferSegmentId = shown.segment.value;
  args.DmaBufferPhysicalAddress.QuadPart =
      static_cast<LONGLONG>(in_aperture ? shown.address : dma.physical_address());
  args.DmaBufferSize = static_cast<UINT>(dma.size());
  args.DmaBufferSubmissionStartOffset = packet.start();
  args.DmaBufferSubmissionEndOffset = packet.end();
  args.pDmaBufferPrivateData = private_data.data();
  // Who asked for none is given none; the buffer behind it has a byte all the same.
  const bool has_private = private_data.size() > 1 || packet.private_end() != 0;
  args.DmaBufferPrivateDataSize = has_private ? static_cast<UINT>(private_data.size()) : 0;
  args.DmaBufferPrivateDataSubmissionStartOffset = packet.private_start();
  args.DmaBufferPrivateDataSubmissionEndOffset = packet.private_end();
  args.SubmissionFenceId = decisions().told(packet.fence).value;
  args.Flags.Paging = packet.has_paging_flag();
  const RenderWork* const work = packet.render();
  args.Flags.NullRendering = work != nullptr && work->buffer->null_rendering;
  args.Flags.Present = work != nullptr && work->buffer->presents;
}

}  // namespace wddm::host
