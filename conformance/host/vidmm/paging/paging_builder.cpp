#include "conformance/host/vidmm/paging/paging_builder.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "conformance/host/boundary/ddi_call.h"
#include "conformance/host/boundary/decision_seat.h"
#include "conformance/host/gpuva/tables/table_update.h"
#include "conformance/host/memory/byte_scan.h"
#include "conformance/host/vidmm/paging/own_measure.h"

namespace wddm::host {
namespace {

// More passes than the smallest buffer could want are a driver's loop: a few for each page.
constexpr std::uint32_t kPassesOfAny = 64;
constexpr std::uint32_t kPassesOfPage = 4;
// Passes in a row that neither write nor move MultipassOffset.
constexpr std::uint32_t kMostIdlePasses = 2;
// ... and that write the same again, where MultipassOffset stays.
constexpr std::uint32_t kMostRepeats = 16;
constexpr std::uint32_t kSmallestBuffer = 16;

// How often in a row a driver has written the same, private data included.
class Repeats {
 public:
  void count(const PagingBuffer& part, bool offset_stays) {
    std::vector<std::uint8_t> written;
    const auto add = [&written](const memory::GuardedBuffer& from, std::uint32_t start,
                                std::uint32_t bytes) {
      written.insert(written.end(), from.data() + start, from.data() + start + bytes);
    };
    add(part.memory->dma, part.start, part.used);
    add(part.memory->private_data, part.private_start, part.private_used);
    const bool repeated = offset_stays && part.used != 0 && written == last_;
    times_ = repeated ? times_ + 1 : 0;
    last_ = std::move(written);
  }
  [[nodiscard]] std::uint32_t times() const { return times_; }

