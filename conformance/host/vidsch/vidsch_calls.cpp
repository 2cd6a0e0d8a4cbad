// Patch, SubmitCommand and PreemptCommand, with their arguments.

#include <algorithm>
#include <cstring>

#include "conformance/host/boundary/ddi_call.h"
#include "conformance/host/render/decode.h"
#include "conformance/host/memory/byte_scan.h"
#include "conformance/host/render/render_call.h"
#include "conformance/host/vidsch/vidsch_worker.h"

namespace wddm::host {
namespace {

// Buffers are large and little of them is used: up to the last byte that somebody wrote.
std::size_t written_bytes(const memory::GuardedBuffer& buffer) {
  return memory::size_without_tail(buffer.data(), buffer.size(), kUntouchedOutput);
}

std::vector<std::uint8_t> copy_of(const memory::GuardedBuffer& buffer) {
  return {buffer.data(), buffer.data() + written_bytes(buffer)};
}

void restore(const memory::GuardedBuffer& buffer, const std::vector<std::uint8_t>& copy) {
  std::copy(copy.begin(), copy.end(), buffer.data());
  std::memset(buffer.data() + copy.size(), kUntouchedOutput, buffer.size() - copy.size());
}

// `before`: a copy_of() the buffer.
std::vector<RangeRecord> changed_ranges(const std::vector<std::uint8_t>& before,
                                        const memory::GuardedBuffer& buffer) {
  std::vector<RangeRecord> ranges;
  const auto add = [&ranges](std::size_t i) {
    if (!ranges.empty() && ranges.back().offset + ranges.back().length == i) {
      ++ranges.back().length;
    } else {
      ranges.push_back({static_cast<std::uint32_t>(i), 1});
    }
  };
  const std::uint8_t* const now = buffer.data();
  for (std::size_t i = 0; i < before.size(); ++i) {
    i = memory::first_difference(before.data(), now, i, before.size());
    for (; i < before.size() && before[i] != now[i]; ++i) add(i);
  }
  const std::size_t end = written_bytes(buffer);
  for (std::size_t i = before.size(); i < end; ++i) {
    if (now[i] != kUntouchedOutput) add(i);
  }
  return ranges;
}

bool same_addresses(const std::vector<DXGK_ALLOCATIONLIST>& a,
                    const std::vector<DXGK_ALLOCATIONLIST>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.SegmentId == y.SegmentId && x.PhysicalAddress.QuadPart == y.PhysicalAddress.QuadPart;
  });
}

}  // namespace

void VidSchWorker::submit(const vidsch::SubmitPacket& decision) {
  Item& made = item(decision.packet);
  Packet& packet = made.packet;
  packet.fence = decision.fence.value;
  next_fence_ = std::max(next_fence_, packet.fence + 1);
  ++packet.submissions;
  ++progress_;
  last_context_[packet.node] = packet.context;
  if (made.render) made.render->started = true;
  if (packet.submissions > 1) {
    read_marker(made, 0, MarkerReason::AfterPreempted);
  } else if (packet.has_marker && made.render->render >= kMarkerWords) {
    made.render->marker_before = marker_word(made);
  }
  const bool node_idle = scheduler_->ledger(decision.engine).outstanding_count() == 1;
  patch(made);
  if (choices_.scramble && node_idle) adapter_.bus().scramble(packet.node);
  call_submit(made, packet.submissions > 1);
}

