#include "conformance/host/vidmm/paging_builder.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "conformance/host/boundary/ddi_call.h"
#include "conformance/host/gpuva/tables/table_update.h"
#include "conformance/host/memory/byte_scan.h"

namespace wddm::host {
namespace {

// More passes than the smallest buffer could want are a driver's loop: a few for each page.
constexpr std::uint32_t kPassesOfAny = 64;
constexpr std::uint32_t kPassesOfPage = 4;
// Passes in a row that neither write nor move MultipassOffset.
constexpr std::uint32_t kMostIdlePasses = 2;
constexpr std::uint32_t kSmallestBuffer = 16;

std::uint64_t pages_of(const DXGKARG_BUILDPAGINGBUFFER& args) {
  switch (args.Operation) {
    case DXGK_OPERATION_TRANSFER:
      return args.Transfer.TransferSize / kPageSize;
    case DXGK_OPERATION_FILL:
      return args.Fill.FillSize / kPageSize;
    case DXGK_OPERATION_VIRTUAL_FILL:
      return args.FillVirtual.FillSizeInBytes / kPageSize;
    case DXGK_OPERATION_VIRTUAL_TRANSFER:
      return args.TransferVirtual.TransferSizeInBytes / kPageSize;
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT:
      return args.MapApertureSegment.NumberOfPages;
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT2:
      return args.MapApertureSegment2.NumberOfPages;
    case DXGK_OPERATION_UNMAP_APERTURE_SEGMENT:
      return args.UnmapApertureSegment.NumberOfPages;
    case DXGK_OPERATION_UPDATE_PAGE_TABLE:
      return args.UpdatePageTable.NumPageTableEntries;
    case DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES:
      return args.CopyPageTableEntries.NumRanges;
    default:
      return 0;
  }
}

// What a buffer holds before the driver writes: no byte of a FillPattern, with which commands may
// end.
std::uint8_t untouched(const DXGKARG_BUILDPAGINGBUFFER& args) {
  constexpr std::uint8_t kCandidates[] = {0xC9, 0x36, 0x9C, 0x63, 0x5A};  // one more than bytes
  std::uint32_t pattern = 0;
  if (args.Operation == DXGK_OPERATION_FILL) pattern = args.Fill.FillPattern;
  if (args.Operation == DXGK_OPERATION_VIRTUAL_FILL) pattern = args.FillVirtual.FillPattern;
  return *std::find_if(std::begin(kCandidates), std::end(kCandidates), [&](std::uint8_t byte) {
    for (unsigned shift = 0; shift < 32; shift += 8) {
      if ((pattern >> shift & 0xff) == byte) return false;
    }
    return true;
  });
}

// Behind what is offered of a buffer that has more.
constexpr std::uint8_t kBehindOffer = 0xB7;

// `offered`: bytes of the buffer that are the driver's.
void report_guard(const memory::GuardedBuffer& buffer, std::uint64_t offered, GuardArea area,
                  std::uint32_t operation) {
  std::int64_t first = 0;
  std::uint64_t damaged = buffer.damaged(&first);
  for (std::uint64_t i = buffer.size(); i-- > offered;) {
    if (buffer.data()[i] == kBehindOffer) continue;
    if (damaged++ == 0 || first > 0) first = static_cast<std::int64_t>(i);
  }
  if (damaged == 0) return;
  session().tap(ev::GuardDamaged{.area = static_cast<std::uint32_t>(area),
                                 .object = operation,
                                 .first = static_cast<std::int32_t>(first),
                                 .bytes = static_cast<std::uint32_t>(damaged)});
}

}  // namespace

NTSTATUS PagingBuilder::call(PagingOperation& operation, PagingBuffer& buffer, std::uint32_t pass,
                             std::uint32_t* multipass) const {
  DXGKARG_BUILDPAGINGBUFFER args = operation.args;
  args.pDmaBuffer = buffer.dma.data();
  args.DmaSize = buffer.offered;
  args.DmaBufferGpuVirtualAddress = buffer.address.value;
  args.pDmaBufferPrivateData = buffer.private_data.data();
  const UINT private_given = adapter_.paging_private_bytes();
  args.DmaBufferPrivateDataSize = private_given;
  args.MultipassOffset = *multipass;
  args.hSystemContext =
      operation.runs_in == kNoContext
          ? objects_.system_context({.node = choices_.paging_engine.node,
                                     .physical_adapter = operation.physical_adapter})
          : objects_.context(operation.runs_in).driver;
  if (operation.update) operation.update->building();
  const NTSTATUS status =
      call_ddi<DdiId::BuildPagingBuffer>(operation.allocation, adapter_.miniport(), &args);
  operation.status = static_cast<std::uint32_t>(status);
  const std::int64_t used = static_cast<std::uint8_t*>(args.pDmaBuffer) - buffer.dma.data();
  const std::int64_t private_used =
      static_cast<std::uint8_t*>(args.pDmaBufferPrivateData) - buffer.private_data.data();
  report_guard(buffer.dma, buffer.offered, GuardArea::PagingBuffer, operation.args.Operation);
  report_guard(buffer.private_data, buffer.private_data.size(), GuardArea::PagingPrivateData,
               operation.args.Operation);
  operation.record.written = static_cast<std::uint32_t>(
      memory::size_without_tail(buffer.dma.data(), buffer.offered, untouched(args)));
  session().tap(ev::PagingBuilt{.operation = static_cast<std::uint32_t>(operation.args.Operation),
                                .allocation = operation.allocation.value,
                                .status = static_cast<std::uint32_t>(status),
                                .given = buffer.offered,
                                .used = clamped(used),
                                .multipass_in = *multipass,
                                .multipass_out = args.MultipassOffset,
                                .private_given = private_given,
                                .private_used = clamped(private_used),
                                .packet = kNone,
                                .pass = pass,
                                .idle = 1},
                &operation.record, sizeof(operation.record));
  buffer.used = static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(used, 0, static_cast<std::int64_t>(buffer.offered)));
  buffer.private_used =
      static_cast<std::uint32_t>(std::clamp<std::int64_t>(private_used, 0, private_given));
  *multipass = args.MultipassOffset;
  if (operation.update && status != STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER) {
    operation.update->built(status, true);
  }
  return status;
}

