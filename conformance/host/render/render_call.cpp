#include "conformance/host/render/render_call.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <span>

#include "conformance/host/boundary/ddi_call.h"
#include "conformance/host/memory/byte_scan.h"
#include "conformance/host/memory/guarded_array.h"
#include "conformance/host/memory/guarded_names.h"
#include "conformance/host/render/decode.h"
#include "conformance/host/render/present_call.h"
#include "conformance/host/render/render_replay.h"
#include "conformance/host/render/user_side.h"
#include "conformance/host/render/write_marks.h"
#include "conformance/host/vidmm/residency_in_effect.h"
#include "conformance/host/vidmm/vidmm_worker.h"

namespace wddm::host {

LessRoom::LessRoom(const ContextObject& context, const DXGKARG_RENDER& args) {
  const UINT dma = std::min(context.info.DmaBufferSize, kMostDmaBytes);
  const UINT patches = std::min(context.info.PatchLocationListSize, kMostPatches);
  if (args.DmaSize < dma || args.PatchLocationListOutSize < patches) aside_.emplace();
}

namespace {

// Passes without end are a finding, not a reason to wait.
constexpr std::uint32_t kMostPasses = 256;

static_assert(sizeof(WddmPatchLocation) == sizeof(D3DDDI_PATCHLOCATIONLIST));
static_assert(sizeof(PatchRecord) == sizeof(D3DDDI_PATCHLOCATIONLIST));

void report_guard(const memory::GuardedBuffer& buffer, GuardArea area, std::uint32_t object) {
  std::int64_t first = 0;
  const std::uint64_t damaged = buffer.damaged(&first);
  if (damaged == 0) return;
  session().tap(ev::GuardDamaged{.area = static_cast<std::uint32_t>(area),
                                 .object = object,
                                 .first = static_cast<std::int32_t>(first),
                                 .bytes = static_cast<std::uint32_t>(damaged)});
}

std::unique_ptr<RenderBuffer> new_buffer(const RenderServices& services,
                                         const RenderRequest& request, const UserInput& input) {
  const ContextObject& context = services.objects.context(request.context);
  auto buffer = std::make_unique<RenderBuffer>();
  buffer->render = request.ordinal;
  buffer->context = request.context;
  buffer->engine = context.engine;
  const UINT asked = std::clamp<UINT>(context.info.DmaBufferSize, 64, kMostDmaBytes);
  const std::uint32_t given = session().needs.dma_bytes(request.op, request.ordinal, asked);
  // What an aperture shows need not lie in one piece.
  const std::uint32_t bytes = std::max(given, 16u);
  buffer->dma = context.info.DmaBufferSegmentSet != 0
                    ? memory::GuardedBuffer::scattered(bytes, memory::FrameOwner::DmaBuffer)
                    : memory::GuardedBuffer(bytes, true, memory::FrameOwner::DmaBuffer);
  memory::name_buffer(buffer->dma, "DMA buffer");
  std::memset(buffer->dma.data(), kUntouchedOutput, buffer->dma.size());
  const UINT private_bytes = std::min<UINT>(context.info.DmaBufferPrivateDataSize, 1u << 16);
  buffer->private_data =
      memory::GuardedBuffer(std::max<UINT>(private_bytes, 1), false, memory::FrameOwner::Driver);
  memory::name_buffer(buffer->private_data, "DMA buffer's private data");
  std::memset(buffer->private_data.data(), 0, buffer->private_data.size());
  buffer->private_used = private_bytes;
  if (private_bytes != 0 && context.left_private_data) {
    const std::span<std::uint8_t> data(buffer->private_data.data(), private_bytes);
    buffer->left_private_data = context.left_private_data;
    buffer->left_private_data->begin(data);
    if (!request.hostile.empty()) buffer->private_given.assign(data.begin(), data.end());
  }
  buffer->stream = request.stream;
  buffer->marker_offset = request.marker_offset;
  buffer->marker_is_ladder = request.marker_is_ladder;
  buffer->hostile = !request.hostile.empty();
  buffer->null_rendering = request.null_rendering;
  buffer->presents = request.present != nullptr;
  buffer->prepatched = services.choices.prepatch == PrepatchMode::SkipPatch;
  buffer->required_only =
      services.choices.required_only && Adapter::knows(InterfaceVersion::Wddm2_0);
  for (const WddmListAllocation& entry : input.list) {
    DXGK_ALLOCATIONLIST item{};
    const AllocationId id = entry.allocation < input.allocations.size()
                                ? input.allocations[entry.allocation]
                                : kNoAllocation;
    if (id != kNoAllocation) {
      item.hDeviceSpecificAllocation = services.objects.handle_on(context.device, id);
      item.WriteOperation = entry.write != 0;
      if (services.choices.prepatch != PrepatchMode::NeverPrepatch) {
        services.residency.write_address(id, item);
      }
      if (item.SegmentId == 0) buffer->prepatched = false;
    }
    buffer->allocation_list.push_back(item);
    buffer->allocations.push_back(id);
  }
  return buffer;
}

// A driver may write the NULL handle of an element that releases a slot itself
// (splitting-a-dma-buffer.md # To specify that an allocation is unbound): from there on the entry
// names nothing.
class EmptiedEntries {
 public:
  EmptiedEntries(const RenderBuffer& given,
                 const memory::GuardedArray<DXGK_ALLOCATIONLIST>& after) {
    for (std::size_t i = 0; i < after.size(); ++i) {
      const bool named = given.allocations[i] != kNoAllocation;
      if (named && after[i].hDeviceSpecificAllocation == nullptr) entries_.push_back(i);
    }
  }
  void apply(RenderBuffer& buffer) const {
    for (const std::size_t i : entries_) {
      buffer.allocation_list[i] = {};
      buffer.allocations[i] = kNoAllocation;
    }
  }
  void record(const RenderServices& services, std::uint32_t pass, const RenderBuffer& given) const {
    if (entries_.empty()) return;
    std::vector<DXGK_ALLOCATIONLIST> list = given.allocation_list;
    std::vector<AllocationId> allocations = given.allocations;
    for (const std::size_t i : entries_) {
      list[i] = {};
      allocations[i] = kNoAllocation;
    }
    const auto records = records_of(list, allocations, services.objects);
    session().tap(ev::ListAltered{.render = given.render,
                                  .pass = pass,
                                  .emptied = static_cast<std::uint32_t>(entries_.size())},
                  records.data(), records.size() * sizeof(AllocationRecord));
  }