void VidSchWorker::patch(Item& made) {
  if (session().wire->driver.DxgkDdiPatch == nullptr) return;
  if (made.packet.paging) {
    if (choices_.patch_paging) call_patch(made, {}, 0);
    return;
  }
  RenderBuffer& buffer = *made.render;
  if (buffer.prepatched && same_addresses(buffer.allocation_list, made.addresses)) return;
  if (choices_.repatch == 0) {
    call_patch(made, made.addresses, 0);
    decode_patched(objects_, buffer, made.packet);
    return;
  }
  const std::vector<std::uint8_t> fresh = copy_of(buffer.dma);
  const memory::GuardedBuffer& notes = buffer.private_data;  // of what Patch did, perhaps
  const std::vector<std::uint8_t> fresh_notes(notes.data(), notes.data() + notes.size());
  std::vector<DXGK_ALLOCATIONLIST> detour = made.addresses;
  std::uint32_t round = 0;
  for (std::uint32_t i = 0; i < choices_.repatch; ++i) {
    for (std::size_t entry = 0; entry < detour.size(); ++entry) {
      residency_.move_on(buffer.allocation_slots[entry], detour[entry]);
    }
    call_patch(made, detour, round++);
  }
  call_patch(made, made.addresses, round++);
  const std::vector<std::uint8_t> repeated = copy_of(buffer.dma);
  restore(buffer.dma, fresh);
  std::copy(fresh_notes.begin(), fresh_notes.end(), notes.data());
  call_patch(made, made.addresses, round);
  const std::vector<RangeRecord> different = changed_ranges(repeated, buffer.dma);
  std::uint32_t bytes = 0;
  for (const RangeRecord& range : different) bytes += range.length;
  session().tap(ev::RepatchCompared{.packet = made.packet.id,
                                    .render = buffer.render,
                                    .times = choices_.repatch,
                                    .different = bytes,
                                    .first = different.empty() ? kNone : different[0].offset});
  decode_patched(objects_, buffer, made.packet);
}

void VidSchWorker::call_patch(Item& made, const std::vector<DXGK_ALLOCATIONLIST>& list,
                              std::uint32_t round) {
  const Packet packet = made.packet;
  const memory::GuardedBuffer& dma = packet.paging ? made.paging->dma : made.render->dma;
  const memory::GuardedBuffer& private_data =
      packet.paging ? made.paging->private_data : made.render->private_data;
  DXGKARG_PATCH args{};
  args.DmaBufferPhysicalAddress.QuadPart = static_cast<LONGLONG>(dma.physical_address());
  args.pDmaBuffer = dma.data();
  args.DmaBufferSize = static_cast<UINT>(dma.size());
  args.DmaBufferSubmissionStartOffset = packet.start;
  args.DmaBufferSubmissionEndOffset = packet.end;
  args.pDmaBufferPrivateData = private_data.data();
  args.DmaBufferPrivateDataSize = static_cast<UINT>(private_data.size());
  args.DmaBufferPrivateDataSubmissionEndOffset =
      packet.paging ? packet.private_end : made.render->private_used;
  args.SubmissionFenceId = packet.fence;
  if (packet.paging) {
    args.Flags.Paging = 1;
  } else {
    args.hContext = objects_.context(packet.context).driver;
    args.pAllocationList = list.data();
    args.AllocationListSize = static_cast<UINT>(list.size());
    args.pPatchLocationList = made.render->patches.data();
    args.PatchLocationListSize = static_cast<UINT>(made.render->patches.size());
    args.PatchLocationListSubmissionStart = packet.first;
    args.PatchLocationListSubmissionLength = packet.count;
    std::vector<AllocationRecord> records;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::uint32_t slot = made.render->allocation_slots[i];
      records.push_back({.address = static_cast<std::uint64_t>(list[i].PhysicalAddress.QuadPart),
                         .size = slot == kNone ? 0 : objects_.allocation(slot).bytes,
                         .allocation = slot,
                         .segment = list[i].SegmentId,
                         .write = list[i].WriteOperation});
    }
    session().tap(ev::PatchAddresses{.packet = packet.id, .round = round}, records.data(),
                  records.size() * sizeof(AllocationRecord));
  }
  const std::vector<std::uint8_t> before = copy_of(dma);
  const std::uint64_t damaged_before = dma.damaged(nullptr);
  const NTSTATUS status = call_driver(DdiId::Patch, packet.id, nt::kPassive, [&] {
    return session().wire->Patch(adapter_.miniport(), &args);
  });
  const std::vector<RangeRecord> ranges = changed_ranges(before, dma);
  std::int64_t first = 0;
  if (const std::uint64_t damaged = dma.damaged(&first); damaged != damaged_before) {
    const GuardArea area = packet.paging ? GuardArea::PatchedPagingBuffer : GuardArea::DmaBuffer;
    session().tap(ev::GuardDamaged{.area = static_cast<std::uint32_t>(area),
                                   .object = packet.id,
                                   .first = static_cast<std::int32_t>(first),
                                   .bytes = static_cast<std::uint32_t>(damaged)});
  }
  session().tap(ev::Patched{.packet = packet.id,
                            .render = packet.paging ? kNone : made.render->render,
                            .start = packet.start,
                            .end = packet.end,
                            .first = packet.first,
                            .count = packet.count,
                            .fence = packet.fence,
                            .paging = packet.paging,
                            .status = static_cast<std::uint32_t>(status),
                            .round = round,
                            .pass = packet.paging ? 0 : made.render->pass},
                ranges.data(), ranges.size() * sizeof(RangeRecord));
}

