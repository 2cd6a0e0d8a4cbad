#include "conformance/host/adapter/questions/process_questions.h"

#include <cstddef>
#include <numeric>

#include "conformance/host/adapter/objects/pool_at_rest.h"
#include "conformance/host/adapter/questions/allocation_question.h"
#include "conformance/host/adapter/questions/info_question.h"

namespace wddm::host {
namespace {

constexpr std::uint32_t kEscapeBytes = 256;
// Shorter than headers that drivers have: what stands in them matters little.
constexpr std::uint32_t kShortEscapes[] = {1, 4, 8, 16, 32};

// What a process may ask: UMDRIVERPRIVATE above all, and what anybody may.
void ask_with(const Adapter& adapter, HANDLE process) {
  const InfoQuestion how = process != nullptr ? InfoQuestion::OfProcess : InfoQuestion::Plain;
  ask_once(adapter, {.type = DXGKQAITYPE_UMDRIVERPRIVATE, .how = how, .process = process},
           kLargeOutput, 0);
  ask_once(adapter, {.type = DXGKQAITYPE_DRIVERCAPS, .how = how, .process = process},
           sizeof(DXGK_DRIVERCAPS), 0);
}

// ---- Escape: private data that the driver has never seen, since user mode sends what it likes.

void fill(EscapeData data, const Output& output) {
  if (data == EscapeData::Ones) std::memset(output.data(), 0xff, output.size());
  if (data != EscapeData::Counting) return;
  std::iota(output.data(), output.data() + output.size(), std::uint8_t{0});
}

// Of the first device, or of none.
void escape(const Adapter& adapter, const Objects& objects, EscapeData data, std::uint32_t bytes,
            HANDLE process) {
  const DeviceObject& device = objects.device(kFirstDevice);
  const Output buffer(bytes, 0);
  fill(data, buffer);
  DXGKARG_ESCAPE escape{};
  escape.hDevice = device.live ? device.driver : nullptr;
  escape.Flags.HardwareAccess = TRUE;  // nobody else is in the driver
  escape.pPrivateDriverData = data == EscapeData::None ? nullptr : buffer.data();
  escape.PrivateDriverDataSize = data == EscapeData::None ? 0 : buffer.size();
  escape.hKmdProcessHandle = process;
  const nt::PoolUsage before = pool_at_rest();
  const NTSTATUS status = call_ddi<DdiId::Escape>(kNone, adapter.miniport(), &escape);
  const nt::PoolUsage after = pool_at_rest();
  session().tap(
      ev::EscapeAnswered{.data = static_cast<std::uint32_t>(data),
                         .status = static_cast<std::uint32_t>(status),
                         .bytes = escape.PrivateDriverDataSize,
                         .flags = escape.Flags.Value,
                         .damaged = buffer.behind(),
                         .left_blocks = static_cast<std::int32_t>(after.blocks - before.blocks),
                         .process = process != nullptr,
                         .changed = buffer.changed()});
}

void escape_each(const Adapter& adapter, const Objects& objects, HANDLE process) {
  escape(adapter, objects, EscapeData::None, 0, process);
  for (const EscapeData data : {EscapeData::Zeros, EscapeData::Ones, EscapeData::Counting}) {
    escape(adapter, objects, data, kEscapeBytes, process);
  }
  for (const std::uint32_t bytes : kShortEscapes) {
    escape(adapter, objects, EscapeData::Zeros, bytes, process);
  }
}

}  // namespace

void ask_processes(const Adapter& adapter, const Objects& objects, const Processes& processes) {
  const HANDLE live = processes.live(kFirstProcess) ? processes.driver(kFirstProcess) : nullptr;
  if (may_call(DdiId::QueryAdapterInfo)) {
    ask_with(adapter, nullptr);
    if (live != nullptr) ask_with(adapter, live);
    ask_with(adapter, nullptr);
  }
  if (may_call(DdiId::Escape)) {
    escape_each(adapter, objects, nullptr);
    if (live != nullptr) escape_each(adapter, objects, live);
  }
  for (const AllocationId id : kScenarioAllocations) {
    const AllocationObject& allocation = objects.allocation(id);
    if (allocation.live) ask_description(adapter, id.value, allocation.driver);
  }
}

}  // namespace wddm::host
