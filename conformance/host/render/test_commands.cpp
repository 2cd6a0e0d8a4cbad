#include "conformance/host/render/test_commands.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "conformance/host/adapter/questions/info_question.h"
#include "conformance/host/gpuva/byte_differences.h"
#include "conformance/host/render/render_call.h"
#include "conformance/host/vidmm/vidmm_worker.h"
#include "reference/splitmix.h"

namespace wddm::host {
namespace {

// What Windows gives room for.
constexpr UINT kMostTestCommands = 4096, kMostPrivateData = 1024;

bool overlap(const TestCommand& command) {
  return command.source == command.allocation &&
         command.offset < command.source_offset + command.bytes &&
         command.source_offset < command.offset + command.bytes;
}

// A buffer of so many bytes; none where there are none.
std::optional<Output> room_for(UINT bytes) {
  if (bytes == 0) return std::nullopt;
  return std::optional<Output>(std::in_place, bytes, kOtherBytes);
}

std::uint8_t* start_of(const std::optional<Output>& room) {
  return room ? room->data() : nullptr;
}

std::uint32_t behind(const std::optional<Output>& room) {
  return room ? room->behind() : 0;
}

std::vector<std::uint8_t> taken(const std::optional<Output>& room, UINT used) {
  if (!room) return {};
  return {room->data(), room->data() + std::min<std::size_t>(used, room->size())};
}

gpu::Command in_slots(const TestCommand& command) {
  const auto offset = static_cast<std::uint32_t>(command.offset);
  if (!command.source) return gpu::fill(std::uint16_t{0}, offset, command.bytes, command.pattern);
  return gpu::copy(0, offset, 1, static_cast<std::uint32_t>(command.source_offset), command.bytes);
}

}  // namespace

// A command as the driver is given it, and what the calls for it have to know.
struct TestCommands::Request {
  ContextId context;
  HANDLE driver_context;
  PVOID miniport;
  PDXGKDDI_BUILDTESTCOMMANDBUFFER builder;
  D3DDDI_TESTCOMMANDBUFFER command{};