void VidSchWorker::call_submit(Item& made, bool again) {
  // The packet may end, and with it `made`, before SubmitCommand returns.
  const Packet packet = made.packet;
  const std::uint32_t render = packet.paging ? kNone : made.render->render;
  const memory::GuardedBuffer& dma = packet.paging ? made.paging->dma : made.render->dma;
  const std::uint64_t address = dma.physical_address();
  const memory::GuardedBuffer& private_data =
      packet.paging ? made.paging->private_data : made.render->private_data;
  DXGKARG_SUBMITCOMMAND args{};
  args.DmaBufferPhysicalAddress.QuadPart = static_cast<LONGLONG>(address);
  args.DmaBufferSize = static_cast<UINT>(dma.size());
  args.DmaBufferSubmissionStartOffset = packet.start;
  args.DmaBufferSubmissionEndOffset = packet.end;
  args.pDmaBufferPrivateData = private_data.data();
  args.DmaBufferPrivateDataSize = static_cast<UINT>(private_data.size());
  args.DmaBufferPrivateDataSubmissionEndOffset =
      packet.paging ? packet.private_end : made.render->private_used;
  args.SubmissionFenceId = packet.fence;
  args.NodeOrdinal = packet.node;
  if (packet.paging) {
    args.Flags.Paging = 1;
  } else {
    args.hContext = objects_.context(packet.context).driver;
  }
  // The flag exists from WDDM 2.0 on.
  if (number_in(adapter_.caps().WDDMVersion) >= DXGKDDI_WDDMv2) {
    args.Flags.Resubmission = again;
  }
  const NTSTATUS status = call_driver(DdiId::SubmitCommand, packet.id, nt::kDispatch, [&] {
    return session().wire->SubmitCommand(adapter_.miniport(), &args);
  });
  session().tap(ev::Submitted{.address = address,
                              .packet = packet.id,
                              .render = render,
                              .node = packet.node,
                              .fence = packet.fence,
                              .context = packet.context,
                              .start = packet.start,
                              .end = packet.end,
                              .paging = packet.paging,
                              .status = static_cast<std::uint32_t>(status),
                              .again = again});
}

void VidSchWorker::call_preempt(const vidsch::Preempt& decision) {
  if (session().wire->driver.DxgkDdiPreemptCommand == nullptr) return;
  DXGKARG_PREEMPTCOMMAND args{};
  args.PreemptionFenceId = decision.fence.value;
  next_fence_ = std::max(next_fence_, args.PreemptionFenceId + 1);
  args.NodeOrdinal = decision.engine.node.value;
  args.EngineOrdinal = 0;
  const auto outstanding =
      static_cast<std::uint32_t>(scheduler_->ledger(decision.engine).outstanding_count());
  const NTSTATUS status = call_driver(DdiId::PreemptCommand, args.NodeOrdinal, nt::kDispatch, [&] {
    return session().wire->PreemptCommand(adapter_.miniport(), &args);
  });
  ++progress_;
  session().tap(ev::PreemptAsked{.node = args.NodeOrdinal,
                                 .engine = args.EngineOrdinal,
                                 .fence = args.PreemptionFenceId,
                                 .status = static_cast<std::uint32_t>(status),
                                 .outstanding = outstanding});
}

}  // namespace wddm::host
