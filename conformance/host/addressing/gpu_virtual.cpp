#include "conformance/host/addressing/gpu_virtual.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "conformance/host/addressing/submit_command.h"
#include "conformance/host/boundary/ddi_call.h"
#include "conformance/host/boundary/decision_seat.h"
#include "conformance/host/gpuva/virtual_memory.h"
#include "conformance/host/memory/guarded_names.h"
#include "conformance/host/render/decode.h"
#include "conformance/host/vidmm/vidmm_worker.h"
#include "reference/digest.h"
#include "reference/is_any_of.h"

namespace wddm::host {
namespace {

UINT private_bytes_of(const ContextObject& context) {
  return std::min<UINT>(context.info.DmaBufferPrivateDataSize, 1u << 16);
}

// Dxgkrnl uses such buffers again: what user mode does not write is of an earlier packet.
void give_private_data(const std::optional<Op>& how, std::span<const std::uint8_t> made,
                       RenderBuffer& buffer) {
  const std::span<std::uint8_t> all(buffer.private_data.data(), buffer.private_used);
  std::memset(buffer.private_data.data(), 0, buffer.private_data.size());
  std::size_t given = std::min(made.size(), all.size());
  if (how) {
    const std::uint32_t word = how->z;
    for (std::size_t at = 0; at + sizeof(word) <= all.size(); at += sizeof(word)) {
      std::memcpy(all.data() + at, &word, sizeof(word));
    }
    if (how->a != 0) std::copy_n(made.begin(), given, all.begin());
    given = std::min<std::size_t>(given, how->x);
  }
  std::copy_n(made.begin(), given, all.begin());
  buffer.user_private_used = static_cast<std::uint32_t>(given);
}

void tell_private_data(const Packet& packet, const RenderBuffer& buffer) {
  const std::span<const std::uint8_t> all(buffer.private_data.data(), buffer.private_used);
  session().tap(ev::PrivateDataGiven{.digest = digest(all.first(buffer.user_private_used)),
                                     .behind = digest(all.subspan(buffer.user_private_used)),
                                     .packet = packet.ordinal.value,
                                     .bytes = buffer.private_used,
                                     .user_bytes = buffer.user_private_used,
                                     .command_bytes = packet.end(),
                                     .hostile = buffer.hostile,
                                     .commands_hostile = buffer.commands_altered});
}

void report_private_guard(const RenderBuffer& buffer, PacketOrdinal packet) {
  std::int64_t first = 0;
  const std::uint64_t damaged = buffer.private_data.damaged(&first);
  if (damaged == 0) return;
  session().tap(ev::GuardDamaged{.area = static_cast<std::uint32_t>(GuardArea::DmaPrivateData),
                                 .object = packet.value,
                                 .first = static_cast<std::int32_t>(first),
                                 .bytes = static_cast<std::uint32_t>(damaged)});
}

}  // namespace

std::span<const DdiId> GpuVirtualAddressing::needed() const {
  static constexpr DdiId kNeeded[] = {DdiId::SubmitCommandVirtual, DdiId::SetRootPageTable};
  // An IOMMU has no roots of the driver's.
  return std::span(kNeeded).first(adapter_.io_mmu_alone() ? 1 : 2);
}

bool GpuVirtualAddressing::knows(const WddmClient& client) const {
  return client.size >= offsetof(WddmClient, decode_entry) + sizeof(client.decode_entry);
}

const char* GpuVirtualAddressing::cannot_bind(ContextId context, AllocationId allocation) const {
  return memory_->cannot_bind(context, allocation);
}

// Slots are the client's own here. A driver without patch lists need not have a slot table, so that
// a number is chosen that hardware with bindings has too.
std::uint32_t GpuVirtualAddressing::slots() const {
  constexpr std::uint32_t kWithoutTable = 16;
  return adapter_.caps().MaxAllocationListSlotId == 0 ? kWithoutTable
                                                      : std::min(adapter_.slots(), kMostSlots);
}

void GpuVirtualAddressing::describe(WddmBuildRequest& request, UserInput& input) const {
  input.addresses.clear();
  input.addresses.reserve(input.allocations.size() + 1);  // an array, though nothing is in it
  for (const AllocationId id : input.allocations) {
    input.addresses.push_back(memory_->address_of(id, input.context).value);
  }
  input.private_data.assign(private_bytes_of(objects_.context(input.context)), 0);
  input.command_address = memory_->address_for_commands(input.context, kMostCommandBytes).value;
  request.slot_count = slots();
  request.allocation_addresses = input.addresses.data();
  request.command_address = input.command_address;
  request.address_bits = adapter_.gpummu()->caps.virtual_address_bit_count;
  request.private_data_bytes = static_cast<std::uint32_t>(input.private_data.size());
}

// Elements that lie at the start of the buffer: VidMm brings in what they name, all at once, and
// before anything runs. No place is left to split it at.
void GpuVirtualAddressing::prepare(const RenderRequest& request, const UserInput& input,
                                   VidMmWorker& vidmm) const {
  const ContextObject& context = objects_.context(request.context);
  if (choices_.required_only && !client_may_use(request, input, vidmm.clients())) {
    return;
  }
  tell_what_was_built(request, input, context.device,
                      choices_.required_only && vidmm.clients().asks(request.context));
  auto buffer = std::make_unique<RenderBuffer>();
  buffer->render = request.ordinal;
  buffer->context = request.context;
  buffer->engine = context.engine;
  buffer->address = gpummu::GpuVirtualAddress{input.command_address};
  buffer->dma = memory::GuardedBuffer(std::max<std::size_t>(input.command.size(), 16), true,
                                      memory::FrameOwner::DmaBuffer);
  memory::name_buffer(buffer->dma, "DMA buffer");
  memory_->commands_take(request.context, buffer->address, buffer->dma.size());
  std::memset(buffer->dma.data(), 0, buffer->dma.size());
  std::memcpy(buffer->dma.data(), input.command.data(), input.command.size());
  buffer->dma_used = static_cast<std::uint32_t>(input.command.size());
  const UINT private_bytes = private_bytes_of(context);
  buffer->private_data =
      memory::GuardedBuffer(std::max<UINT>(private_bytes, 1), false, memory::FrameOwner::Driver);
  memory::name_buffer(buffer->private_data, "DMA buffer's private data");
  buffer->private_used = private_bytes;
  give_private_data(request.private_data, input.private_data, *buffer);
  buffer->stream = request.stream;
  for (const AllocationId id : input.allocations) {
    if (memory_->is_zero(id, request.context)) request.stream->zeros.push_back(id);
  }
  buffer->marker_offset = request.marker_offset;
  buffer->marker_is_ladder = request.marker_is_ladder;
  buffer->hostile = !request.hostile.empty();
  buffer->commands_altered = std::any_of(
      request.hostile.begin(), request.hostile.end(),
      [](const Op& op) { return is_any_of(op.kind, OpKind::TamperCommand, OpKind::Privileged); });
  buffer->displaced.assign(request.in_reach.begin(), request.in_reach.end());
  buffer->required_only = choices_.required_only;
  buffer->stray = request.stray;
  buffer->null_rendering = request.null_rendering;
  vidmm.tell_postponed(*buffer, input.allocations);
  for (std::uint32_t entry = 0; entry < input.list.size(); ++entry) {
    DXGK_ALLOCATIONLIST item{};
    const std::uint32_t index = input.list[entry].allocation;
    const AllocationId id =
        index < input.allocations.size() ? input.allocations[index] : kNoAllocation;
    const bool brought_in =
        (!buffer->required_only && !vidmm.is_postponed(id)) || id == kMarkerAllocation;
    if (id != kNoAllocation && brought_in) {
      item.hDeviceSpecificAllocation = objects_.allocation(id).device_specific;
      item.WriteOperation = input.list[entry].write != 0;
      D3DDDI_PATCHLOCATIONLIST element{};
      element.AllocationIndex = entry;
      element.SlotId = static_cast<UINT>(buffer->patches.size()) & 0xffffff;
      element.SplitOffset = 0;
      buffer->patches.push_back(element);
    }
    buffer->allocation_list.push_back(item);
    buffer->allocations.push_back(id);
  }
  vidmm.enqueue(std::move(buffer));
}

// Addresses hold from when they were mapped.
void GpuVirtualAddressing::settle(const Packet&) const {}

// Paging runs in the contexts of the paging process ("System paging process"), which has addresses
// of its own, and what comes to contexts with addresses is SubmitCommandVirtual's; Microsoft's
// sample for compute-only devices looks there for Flags.Paging too. But Dxgkrnl gives that process
// addresses only where there is local memory ("Allocation notification"). Without, a buffer is
// named by its place and comes without a context, which is SubmitCommand's: as far as operations go
// that reach nothing by address. Of the others, and of an IOMMU alone, the documents do not tell.
bool GpuVirtualAddressing::is_by_place(const Packet& packet) const {
  const bool paging = packet.is_paging() && !packet.switches() && packet.companion() == kNoContext;
  if (!paging || adapter_.io_mmu_alone() || !may_call(DdiId::SubmitCommand)) return false;
  const std::vector<SegmentDescription>& segments =
      adapter_.segments(packet.engine.physical_adapter);
  const bool has_local_memory =
      std::any_of(segments.begin(), segments.end(),
                  [](const SegmentDescription& segment) { return !segment.flags.Aperture; });
  return !has_local_memory &&
         is_any_of(packet.paging()->buffer->operation->args.Operation,
                   DXGK_OPERATION_MAP_APERTURE_SEGMENT, DXGK_OPERATION_MAP_APERTURE_SEGMENT2,
                   DXGK_OPERATION_UNMAP_APERTURE_SEGMENT, DXGK_OPERATION_FLUSH_TLB);
}

SubmitAnswer GpuVirtualAddressing::submit(const Packet& packet) const {
  if (is_by_place(packet)) {
    memory_->submitted(packet.engine, packet.fence, std::nullopt);
    call_submit_command(adapter_, objects_, packet, false);
    return SubmitAnswer::Taken;
  }
  DXGKARG_SUBMITCOMMANDVIRTUAL args{};
  if (const RenderWork* const work = packet.render()) {
    args.hContext = objects_.context(work->buffer->context).driver;
    memory_->submitted(packet.engine, packet.fence, work->buffer->context);
    args.DmaBufferVirtualAddress = work->buffer->address.value;
    args.DmaBufferUmdPrivateDataSize = work->buffer->user_private_used;
    args.Flags.NullRendering = work->buffer->null_rendering;
  } else {
    const ContextId companion = packet.companion();
    const bool on_companion = companion != kNoContext;
    const ContextId left = packet.leaves();
    // An engine that leaves a context may save it, in the memory and by the tables of that.
    const bool leaves = !on_companion && left != kNoContext;
    memory_->submitted(packet.engine, packet.fence,
                       on_companion ? std::optional(companion)
                       : leaves     ? std::optional(left)
                                    : std::nullopt);
    args.hContext = on_companion ? objects_.context(companion).driver
                                 : objects_.contexts().of_system(packet.engine);
    args.DmaBufferVirtualAddress = packet.paging()->buffer->memory->address.value + packet.start();
    // A switch away from a context is that context's, and its process has no buffer for it.
    if (left != kNoContext) {
      args.hContext = objects_.context(left).driver;
      args.DmaBufferVirtualAddress = 0;
    }
    args.Flags.Paging = packet.has_paging_flag();
    args.Flags.ContextSwitch = packet.switches();
  }
  args.DmaBufferSize = packet.end() - packet.start();
  args.pDmaBufferPrivateData = packet.private_data().data() + packet.private_start();
  args.DmaBufferPrivateDataSize = packet.private_end() - packet.private_start();
  args.SubmissionFenceId = decisions().told(packet.fence).value;
  args.Flags.Resubmission = packet.submissions > 1 && decisions().tells_resubmission();
  args.NodeOrdinal = packet.engine.node.value;
  args.EngineOrdinal = packet.engine.physical_adapter;
  ev::Submitted seen{
      .address = args.DmaBufferVirtualAddress,
      .packet = packet.ordinal.value,
      .render = packet.render_ordinal(),
      .node = packet.engine.node.value,
      .fence = args.SubmissionFenceId,
      .context = packet.is_paging() ? packet.companion().value : packet.context().value,
      .start = 0,
      .end = args.DmaBufferSize,
      .paging = packet.is_paging(),
      .again = packet.submissions > 1,
      .engine = packet.engine.physical_adapter,
      .switches = packet.switches()};
  // The packet may end before the call returns.
  const std::shared_ptr<const RenderBuffer> buffer =
      packet.render() != nullptr ? packet.render()->buffer : nullptr;
  if (buffer) tell_private_data(packet, *buffer);
  const NTSTATUS status =
      call_ddi<DdiId::SubmitCommandVirtual>(packet.ordinal, adapter_.miniport(), &args);
  if (buffer) report_private_guard(*buffer, PacketOrdinal{seen.packet});
  seen.status = static_cast<std::uint32_t>(status);
  session().tap(seen);
  // A paging buffer is the driver's own: nothing is known of what it means by refusing that.
  const bool refused = seen.paging == 0 && status == STATUS_INVALID_PARAMETER;
  return refused ? SubmitAnswer::Refused : SubmitAnswer::Taken;
}

}  // namespace wddm::host
