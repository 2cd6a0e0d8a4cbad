#include "conformance/host/addressing/patch_list_addressing.h"

#include <algorithm>
#include <cstring>

#include "conformance/host/addressing/submit_command.h"
#include "conformance/host/boundary/ddi_call.h"
#include "conformance/host/memory/byte_scan.h"
#include "conformance/host/memory/guarded_array.h"
#include "conformance/host/render/decode.h"
#include "conformance/host/render/render_call.h"
#include "conformance/host/vidmm/vidmm_worker.h"

namespace wddm::host {
namespace {

// Buffers are large and little of them is used: up to the last byte that somebody wrote.
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

void report_guard(const memory::GuardedBuffer& buffer, GuardArea area, const Packet& packet,
                  std::uint64_t damaged_before) {
  std::int64_t first = 0;
  const std::uint64_t damaged = buffer.damaged(&first);
  if (damaged == damaged_before) return;
  session().tap(ev::GuardDamaged{.area = static_cast<std::uint32_t>(area),
                                 .object = packet.ordinal.value,
                                 .first = static_cast<std::int32_t>(first),
                                 .bytes = static_cast<std::uint32_t>(damaged)});
}

}  // namespace

std::span<const DdiId> PatchListAddressing::needed() const {
  static constexpr DdiId kNeeded[] = {DdiId::Render, DdiId::SubmitCommand};
  return kNeeded;
}

std::uint32_t PatchListAddressing::slots() const {
  return std::min(adapter_.slots(), kMostSlots);
}

const char* PatchListAddressing::cannot_bind(ContextId context, AllocationId allocation) const {
  const bool is_open = objects_.handle_on(objects_.context(context).device, allocation) != nullptr;
  return is_open ? nullptr : "the allocation is not open on the context's device";
}

void PatchListAddressing::describe(WddmBuildRequest& request, UserInput& input) const {
  const auto tell = [&request](const auto& asked) {
    request.dma_buffer_bytes = asked.DmaBufferSize;
    request.allocation_list_size = asked.AllocationListSize;
    request.patch_location_list_size = asked.PatchLocationListSize;
    request.private_data_bytes = asked.DmaBufferPrivateDataSize;
  };
  request.slot_count = slots();
  const ContextObject& context = objects_.context(input.context);
  if (context.live) return tell(context.info);
  tell(objects_.device(kFirstDevice).info);
}

bool PatchListAddressing::client_agrees(const BuiltRender& built, VidMmWorker& vidmm) const {
  const auto& [request, input] = built;
  const bool minds =
      choices_.required_only && !choices_.careless && Adapter::knows(InterfaceVersion::Wddm2_0);
  if (minds && !client_may_use(request, input, vidmm.clients())) return false;
  if (minds && vidmm.clients().asks(request.context)) {
    tell_what_was_built(request, input, objects_.context(request.context).device, true);
  }
  return true;
}

void PatchListAddressing::prepare(const RenderRequest& request, const UserInput& input,
                                  VidMmWorker& vidmm) const {
  const BuiltRender built{request, input};
  if (client_agrees(built, vidmm)) {
    render_all_passes({objects_, residency_, choices_}, built, vidmm);
  }
}

void PatchListAddressing::prepare_in_turn(const BuiltRender& first, const BuiltRender& second,
                                          VidMmWorker& vidmm) const {
  const RenderServices services{objects_, residency_, choices_};
  const bool one = client_agrees(first, vidmm);
  const bool other = client_agrees(second, vidmm);
  if (one && other) return render_in_turn(services, first, second, vidmm);
  if (one) render_all_passes(services, first, vidmm);
  if (other) render_all_passes(services, second, vidmm);
}

void PatchListAddressing::settle(const Packet& packet) const {
  if (!may_call(DdiId::Patch)) return;
  const RenderWork* const work = packet.render();
  if (work == nullptr) {
    if (choices_.patch_paging && !packet.switches()) patch(packet, {}, 0);
    return;
  }
  if (work->buffer->prepatched && same_addresses(work->buffer->allocation_list, work->addresses)) {
    return;
  }
  if (choices_.repatch == 0) {
    patch(packet, work->addresses, 0);
  } else {
    patch_again(packet);
  }
  decode_patched(objects_, packet);
}

// At other addresses first, of several the last one in another segment at the right offset, then at
// the right ones; a fresh copy patched once must come to the same.
void PatchListAddressing::patch_again(const Packet& packet) const {
  const std::uint32_t times = choices_.repatch;
  const RenderWork& work = *packet.render();
  const RenderBuffer& buffer = *work.buffer;
  const std::vector<std::uint8_t> fresh = copy_of(buffer.dma);
  const memory::GuardedBuffer& notes = buffer.private_data;  // of what Patch did, perhaps
  const std::vector<std::uint8_t> fresh_notes(notes.data(), notes.data() + notes.size());
  std::vector<DXGK_ALLOCATIONLIST> detour = work.addresses;
  std::uint32_t round = 0;
  for (std::uint32_t i = 0; i < times; ++i) {
    for (std::size_t entry = 0; entry < detour.size(); ++entry) {
      DXGK_ALLOCATIONLIST over = work.addresses[entry];
      const bool last = i != 0 && i + 1 == times;
      if (last && residency_.move_over(buffer.allocations[entry], over)) {
        detour[entry] = over;
      } else {
        residency_.move_on(buffer.allocations[entry], detour[entry]);
      }
    }
    patch(packet, detour, round++);
  }
  patch(packet, work.addresses, round++);
  const std::vector<std::uint8_t> repeated = copy_of(buffer.dma);
  restore(buffer.dma, fresh);
  std::copy(fresh_notes.begin(), fresh_notes.end(), notes.data());
  patch(packet, work.addresses, round);
  const std::vector<RangeRecord> different = changed_ranges(repeated, buffer.dma);
  std::uint32_t bytes = 0;
  for (const RangeRecord& range : different) bytes += range.length;
  session().tap(ev::RepatchCompared{.packet = packet.ordinal.value,
                                    .render = buffer.render,
                                    .times = times,
                                    .different = bytes,
                                    .first = different.empty() ? kNone : different[0].offset});
}

void PatchListAddressing::patch(const Packet& packet, const List& list, std::uint32_t round) const {
  DXGKARG_PATCH args{};
  name_buffer(packet, args);
  args.pDmaBuffer = packet.dma().data();
  args.EngineOrdinal = packet.engine.physical_adapter;
  args.SubmissionFenceId = decisions().told_by_patch(packet.fence).value;
  ev::Patched seen{.packet = packet.ordinal.value,
                   .render = packet.render_ordinal(),
                   .start = packet.start(),
                   .end = packet.end(),
                   .fence = args.SubmissionFenceId,
                   .paging = packet.is_paging(),
                   .round = round};
  memory::GuardedArray<DXGK_ALLOCATIONLIST> given_list;
  if (const RenderWork* const work = packet.render()) {
    const RenderBuffer& buffer = *work->buffer;
    args.hContext = objects_.context(buffer.context).driver;
    objects_.contexts().tell_handle(DdiId::Patch, buffer.context, args.hContext);
    given_list = memory::GuardedArray(list, "allocation list");
    args.pAllocationList = given_list.data();
    args.AllocationListSize = static_cast<UINT>(list.size());
    args.pPatchLocationList = buffer.given_patches.data();
    args.PatchLocationListSize = static_cast<UINT>(buffer.patches.size());
    args.PatchLocationListSubmissionStart = seen.first = work->first;
    args.PatchLocationListSubmissionLength = seen.count = work->count;
    seen.pass = buffer.pass;
    const std::vector<AllocationRecord> records = records_of(list, buffer.allocations, objects_);
    session().tap(ev::PatchAddresses{.packet = packet.ordinal.value, .round = round},
                  records.data(), records.size() * sizeof(AllocationRecord));
  }
  const std::vector<std::uint8_t> before = copy_of(packet.dma());
  const std::uint64_t damaged_before = packet.dma().damaged(nullptr);
  const std::uint64_t private_before = packet.private_data().damaged(nullptr);
  const NTSTATUS status = call_ddi<DdiId::Patch>(packet.ordinal, adapter_.miniport(), &args);
  const std::vector<RangeRecord> ranges = changed_ranges(before, packet.dma());
  report_guard(packet.dma(),
               packet.is_paging() ? GuardArea::PatchedPagingBuffer : GuardArea::DmaBuffer, packet,
               damaged_before);
  if (!packet.is_paging()) {
    report_guard(packet.private_data(), GuardArea::DmaPrivateData, packet, private_before);
  }
  seen.status = static_cast<std::uint32_t>(status);
  session().tap(seen, ranges.data(), ranges.size() * sizeof(RangeRecord));
}

SubmitAnswer PatchListAddressing::submit(const Packet& packet) const {
  call_submit_command(adapter_, objects_, packet, choices_.prefill);
  return SubmitAnswer::Taken;
}

}  // namespace wddm::host