  /// One call, told as it is returned.
  ev::TestBufferBuilt call(TestCall how, const std::optional<Output>& dma,
                           const std::optional<Output>& private_data) const {
    DXGKARG_BUILDTESTCOMMANDBUFFER args{};
    args.hContext = driver_context;
    args.Command = command;
    args.pDmaBuffer = start_of(dma);
    args.pDmaBufferPrivateData = start_of(private_data);
    args.DmaBufferSize = dma ? dma->size() : 0;
    args.DmaBufferPrivateDataSize = private_data ? private_data->size() : 0;
    ev::TestBufferBuilt seen{.context = context.value,
                             .operation = static_cast<std::uint32_t>(command.Operation),
                             .call = static_cast<std::uint32_t>(how),
                             .dma_before = args.DmaBufferSize,
                             .private_before = args.DmaBufferPrivateDataSize};
    seen.status = static_cast<std::uint32_t>(
        call_ddi<DdiId::BuildTestCommandBuffer>(context, builder, miniport, &args));
    seen.dma_after = args.DmaBufferSize;
    seen.private_after = args.DmaBufferPrivateDataSize;
    seen.behind = behind(dma) + behind(private_data);
    session().tap(seen);
    return seen;
  }
};

const char* TestCommands::unfit(const TestCommand& command) const {
  if (!objects_.context(command.context).is_test) return "it is no test context";
  const auto outside = [this](AllocationId id, std::uint64_t offset, std::uint64_t bytes) {
    return offset + bytes > objects_.allocation(id).bytes;
  };
  if (outside(command.allocation, command.offset, command.bytes) ||
      (command.source && outside(*command.source, command.source_offset, command.bytes))) {
    return "the range is not in the allocation";
  }
  if (overlap(command)) return "the ranges overlap";
  VirtualMemory& memory = vidmm_.virtual_memory();
  if (const char* const why = memory.cannot_bind(command.context, command.allocation)) return why;
  return command.source ? memory.cannot_bind(command.context, *command.source) : nullptr;
}

// Every second time there is more room than the driver asks for: what it has written is what
// counts.
const char* TestCommands::build(const Request& request, Built& built) {
  const ev::TestBufferBuilt sizes = request.call(TestCall::Sizes, std::nullopt, std::nullopt);
  if (static_cast<NTSTATUS>(sizes.status) != STATUS_BUFFER_OVERFLOW) {
    return "the driver did not say the sizes";
  }
  if (sizes.dma_after > kMostTestCommands || sizes.private_after > kMostPrivateData) {
    return "the driver asks for more than Windows gives";
  }
  const UINT times = more_room_ ? 2 : 1;
  more_room_ = !more_room_;
  const auto dma = room_for(times * sizes.dma_after);
  const auto private_data = room_for(times * sizes.private_after);
  const ev::TestBufferBuilt fit = request.call(TestCall::Exact, dma, private_data);
  if (fit.status != STATUS_SUCCESS) return "the driver did not build it";
  if (fit.dma_after > times * sizes.dma_after || fit.private_after > times * sizes.private_after) {
    return "the driver says that it has written more than there was room for";
  }
  built = {.commands = taken(dma, fit.dma_after),
           .private_data = taken(private_data, fit.private_after),
           .room_for_commands = sizes.dma_after,
           .room_for_private_data = sizes.private_after};
  return built.commands.empty() ? "there are no commands in what the driver built" : nullptr;
}

// Each buffer in turn, while the other one is as large as the driver asked for.
void TestCommands::try_short(const Request& request, const Built& built) const {
  const auto try_with = [&request](std::size_t commands, std::size_t private_data) {
    const auto dma = room_for(static_cast<UINT>(commands));
    const auto data = room_for(static_cast<UINT>(private_data));
    static_cast<void>(request.call(TestCall::Short, dma, data));
  };
  if (built.commands.size() > 1) try_with(built.commands.size() - 1, built.room_for_private_data);
  try_with(0, built.room_for_private_data);
  // A driver may have no private data to write.
  if (built.private_data.empty()) return;
  if (built.private_data.size() > 1) {
    try_with(built.room_for_commands, built.private_data.size() - 1);
  }
  try_with(built.room_for_commands, 0);
}

std::uint32_t TestCommands::change(Built& built) const {
  if (!alteration_) return 0;
  std::vector<std::uint8_t>& bytes = alteration_->a != 0 ? built.private_data : built.commands;
  if (bytes.empty()) return 0;
  const std::vector<std::uint8_t> before = bytes;
  SplitMix random(alteration_->z);
  for (std::uint32_t i = 0; i < alteration_->x; ++i) {
    const std::uint32_t at = random.below(static_cast<std::uint32_t>(bytes.size()));
    bytes[at] ^= static_cast<std::uint8_t>(1 + random.below(255));
  }
  return compare(before, bytes, 0, bytes.size()).count;
}

// All that the addresses of its process lead to.
std::vector<AllocationId> TestCommands::in_reach_of(ContextId context) const {
  std::vector<AllocationId> reached;
  for (const AllocationId id : kAllAllocations) {
    if (!objects_.allocation(id).live) continue;
    if (vidmm_.virtual_memory().cannot_bind(context, id) == nullptr) reached.push_back(id);
  }
  return reached;
}

const char* TestCommands::run(const TestCommand& command, const Op& op, std::uint32_t render) {
  if (const char* const why = unfit(command)) return why;
  if (const char* const why = feature_.missing()) return why;
  UserInput input;
  input.context = command.context;
  input.allocations = {command.allocation};
  if (command.source && *command.source != command.allocation) {
    input.allocations.push_back(*command.source);
  }
  WddmBuildRequest told{};
  addressing_.describe(told, input);

  Request request{.context = command.context,
                  .driver_context = objects_.context(command.context).driver,
                  .miniport = adapter_.miniport(),
                  .builder = feature_.builder()};
  const std::uint64_t destination = input.addresses.front() + command.offset;
  if (command.source) {
    request.command.Operation = D3DDDI_TESTCOMMANDBUFFEROP_COPY;
    request.command.Copy.SrcAddress = input.addresses.back() + command.source_offset;
    request.command.Copy.DstAddress = destination;
    request.command.Copy.NumBytes = command.bytes;
  } else {
    request.command.Operation = D3DDDI_TESTCOMMANDBUFFEROP_FILL;
    request.command.Fill.DstAddress = destination;
    request.command.Fill.NumBytes = command.bytes;
    request.command.Fill.Pattern = command.pattern;
  }
  Built built;
  if (const char* const why = build(request, built)) return why;
  try_short(request, built);
  // DmaBufferPrivateDataSize of the context is what a submission has room for.
  if (built.private_data.size() > input.private_data.size()) {
    return "the context has no room for the private data";
  }
  const std::uint32_t changed = change(built);
  session().tap(
      ev::TestSubmitted{.render = render,
                        .context = command.context.value,
                        .operation = static_cast<std::uint32_t>(request.command.Operation),
                        .changed = changed});
  input.command = std::move(built.commands);
  input.private_data = std::move(built.private_data);
  for (std::uint32_t index = 0; index < input.allocations.size(); ++index) {
    input.list.push_back({.allocation = index, .write = index == 0});
  }
  const auto stream = std::make_shared<CommandStream>();
  stream->commands.push_back(gpu::bind(0, command.allocation));
  if (command.source) stream->commands.push_back(gpu::bind(1, *command.source));
  stream->commands.push_back(in_slots(command));
  std::vector<Op> hostile;
  if (changed != 0) {
    const bool data = alteration_->a != 0;
    hostile.push_back({.kind = data ? OpKind::TamperPrivate : OpKind::TamperCommand});
  }
  const std::vector<AllocationId> reached =
      hostile.empty() ? std::vector<AllocationId>{} : in_reach_of(command.context);
  addressing_.prepare({.ordinal = render,
                       .context = command.context,
                       .op = op,
                       .stream = stream,
                       .marker_offset = kNone,
                       .marker_is_ladder = false,
                       .hostile = hostile,
                       .private_data = std::nullopt,
                       .in_reach = reached},
                      input, vidmm_);
  return nullptr;
}

}  // namespace wddm::host
