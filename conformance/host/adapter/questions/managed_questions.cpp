#include "conformance/host/adapter/questions/managed_questions.h"

#include "conformance/host/adapter/component_states.h"
#include "conformance/host/adapter/questions/info_question.h"

namespace wddm::host {
namespace {

// More than any driver has.
constexpr UINT kMostRanges = 4096;

void ask_power_components(const Adapter& adapter) {
  if (!Adapter::knows(InterfaceVersion::Win8)) return;
  const UINT count = power_component_count(adapter);
  if (count == 0) return;
  // The last is one that is not there.
  for (UINT component = 0; component <= count; ++component) {
    const Output output(sizeof(DXGK_POWER_RUNTIME_COMPONENT), 0);
    const NTSTATUS status = ask(adapter,
                                {.type = DXGKQAITYPE_POWERCOMPONENTINFO,
                                 .input = &component,
                                 .input_bytes = sizeof(component)},
                                output);
    session().tap(ev::PowerComponentAnswered{.component = component,
                                             .count = count,
                                             .status = static_cast<std::uint32_t>(status),
                                             .behind = output.behind()},
                  output.data(), output.size());
  }
}

// The first call says how many ranges there are, the second which.
void ask_reserved_ranges(const Adapter& adapter) {
  Question question{.type = DXGKQAITYPE_HARDWARERESERVEDRANGES};
  const Output first(sizeof(DXGK_HARDWARERESERVEDRANGES), 0);
  const NTSTATUS status = ask(adapter, question, first);
  tell(question, status, first);
  const UINT count = first.first_word();
  if (!NT_SUCCESS(status) || count == 0 || count > kMostRanges) return;
  const Output second(sizeof(DXGK_HARDWARERESERVEDRANGES), 0);
  const Output ranges(count * sizeof(DXGK_PHYSICAL_MEMORY_RANGE), 0);
  auto& asked = *reinterpret_cast<DXGK_HARDWARERESERVEDRANGES*>(second.data());
  asked.NumRanges = count;
  asked.pPhysicalRanges = reinterpret_cast<DXGK_PHYSICAL_MEMORY_RANGE*>(ranges.data());
  question.how = InfoQuestion::Again;
  const NTSTATUS again = ask(adapter, question, second);
  session().tap(ev::InfoAnswered{.type = question.type,
                                 .how = static_cast<std::uint32_t>(question.how),
                                 .status = static_cast<std::uint32_t>(again),
                                 .output_bytes = ranges.size(),
                                 .changed = ranges.changed(),
                                 .behind = ranges.behind() + second.behind(),
                                 .unlike = asked.NumRanges != count,
                                 .first = asked.NumRanges});
}

void ask_isolation(const Adapter& adapter) {
  if (!Adapter::knows(InterfaceVersion::Wddm2_4)) return;
  if (adapter.caps().MemoryManagementCaps.IoMmuSecureModeSupported == 0) return;
  // Of each GPU, which its input names. What is not written is no size.
  for (UINT gpu = 0; gpu < adapter.physical_adapters(); ++gpu) {
    ask_once(adapter,
             {.type = DXGKQAITYPE_FRAMEBUFFERSAVESIZE, .input = &gpu, .input_bytes = sizeof(gpu)},
             sizeof(DXGK_FRAMEBUFFERSAVEAREA), kOtherBytes);
  }
  ask_reserved_ranges(adapter);
}

void ask_segment_state(const Adapter& adapter, std::uint32_t index, std::uint32_t segment) {
  const SegmentDescription& description = adapter.segment(SegmentId{segment}, index);
  const UINT count = std::min(description.invalid_ranges, kMostRanges);
  if (count == 0) return;
  const Output output(sizeof(DXGK_QUERYSEGMENTMEMORYSTATE), 0);
  const Output ranges(count * sizeof(DXGK_MEMORYRANGE), 0);
  auto& state = *reinterpret_cast<DXGK_QUERYSEGMENTMEMORYSTATE*>(output.data());
  state.DriverSegmentId = static_cast<WORD>(segment);
  state.PhysicalAdapterIndex = static_cast<WORD>(index);
  state.NumInvalidMemoryRanges = count;
  state.pMemoryRanges = reinterpret_cast<DXGK_MEMORYRANGE*>(ranges.data());
  const NTSTATUS status = ask(adapter, {.type = DXGKQAITYPE_SEGMENTMEMORYSTATE}, output);
  const bool large = adapter.has_64kb_pages(1u << (segment - 1));
  session().tap(ev::SegmentStateAnswered{.size = description.size,
                                         .segment = segment,
                                         .status = static_cast<std::uint32_t>(status),
                                         .asked = count,
                                         .ranges = state.NumInvalidMemoryRanges,
                                         .behind = ranges.behind() + output.behind(),
                                         .page = large ? 0x10000u : 0x1000u,
                                         .physical_adapter = index},
                ranges.data(), ranges.size());
}

}  // namespace

void ask_managed(const Adapter& adapter) {
  if (!may_call(DdiId::QueryAdapterInfo)) return;
  ask_power_components(adapter);
  ask_isolation(adapter);
  for (std::uint32_t index = 0; index < adapter.physical_adapters(); ++index) {
    for (std::uint32_t i = 0; i < adapter.segments(index).size(); ++i) {
      ask_segment_state(adapter, index, i + 1);
    }
  }
}

}  // namespace wddm::host