void PagingBuilder::build_without_buffer(PagingOperation& operation) {
  if (!may_call(DdiId::BuildPagingBuffer)) return;
  DXGKARG_BUILDPAGINGBUFFER args = operation.args;
  args.hSystemContext = objects_.system_context(
      {.node = choices_.paging_engine.node, .physical_adapter = operation.physical_adapter});
  if (operation.update) operation.update->building();
  const NTSTATUS status =
      call_ddi<DdiId::BuildPagingBuffer>(operation.allocation, adapter_.miniport(), &args);
  operation.status = static_cast<std::uint32_t>(status);
  session().tap(ev::PagingBuilt{.operation = static_cast<std::uint32_t>(operation.args.Operation),
                                .allocation = operation.allocation.value,
                                .status = static_cast<std::uint32_t>(status),
                                .multipass_out = args.MultipassOffset,
                                .packet = kNone,
                                .idle = 1},
                &operation.record, sizeof(operation.record));
  if (operation.update) operation.update->built(status, false);
}

// Those that the GPU fetches by virtual address all have the size that the driver asked for, and
// offer it as much of it as the scenario says.
memory::GuardedBuffer PagingBuilder::dma_buffer(PagingBuffer& buffer, std::uint32_t bytes) const {
  if (!adapter_.has_gpu_mmu() || windows_ == nullptr) {
    return memory::GuardedBuffer(bytes, true, memory::FrameOwner::PagingBuffer);
  }
  auto window = windows_->take();
  if (!window) {
    waits_.for_earlier_work();
    window = windows_->take();
  }
  if (!window) return {};
  buffer.address = window->address;
  buffer.home = windows_;
  return std::move(window->memory);
}