 private:
  std::vector<std::size_t> entries_;
};

// Whether VidMm takes what Render made: a buffer that goes back to an older instance of an
// allocation it rejects (pfnRenderCb fails), and the packet never comes to the scheduler.
bool keeps_order(const RenderBuffer& buffer, vidmm::Instances& instances) {
  std::vector<AllocationId> named;
  for (const D3DDDI_PATCHLOCATIONLIST& element : buffer.patches) {
    if (element.AllocationIndex < buffer.allocations.size()) {
      named.push_back(buffer.allocations[element.AllocationIndex]);
    }
  }
  if (!instances.take(named)) return true;
  session().tap.text(ev::OpSkipped{.kind = static_cast<std::uint32_t>(OpKind::Render)},
                     "VidMm rejects the buffer: STATUS_GRAPHICS_INVALID_ALLOCATION_INSTANCE");
  return false;
}

struct Pass {
  std::uint32_t number;
  std::uint32_t multipass;
};

NTSTATUS call_render(const ContextObject& context, const UserInput& input, const UserSide& user,
                     const memory::GuardedArray<DXGK_ALLOCATIONLIST>& list, RenderBuffer& buffer,
                     UINT capacity, RenderCursors& cursors) {
  DXGKARG_RENDER args{};
  args.pCommand = user.command();
  args.CommandLength = static_cast<UINT>(input.command.size());
  args.pDmaBuffer = cursors.dma;
  args.DmaSize = static_cast<UINT>(buffer.dma.size());
  args.pDmaBufferPrivateData = buffer.private_data.data();
  args.DmaBufferPrivateDataSize = buffer.private_used;
  args.pAllocationList = list.data();
  args.AllocationListSize = static_cast<UINT>(list.size());
  args.pPatchLocationListIn = user.patches();
  args.PatchLocationListInSize = static_cast<UINT>(input.patches.size());
  args.pPatchLocationListOut = cursors.patches;
  args.PatchLocationListOutSize = capacity;
  args.MultipassOffset = cursors.multipass;
  const LessRoom aside(context, args);
  const NTSTATUS status = call_ddi<DdiId::Render>(buffer.context, context.driver, &args);
  cursors = {args.pDmaBuffer, args.pPatchLocationListOut, args.MultipassOffset};
  return status;
}

// One call of Render or Present on a fresh buffer. Returns its status; what it made is in `buffer`.
NTSTATUS translate(const RenderServices& services, const RenderRequest& request,
                   const UserInput& input, UserSide& user, Pass& pass, RenderBuffer& buffer) {
  const ContextObject& context = services.objects.context(request.context);
  const UINT capacity = session().needs.patch_capacity(
      request.op, request.ordinal,
      std::clamp<UINT>(context.info.PatchLocationListSize, 1, kMostPatches));
  const memory::GuardedBuffer patches(capacity * sizeof(D3DDDI_PATCHLOCATIONLIST), false,
                                      memory::FrameOwner::Driver);
  memory::name_buffer(patches, "patch-location list");
  std::memset(patches.data(), kUntouchedOutput, patches.size());
  auto* const first_patch = reinterpret_cast<D3DDDI_PATCHLOCATIONLIST*>(patches.data());

  const memory::GuardedArray list(buffer.allocation_list, "allocation list");
  const auto dma_given = static_cast<UINT>(buffer.dma.size());
  const auto records = records_of(buffer.allocation_list, buffer.allocations, services.objects);
  const bool hostile = !request.hostile.empty();
  session().tap(ev::RenderCalled{.render = request.ordinal,
                                 .context = request.context.value,
                                 .command_bytes = static_cast<UINT>(input.command.size()),
                                 .allocations = static_cast<UINT>(list.size()),
                                 .patches_in = static_cast<UINT>(input.patches.size()),
                                 .dma_given = dma_given,
                                 .patches_given = capacity,
                                 .private_given = buffer.private_used,
                                 .multipass = pass.multipass,
                                 .hostile = hostile,
                                 .pass = pass.number,
                                 .revoked = user.revoked()},
                records.data(), records.size() * sizeof(AllocationRecord));
  RenderCursors cursors{buffer.dma.data(), first_patch, pass.multipass};
  const bool presents = request.present != nullptr;
  services.objects.contexts().tell_handle(presents ? DdiId::Present : DdiId::Render,
                                          request.context, context.driver);
  const NTSTATUS status =
      presents ? call_present(context, *request.present, list.data(), buffer, capacity, cursors)
               : call_render(context, input, user, list, buffer, capacity, cursors);

  const std::int64_t dma_used = static_cast<std::uint8_t*>(cursors.dma) - buffer.dma.data();
  const std::int64_t patches_used = cursors.patches - first_patch;
  const auto used = static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(dma_used, 0, static_cast<std::int64_t>(buffer.dma.size())));
  const auto count =
      static_cast<std::uint32_t>(std::clamp<std::int64_t>(patches_used, 0, capacity));
  const std::uint32_t patch_bytes_written = written_bytes(patches);
  report_guard(buffer.dma, GuardArea::DmaBuffer, request.ordinal);
  report_guard(buffer.private_data, GuardArea::DmaPrivateData, request.ordinal);
  report_guard(patches, GuardArea::PatchListOut, request.ordinal);
  user.report_revoked_accesses(request.ordinal, pass.number);
  const EmptiedEntries emptied(buffer, list);
  emptied.record(services, pass.number, buffer);
  session().tap(
      ev::Rendered{.render = request.ordinal,
                   .status = static_cast<std::uint32_t>(status),
                   .dma_used = clamped(dma_used),
                   .dma_given = dma_given,
                   .patches_used = clamped(patches_used),
                   .patches_given = capacity,
                   .multipass_in = pass.multipass,
                   .multipass_out = cursors.multipass,
                   .dma_written = written_bytes(buffer.dma),
                   .patches_written = static_cast<std::uint32_t>(
                       (patch_bytes_written + sizeof(PatchRecord) - 1) / sizeof(PatchRecord)),
                   .pass = pass.number,
                   .hostile = hostile},
      patches.data(), count * sizeof(PatchRecord));
  session().tap(ev::DmaBytes{.render = request.ordinal,
                             .stage = static_cast<std::uint32_t>(DmaStage::Rendered),
                             .packet = kNone},
                buffer.dma.data(), used);
  session().needs.rendered(request.ordinal, used, count);
  buffer.pass = pass.number;
  buffer.dma_used = used;
  buffer.patches.assign(first_patch, first_patch + count);
  buffer.given_patches = memory::GuardedArray(buffer.patches, "patch-location list");
  if (const Op* race = user.raced()) {
    const auto* needle = reinterpret_cast<const std::uint8_t*>(&race->z);
    const auto holds = [needle](const std::uint8_t* begin, std::size_t bytes) {
      return std::search(begin, begin + bytes, needle, needle + 4) != begin + bytes;
    };
    const bool taken = NT_SUCCESS(status) || status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    RaceVerdict verdict{.as_before = true, .refused = true};
    if (taken) {
      verdict = judge_race(services, request, input, *race, buffer, pass.multipass, capacity);
    }
    session().tap(
        ev::InputChanged{.render = request.ordinal,
                         .input = race->a,
                         .offset = race->x,
                         .value = race->z,
                         .found_in_output = holds(buffer.dma.data(), used) ||
                                            holds(patches.data(), count * sizeof(PatchRecord)),
                         .as_before = verdict.as_before,
                         .refused = verdict.refused});
  }
  emptied.apply(buffer);
  pass.multipass = cursors.multipass;
  // With a cursor outside of its buffer (RENDER-003) there is nothing that could be submitted.
  return dma_used == used && patches_used == count ? status : STATUS_INVALID_PARAMETER;
}

// A command buffer on its way through Render, one DMA buffer after the other.
class Passes {
 public:
  Passes(const RenderServices& services, const BuiltRender& built, VidMmWorker& vidmm)
      : services_(services),
        request_(built.request),
        input_(built.input),
        vidmm_(vidmm),
        user_(input_, request_.hostile) {}

