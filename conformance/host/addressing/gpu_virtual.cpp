#include "conformance/host/addressing/gpu_virtual.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>

#include "conformance/host/boundary/ddi_call.h"
#include "conformance/host/gpuva/virtual_memory.h"
#include "conformance/host/render/decode.h"
#include "conformance/host/vidmm/vidmm_worker.h"

namespace wddm::host {
namespace {

UINT private_bytes_of(const ContextObject& context) {
  return std::min<UINT>(context.info.DmaBufferPrivateDataSize, 1u << 16);
}

}  // namespace

std::span<const DdiId> GpuVirtualAddressing::needed() const {
  static constexpr DdiId kNeeded[] = {DdiId::SubmitCommandVirtual, DdiId::SetRootPageTable};
  return kNeeded;
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
  return adapter_.slots() == 0 ? kWithoutTable : std::min(adapter_.slots(), kMostSlots);
}

void GpuVirtualAddressing::describe(WddmBuildRequest& request, UserInput& input) const {
  for (const AllocationId id : input.allocations) {
    input.addresses.push_back(memory_->address_of(id, input.context).value);
  }
  input.private_data.assign(private_bytes_of(objects_.context(input.context)), 0);
  input.command_address = memory_->address_for_commands(input.context, kMostCommandBytes).value;
  request.slot_count = slots();
  request.allocation_addresses = input.addresses.data();
  request.command_address = input.command_address;
  request.address_bits = adapter_.gpummu()->caps.virtual_address_bit_count;
}

// Elements that lie at the start of the buffer: VidMm brings in what they name, all at once, and
// before anything runs. No place is left to split it at.
void GpuVirtualAddressing::prepare(const RenderRequest& request, const UserInput& input,
                                   VidMmWorker& vidmm) const {
  const ContextObject& context = objects_.context(request.context);
  auto buffer = std::make_unique<RenderBuffer>();
  buffer->render = request.ordinal;
  buffer->context = request.context;
  buffer->engine = context.engine;
  buffer->address = gpummu::GpuVirtualAddress{input.command_address};
  buffer->dma = memory::GuardedBuffer(std::max<std::size_t>(input.command.size(), 16), true,
                                      memory::FrameOwner::DmaBuffer);
  memory_->commands_take(request.context, buffer->address, buffer->dma.size());
  std::memset(buffer->dma.data(), 0, buffer->dma.size());
  std::memcpy(buffer->dma.data(), input.command.data(), input.command.size());
  buffer->dma_used = static_cast<std::uint32_t>(input.command.size());
  const UINT private_bytes = private_bytes_of(context);
  buffer->private_data =
      memory::GuardedBuffer(std::max<UINT>(private_bytes, 1), false, memory::FrameOwner::Driver);
  std::memset(buffer->private_data.data(), 0, buffer->private_data.size());
  buffer->private_used = private_bytes;
  buffer->user_private_used =
      static_cast<std::uint32_t>(std::min<std::size_t>(input.private_data.size(), private_bytes));
  std::memcpy(buffer->private_data.data(), input.private_data.data(), buffer->user_private_used);
  buffer->stream = request.stream;
  for (const AllocationId id : input.allocations) {
    if (memory_->is_zero(id, request.context)) request.stream->zeros.push_back(id);
  }
  buffer->marker_offset = request.marker_offset;
  buffer->hostile = !request.hostile.empty();
  for (std::uint32_t entry = 0; entry < input.list.size(); ++entry) {
    DXGK_ALLOCATIONLIST item{};
    const std::uint32_t index = input.list[entry].allocation;
    const AllocationId id =
        index < input.allocations.size() ? input.allocations[index] : kNoAllocation;
    if (id != kNoAllocation) {
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

SubmitAnswer GpuVirtualAddressing::submit(const Packet& packet) const {
  DXGKARG_SUBMITCOMMANDVIRTUAL args{};
  if (const RenderWork* const work = packet.render()) {
    args.hContext = objects_.context(work->buffer->context).driver;
    memory_->submitted(packet.engine, packet.fence, work->buffer->context);
    args.DmaBufferVirtualAddress = work->buffer->address.value;
    args.DmaBufferUmdPrivateDataSize = work->buffer->user_private_used;
  } else {
    memory_->submitted(packet.engine, packet.fence, std::nullopt);
    args.hContext = objects_.system_context(packet.engine);
    args.DmaBufferVirtualAddress = packet.paging()->buffer->address.value;
    args.Flags.Paging = 1;
  }
  args.DmaBufferSize = packet.end();
  args.pDmaBufferPrivateData = packet.private_data().data();
  args.DmaBufferPrivateDataSize = packet.private_end();
  args.SubmissionFenceId = packet.fence.value;
  args.Flags.Resubmission = packet.submissions > 1;
  args.NodeOrdinal = packet.engine.node.value;
  args.EngineOrdinal = packet.engine.physical_adapter;
  ev::Submitted seen{.address = args.DmaBufferVirtualAddress,
                     .packet = packet.ordinal.value,
                     .render = packet.render_ordinal(),
                     .node = packet.engine.node.value,
                     .fence = packet.fence.value,
                     .context = packet.context().value,
                     .start = 0,
                     .end = packet.end(),
                     .paging = packet.is_paging(),
                     .again = packet.submissions > 1,
                     .engine = packet.engine.physical_adapter};
  const NTSTATUS status =
      call_ddi<DdiId::SubmitCommandVirtual>(packet.ordinal, adapter_.miniport(), &args);
  seen.status = static_cast<std::uint32_t>(status);
  session().tap(seen);
  // A paging buffer is the driver's own: nothing is known of what it means by refusing that.
  const bool refused = seen.paging == 0 && status == STATUS_INVALID_PARAMETER;
  return refused ? SubmitAnswer::Refused : SubmitAnswer::Taken;
}

}  // namespace wddm::host