std::unique_ptr<PagingBuffer> PagingBuilder::empty_buffer(
    const std::shared_ptr<PagingOperation>& operation, std::uint32_t bytes) const {
  auto buffer = std::make_unique<PagingBuffer>();
  buffer->dma = dma_buffer(*buffer, bytes);
  if (buffer->dma.data() == nullptr) return nullptr;
  buffer->offered = static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, buffer->dma.size()));
  std::memset(buffer->dma.data(), untouched(operation->args), buffer->offered);
  std::memset(buffer->dma.data() + buffer->offered, kBehindOffer,
              buffer->dma.size() - buffer->offered);
  buffer->private_data = memory::GuardedBuffer(std::max(adapter_.paging_private_bytes(), 1u), false,
                                               memory::FrameOwner::Driver);
  std::memset(buffer->private_data.data(), 0, buffer->private_data.size());
  buffer->operation = operation;
  return buffer;
}

PagingBuilder::Buffers PagingBuilder::build(const std::shared_ptr<PagingOperation>& operation,
                                            const std::function<void(Buffers)>& queue) {
  Buffers buffers;
  bool queued = false;
  if (waits_.abandoned()) return buffers;
  const bool can_submit =
      may_call(adapter_.has_gpu_mmu() ? DdiId::SubmitCommandVirtual : DdiId::SubmitCommand);
  if (!may_call(DdiId::BuildPagingBuffer) || !can_submit) return buffers;
  const std::uint32_t bytes =
      std::max(session().needs.paging_bytes(choices_.paging_measure, choices_.paging_bytes,
                                            adapter_.paging_buffer_bytes()),
               kSmallestBuffer);
  const std::uint64_t most_passes = kPassesOfAny + kPassesOfPage * pages_of(operation->args);
  std::uint32_t multipass = 0;
  std::uint32_t idle_passes = 0;
  std::uint32_t pass = 0;
  bool complete = false;
  std::uint64_t taken = 0;
  while (!complete && pass < most_passes && idle_passes < kMostIdlePasses) {
    std::unique_ptr<PagingBuffer> buffer = empty_buffer(operation, bytes);
    if (buffer == nullptr && queue && !buffers.empty()) {
      // All that there are hold this operation: they run, while it goes on being built.
      queue(std::exchange(buffers, {}));
      queued = true;
      if (waits_.abandoned()) return {};
      buffer = empty_buffer(operation, bytes);
    }
    if (buffer == nullptr) break;
    const std::uint32_t before = multipass;
    const NTSTATUS status = call(*operation, *buffer, pass++, &multipass);
    if (waits_.abandoned()) return {};
    taken += buffer->used;
    const bool more = status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    if (!NT_SUCCESS(status) && !more) break;
    const bool wrote = buffer->used != 0;
    if (wrote) buffers.push_back(std::move(buffer));
    complete = !more;
    idle_passes = !wrote && multipass == before ? idle_passes + 1 : 0;
  }
  session().needs.paged(taken);
  if (!buffers.empty()) {
    buffers.back()->last = complete;
    buffers.back()->passes = pass;
  } else if (complete) {
    // Done by the CPU while the buffer was built.
    if (queued) waits_.for_earlier_work();
    memory_.apply(operation->effect);
    if (operation->update) operation->update->carried_out(kNoPacket);
  }
  if (!complete) memory_.lose_track();
  if (!complete || buffers.empty()) {
    session().tap(ev::PagingDone{.operation = static_cast<std::uint32_t>(operation->args.Operation),
                                 .allocation = operation->allocation.value,
                                 .packet = kNone,
                                 .passes = pass,
                                 .patched = 0,
                                 .gave_up = !complete});
  }
  return buffers;
}

}  // namespace wddm::host