  /// One call. False if it was the last.
  bool next();

 private:
  const RenderServices services_;
  const RenderRequest& request_;
  const UserInput& input_;
  VidMmWorker& vidmm_;
  UserSide user_;
  Pass pass_{0, 0};
};

bool Passes::next() {
  if (pass_.number == 0 && request_.hostile.empty() && request_.present == nullptr) {
    tell_what_commands_write(request_, services_.objects.sizes());
  }
  const std::uint32_t before = pass_.multipass;
  auto buffer = new_buffer(services_, request_, input_);
  user_.begin_pass(pass_.number);
  NTSTATUS status = translate(services_, request_, input_, user_, pass_, *buffer);
  const bool made = NT_SUCCESS(status) || status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  if (made && !vidmm_.instances().none() && !keeps_order(*buffer, vidmm_.instances())) {
    status = STATUS_GRAPHICS_INVALID_ALLOCATION_INSTANCE;
  }
  const bool more = status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  const bool moved = pass_.multipass != before;
  // Render may have found a command where MultipassOffset is; what Present has done it says there.
  const bool made_progress = moved || (request_.present == nullptr && buffer->dma_used != 0);
  const bool refused = !NT_SUCCESS(status) && !more;
  if (refused && pass_.number == 0) return false;
  if (!refused) decode_rendered(services_.objects, *buffer);
  buffer->last_pass = !more;
  buffer->given_up = refused || (more && (!made_progress || pass_.number + 1 == kMostPasses));
  const bool ends = buffer->last_pass || buffer->given_up;
  vidmm_.enqueue(std::move(buffer));
  ++pass_.number;
  return !ends;
}

}  // namespace

