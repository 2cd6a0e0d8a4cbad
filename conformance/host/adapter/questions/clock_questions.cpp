#include "conformance/host/adapter/questions/clock_questions.h"

#include "conformance/host/adapter/questions/info_question.h"
#include "conformance/sdk/ddi/nt/time.h"

namespace wddm::host {
namespace {

// Dxgkrnl calibrates at least so often.
constexpr nt::Time kBetweenCalibrations = 30 * nt::Time{10'000};
constexpr int kCalibrations = 4;

std::uint64_t cpu_counter() {
  return static_cast<std::uint64_t>(KeQueryPerformanceCounter(nullptr).QuadPart);
}

void calibrate(const Adapter& adapter, EngineId engine) {
  const Output output(sizeof(DXGKARG_CALIBRATEGPUCLOCK), 0);
  auto* const clocks = reinterpret_cast<DXGKARG_CALIBRATEGPUCLOCK*>(output.data());
  ev::ClockCalibrated seen{
      .before = cpu_counter(), .node = engine.node.value, .engine = engine.physical_adapter};
  const NTSTATUS status = call_ddi<DdiId::CalibrateGpuClock>(
      engine.node.value, adapter.miniport(), engine.node.value, engine.physical_adapter, clocks);
  seen.after = cpu_counter();
  seen.status = static_cast<std::uint32_t>(status);
  seen.frequency = clocks->GpuFrequency;
  seen.gpu = clocks->GpuClockCounter;
  seen.cpu = clocks->CpuClockCounter;
  seen.behind = output.behind();
  session().tap(seen);
}

struct History {
  std::uint32_t stamps;     // that it says it has; what they are is the driver's own
  std::uint32_t formatted;  // bytes of room
};
// The second has room for a few of its time stamps and part of another, the third for more than
// all.
constexpr History kEmptyHistory{0, 8}, kLongHistory{16, 20}, kWholeHistory{2, 64};
// Bytes that the record of a time stamp may have: all of them are 0.
constexpr std::uint32_t kMostRecord = 256;

// Offset when it returns; 0 where it fails.
std::uint32_t format_from(const ContextObject& context, ContextId id, const History& asked,
                          const Output& history, std::uint32_t from) {
  const Output formatted(asked.formatted, kOtherBytes);
  DXGKARG_FORMATHISTORYBUFFER format{};
  format.pHistoryBuffer = reinterpret_cast<DXGK_HISTORY_BUFFER*>(history.data());
  format.HistoryBufferSize = history.size();
  format.pFormattedBuffer = formatted.data();
  format.FormattedBufferSize = formatted.size();
  format.Offset = from;
  const NTSTATUS status = call_ddi<DdiId::FormatHistoryBuffer>(id.value, context.driver, &format);
  session().tap(ev::HistoryFormatted{.context = id.value,
                                     .node = context.engine.node.value,
                                     .status = static_cast<std::uint32_t>(status),
                                     .bits = format.Precision.PrecisionBits,
                                     .timestamps = format.NumTimestamps,
                                     .given = formatted.size(),
                                     .behind = formatted.behind() + history.behind(),
                                     .stamps = asked.stamps,
                                     .offset = static_cast<std::uint32_t>(format.Offset),
                                     .from = from});
  return NT_SUCCESS(status) ? static_cast<std::uint32_t>(format.Offset) : 0;
}

// In as many calls as it takes, of which there are no more than time stamps.
void format_history(const Objects& objects, std::uint32_t node, const History& asked) {
  if (!may_call(DdiId::FormatHistoryBuffer)) return;
  for (const ContextId id : kAllContexts) {
    const ContextObject& context = objects.context(id);
    if (!context.live || context.engine != EngineId{.node = NodeId{node}}) continue;
    const Output history(sizeof(DXGK_HISTORY_BUFFER) + asked.stamps * kMostRecord, 0);
    reinterpret_cast<DXGK_HISTORY_BUFFER*>(history.data())->Header.NumTimestamps = asked.stamps;
    std::uint32_t from = format_from(context, id, asked, history, 0);
    for (std::uint32_t call = 1; call < asked.stamps && from != 0; ++call) {
      from = format_from(context, id, asked, history, from);
    }
    return;
  }
}

void ask_precision(const Adapter& adapter, const Objects& objects) {
  const DXGK_QUERYHISTORYBUFFERPRECISIONIN in{};
  constexpr std::size_t kEach = sizeof(DXGKARG_HISTORYBUFFERPRECISION);
  const Output output(adapter.nodes() * kEach, kOtherBytes);
  const NTSTATUS status =
      ask(adapter,
          {.type = DXGKQAITYPE_HISTORYBUFFERPRECISION, .input = &in, .input_bytes = sizeof(in)},
          output);
  for (std::uint32_t node = 0; node < adapter.nodes(); ++node) {
    DXGKARG_HISTORYBUFFERPRECISION said;
    std::memcpy(&said, output.data() + node * kEach, sizeof(said));
    session().tap(ev::PrecisionReported{.node = node,
                                        .bits = said.PrecisionBits,
                                        .status = static_cast<std::uint32_t>(status),
                                        .behind = output.behind()});
    if (!NT_SUCCESS(status)) continue;
    // Where its time stamps have no precision the driver says it with what it formats.
    if (said.PrecisionBits == 0) format_history(objects, node, kEmptyHistory);
    format_history(objects, node, kLongHistory);
    format_history(objects, node, kWholeHistory);
  }
}

}  // namespace

void ask_clocks(const Adapter& adapter, const Objects& objects) {
  if (may_call(DdiId::QueryAdapterInfo) && Adapter::knows(InterfaceVersion::Wddm1_3)) {
    ask_precision(adapter, objects);
  }
  if (!may_call(DdiId::CalibrateGpuClock)) return;
  for (int round = 0; round < kCalibrations; ++round) {
    if (round != 0) nt::advance_time(kBetweenCalibrations);
    adapter.for_each_engine([&](EngineId engine) { calibrate(adapter, engine); });
  }
}

}  // namespace wddm::host