 private:
  std::vector<std::uint8_t> last_;
  std::uint32_t times_ = 0;
};

std::uint64_t operation_pages(const DXGKARG_BUILDPAGINGBUFFER& args) {
  switch (args.Operation) {
    case DXGK_OPERATION_TRANSFER:
      return args.Transfer.TransferSize / kPageSize;
    case DXGK_OPERATION_SPECIAL_LOCK_TRANSFER:
      return args.SpecialLockTransfer.TransferSize / kPageSize;
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

// Whether the driver was promised that the GPU does not use the allocation; of other operations
// it is always so.
bool is_idle(const DXGKARG_BUILDPAGINGBUFFER& args) {
  if (args.Operation == DXGK_OPERATION_TRANSFER) return args.Transfer.Flags.AllocationIsIdle != 0;
  if (args.Operation == DXGK_OPERATION_SPECIAL_LOCK_TRANSFER) {
    return args.SpecialLockTransfer.Flags.AllocationIsIdle != 0;
  }
  if (args.Operation != DXGK_OPERATION_DISCARD_CONTENT) return true;
  return args.DiscardContent.Flags.AllocationIsIdle != 0;
}

// DXGK_TRANSFERFLAGS; of other operations 0.
std::uint32_t transfer_flags(const DXGKARG_BUILDPAGINGBUFFER& args) {
  if (args.Operation == DXGK_OPERATION_TRANSFER) return args.Transfer.Flags.Value;
  return args.Operation == DXGK_OPERATION_SPECIAL_LOCK_TRANSFER
             ? args.SpecialLockTransfer.Flags.Value
             : 0;
}

void say_that_it_is_idle(DXGKARG_BUILDPAGINGBUFFER& args) {
  if (args.Operation == DXGK_OPERATION_TRANSFER) {
    args.Transfer.Flags.AllocationIsIdle = 1;
  } else if (args.Operation == DXGK_OPERATION_SPECIAL_LOCK_TRANSFER) {
    args.SpecialLockTransfer.Flags.AllocationIsIdle = 1;
  } else {
    args.DiscardContent.Flags.AllocationIsIdle = 1;
  }
}

// Behind what is offered of a buffer that has more, and of a longer one than was asked for.
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

EngineId PagingBuilder::engine_of(const PagingOperation& operation) const {
  return {.node = choices_.paging_engine.node, .physical_adapter = operation.physical_adapter};
}

NTSTATUS PagingBuilder::call(PagingOperation& operation, PagingBuffer& buffer, std::uint32_t pass,
                             std::uint32_t* multipass) {
  PagingMemory& memory = *buffer.memory;
  std::uint8_t* const first = memory.dma.data() + buffer.start;
  std::uint8_t* const private_first = memory.private_data.data() + buffer.private_start;
  const UINT given = buffer.offered;
  const UINT private_given = adapter_.paging_private_bytes() - buffer.private_start;
  DXGKARG_BUILDPAGINGBUFFER args = operation.args;
  args.pDmaBuffer = first;
  args.DmaSize = given;
  args.DmaBufferGpuVirtualAddress = memory.address.value + buffer.start;
  args.pDmaBufferPrivateData = private_first;
  args.DmaBufferPrivateDataSize = private_given;
  args.MultipassOffset = *multipass;
  args.hSystemContext = operation.runs_in == kNoContext
                            ? objects_.contexts().of_system(engine_of(operation))
                            : objects_.context(operation.runs_in).driver;
  std::memset(first, untouched(operation.args), given);
  std::memset(first + given, kBehindOffer, memory.dma.size() - buffer.start - given);
  if (operation.update) operation.update->building();
  const NTSTATUS status =
      call_ddi<DdiId::BuildPagingBuffer>(operation.allocation, adapter_.miniport(), &args);
  operation.status = static_cast<std::uint32_t>(status);
  const std::int64_t used = static_cast<std::uint8_t*>(args.pDmaBuffer) - first;
  const std::int64_t private_used =
      static_cast<std::uint8_t*>(args.pDmaBufferPrivateData) - private_first;
  report_guard(memory.dma, buffer.start + given, GuardArea::PagingBuffer, operation.args.Operation);
  report_guard(memory.private_data, memory.private_data.size(), GuardArea::PagingPrivateData,
               operation.args.Operation);
  operation.record.start = buffer.start;
  operation.record.flags = transfer_flags(operation.args);
  operation.record.written = static_cast<std::uint32_t>(
      memory::size_without_tail(first, given, untouched(operation.args)));
  session().tap(ev::PagingBuilt{.operation = static_cast<std::uint32_t>(operation.args.Operation),
                                .allocation = operation.allocation.value,
                                .status = static_cast<std::uint32_t>(status),
                                .given = given,
                                .used = clamped(used),
                                .multipass_in = *multipass,
                                .multipass_out = args.MultipassOffset,
                                .private_given = private_given,
                                .private_used = clamped(private_used),
                                .packet = kNone,
                                .pass = pass,
                                .idle = is_idle(operation.args)},
                &operation.record, sizeof(operation.record));
  buffer.used = static_cast<std::uint32_t>(std::clamp<std::int64_t>(used, 0, given));
  buffer.private_used =
      static_cast<std::uint32_t>(std::clamp<std::int64_t>(private_used, 0, private_given));
  const bool full = status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  if (status == STATUS_SUCCESS || full) {
    open_.used = buffer.start + buffer.used;
    open_.private_used = buffer.private_start + buffer.private_used;
    open_.private_moves = buffer.private_used != 0 || private_given == 0;
    if (full) offer_more(buffer);
  } else if (status != STATUS_GRAPHICS_ALLOCATION_BUSY) {
    open_ = {};
  }
  *multipass = args.MultipassOffset;
  if (operation.update && status != STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER) {
    operation.update->built(status, true);
  }
  return status;
}

void PagingBuilder::build_without_buffer(PagingOperation& operation) {
  if (!may_call(DdiId::BuildPagingBuffer)) return;
  DXGKARG_BUILDPAGINGBUFFER args = operation.args;
  args.hSystemContext = objects_.contexts().of_system(engine_of(operation));
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
  operation.take_lists_back();
}

// It comes before all that the operation at hand is built into, on the same engine.
std::shared_ptr<PagingMemory> PagingBuilder::new_memory() {
  return memories_.take([this](const PagingOperationPtr& operation) {
    for (std::unique_ptr<PagingBuffer>& buffer : build(operation)) {
      waits_.for_room();
      if (waits_.abandoned()) return;
      vidsch_.enqueue(std::move(buffer));
    }
  });
}

std::unique_ptr<PagingBuffer> PagingBuilder::context_switch(EngineId engine) {
  auto made = std::make_unique<PagingBuffer>();
  made->memory = new_memory();
  if (made->memory == nullptr) return nullptr;
  made->operation = std::make_shared<PagingOperation>();
  made->operation->switches = engine;
  made->operation->physical_adapter = engine.physical_adapter;
  made->operation->effect = NoEffect{};
  return made;
}

// A driver may keep one note for the whole buffer in its private data, and never move the cursor:
// what that would overwrite has to have ended.
bool PagingBuilder::has_room(const PagingOperation& operation) const {
  if (open_.memory == nullptr) return false;
  if (!choices_.paging_packed && open_.operation.lock().get() != &operation) return false;
  if (open_.runs_in != operation.runs_in || open_.engine != engine_of(operation)) return false;
  return open_.used < open_.memory->bytes && (open_.private_moves || open_.memory.use_count() == 1);
}

// Each context has buffers of its own. Who says how much of one is offered wants to see operations
// that begin in the rest of one: what a companion runs comes between updates of other contexts.
void PagingBuilder::turn_to(const PagingOperation& operation) {
  const bool in_parts = choices_.paging_bytes != 0 || choices_.paging_measure != Measure::Absolute;
  if (in_parts && open_.memory != nullptr && open_.runs_in != operation.runs_in) {
    std::swap(open_, aside_);
  }
}

std::uint32_t PagingBuilder::offered_for(const PagingOperation& operation) const {
  const std::uint32_t asked = adapter_.paging_buffer_bytes();
  const Needs& needs = session().needs;
  const std::optional<OwnMeasure> own = own_measure(operation.args);
  const std::uint32_t bytes =
      own ? needs.paging_bytes(*own, choices_.paging_measure, choices_.paging_bytes, asked)
          : needs.paging_bytes(choices_.paging_measure, choices_.paging_bytes, asked);
  return std::max(bytes, kSmallestBuffer);
}

void PagingBuilder::begin_offer(std::uint32_t bytes) {
  open_.most = bytes;
  open_.offer_begin = open_.used;
  open_.offer_end = std::min(open_.used + bytes, open_.memory->bytes);
}

void PagingBuilder::offer_more(const PagingBuffer& part) {
  const bool was_whole = part.used == 0 && part.start == open_.offer_begin;
  if (was_whole || open_.offer_end == open_.memory->bytes) {
    open_ = {};
  } else {
    open_.offer_end = open_.used;
  }
}

std::unique_ptr<PagingBuffer> PagingBuilder::next_part(
    const std::shared_ptr<PagingOperation>& operation, std::uint32_t bytes) {
  turn_to(*operation);
  if (!has_room(*operation)) {
    open_ = {};
    open_ = {.memory = new_memory(),
             .operation = operation,
             .most = bytes,
             .runs_in = operation->runs_in,
             .engine = engine_of(*operation)};
    if (open_.memory == nullptr && std::exchange(aside_, {}).memory != nullptr) {
      open_.memory = new_memory();
    }
    if (open_.memory == nullptr) return nullptr;
    open_.offer_end = open_.memory->bytes;
  }
  const bool was_first = open_.offer_begin == 0 && open_.used != 0;
  if (was_first || open_.most != bytes || open_.used == open_.offer_end) begin_offer(bytes);
  auto part = std::make_unique<PagingBuffer>();
  part->memory = open_.memory;
  part->start = open_.used;
  part->offered = open_.offer_end - part->start;
  part->private_start = open_.private_used;
  part->operation = operation;
  return part;
}

PagingBuilder::Buffers PagingBuilder::build(const std::shared_ptr<PagingOperation>& operation,
                                            const std::function<void(Buffers)>& queue,
                                            const std::function<void()>& finish_earlier) {
  Buffers buffers;
  bool queued = false;
  if (waits_.abandoned()) return buffers;
  const bool can_submit = may_call(adapter_.has_virtual_addresses() ? DdiId::SubmitCommandVirtual
                                                                    : DdiId::SubmitCommand);
  if (!may_call(DdiId::BuildPagingBuffer) || !can_submit) return buffers;
  const std::uint32_t bytes = offered_for(*operation);
  const std::uint64_t most_passes = kPassesOfAny + kPassesOfPage * operation_pages(operation->args);
  std::uint32_t multipass = 0;
  std::uint32_t idle_passes = 0;
  Repeats repeats;
  std::uint32_t pass = 0;
  bool complete = false;
  std::uint64_t taken = 0;
  // What is built by now runs, while the operation goes on being built.
  const auto run = [&] {
    queued |= !buffers.empty();
    queue(std::exchange(buffers, {}));
  };
  while (!complete && pass < most_passes && idle_passes < kMostIdlePasses &&
         repeats.times() < kMostRepeats) {
    if (queue && choices_.await_paging) {
      run();
      waits_.for_paging();
      if (waits_.abandoned()) return {};
    }
    std::unique_ptr<PagingBuffer> buffer = next_part(operation, bytes);
    if (buffer == nullptr && queue && !buffers.empty()) {
      run();  // all buffers that there are hold this operation
      if (waits_.abandoned()) return {};
      buffer = next_part(operation, bytes);
    }
    // It may have waited for a buffer.
    if (waits_.abandoned()) {
      open_ = aside_ = {};
      return {};
    }
    if (buffer == nullptr) break;
    if (decisions().commits(OracleFault::RestartEveryPass)) multipass = 0;
    const std::uint32_t before = multipass;
    const NTSTATUS status = call(*operation, *buffer, pass, &multipass);
    if (waits_.abandoned()) return {};
    if (status == STATUS_GRAPHICS_ALLOCATION_BUSY && !is_idle(operation->args)) {
      if (finish_earlier) finish_earlier();
      waits_.for_earlier_work();
      if (waits_.abandoned()) return {};
      say_that_it_is_idle(operation->args);
      continue;
    }
    ++pass;
    taken += buffer->used;
    const bool more = status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    if (!NT_SUCCESS(status) && !more) break;
    const bool wrote = buffer->used != 0;
    const bool was_empty = buffer->start == 0;
    if (more) repeats.count(*buffer, multipass == before);
    if (wrote) buffers.push_back(std::move(buffer));
    complete = !more;
    const bool idle = !wrote && multipass == before;
    if (!idle) {
      idle_passes = 0;
    } else if (was_empty) {
      ++idle_passes;
    }
  }
  operation->take_lists_back();
  if (!operation->is_of_buffer()) {
    session().needs.paged(taken);
    if (const auto own = own_measure(operation->args)) session().needs.paged(*own, taken);
  }
  if (!buffers.empty()) {
    buffers.back()->last = complete;
    buffers.back()->passes = pass;
  } else if (complete) {
    // Done by the CPU while the buffer was built.
    if (queued) waits_.for_earlier_work();
    memory_.apply(operation->effect);
    if (operation->update) operation->update->carried_out(kNoPacket);
  }
  const bool done_at_build = complete && buffers.empty();
  if (!complete) memory_.lose_track();
  if (!complete || buffers.empty()) {
    session().tap(ev::PagingDone{.operation = static_cast<std::uint32_t>(operation->args.Operation),
                                 .allocation = operation->allocation.value,
                                 .packet = kNone,
                                 .passes = pass,
                                 .patched = 0,
                                 .gave_up = !complete});
  }
  if (done_at_build) vidsch_.paging_done_at_build(operation->blame);
  return buffers;
}

}  // namespace wddm::host