std::uint32_t written_bytes(const memory::GuardedBuffer& buffer) {
  return static_cast<std::uint32_t>(
      memory::size_without_tail(buffer.data(), buffer.size(), kUntouchedOutput));
}

std::vector<AllocationRecord> records_of(const std::vector<DXGK_ALLOCATIONLIST>& list,
                                         const std::vector<AllocationId>& allocations,
                                         const Objects& objects) {
  std::vector<AllocationRecord> records;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const AllocationId id = allocations[i];
    records.push_back({.address = static_cast<std::uint64_t>(list[i].PhysicalAddress.QuadPart),
                       .size = id == kNoAllocation ? 0 : objects.allocation(id).bytes,
                       .allocation = id.value,
                       .segment = list[i].SegmentId,
                       .write = list[i].WriteOperation});
  }
  return records;
}

void render_all_passes(const RenderServices& services, const BuiltRender& built,
                       VidMmWorker& vidmm) {
  Passes passes(services, built, vidmm);
  while (passes.next()) {
  }
}

void render_in_turn(const RenderServices& services, const BuiltRender& first,
                    const BuiltRender& second, VidMmWorker& vidmm) {
  Passes one(services, first, vidmm), other(services, second, vidmm);
  bool one_goes_on = true, other_goes_on = true;
  while (one_goes_on || other_goes_on) {
    if (one_goes_on) one_goes_on = one.next();
    if (other_goes_on) other_goes_on = other.next();
  }
}

}  // namespace wddm::host
