// CAPS-016: an adapter that is asked again, or starts again, is the same.

#include <array>

#include "conformance/rules/another_device.h"
#include "conformance/rules/caps/answered_caps.h"
#include "conformance/rules/fails_on_purpose.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm::caps_016 {
namespace {

// Where an interrupt message goes is the system's affair, and may change.
constexpr const char* kNames[] = {
    "HighestAcceptableAddress",     "SchedulingCaps",
    "MemoryManagementCaps",         "MaxAllocationListSlotId",
    "NbAsymetricProcessingNodes",   "GraphicsPreemptionGranularity",
    "ComputePreemptionGranularity", "MiscCaps",
    "SupportPerEngineTDR",          "SupportRuntimePowerManagement, SupportSurpriseRemoval",
};
using Values = std::array<std::uint64_t, std::size(kNames)>;

Values values_of(const ev::CapsReported& caps) {
  return {caps.highest_address,
          caps.scheduling,
          caps.memory,
          caps.slots,
          caps.nodes,
          caps.graphics_preemption,
          caps.compute_preemption,
          caps.misc,
          caps.engine_resets,
          caps.more};
}

// What one device was said to be when it was asked first.
class Adapter {
 public:
  explicit Adapter(Judgement& judgement) : judgement_(judgement) {}

  void on(std::uint32_t index, const ev::CapsReported& caps) {
    if (!NT_SUCCESS(static_cast<NTSTATUS>(caps.status))) return;
    const Values values = values_of(caps);
    if (first_ == kNone) {
      first_ = index;
      values_ = values;
      return;
    }
    judgement_.reached(index);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] != values_[i]) differs(index, kNames[i], values_[i], values[i], first_);
    }
  }
  void on(std::uint32_t index, const ev::SegmentReported& segment) {
    const auto [known, is_first] = segments_.try_emplace(
        {segment.physical_adapter, segment.segment}, Size{index, segment.size});
    if (is_first) return;
    judgement_.reached(index);
    if (known->second.bytes == segment.size) return;
    const std::string name = "Size of segment " + std::to_string(segment.segment);
    differs(index, name.c_str(), known->second.bytes, segment.size, known->second.event);
  }
  /// Where VidMm has its paging buffer is told by GPU 0 of a link.
  void on(std::uint32_t index, const ev::SegmentsReported& segments) {
    constexpr std::uint32_t kDescribed = 2;  // SegmentsReported::call
    if (segments.call != kDescribed || segments.physical_adapter != 0) return;
    if (!NT_SUCCESS(static_cast<NTSTATUS>(segments.status))) return;
    compare(index, paging_buffer_,
            {{{"PagingBufferSegmentId", segments.paging_segment},
              {"PagingBufferSize", segments.paging_bytes},
              {"PagingBufferPrivateDataSize", segments.paging_private}}});
  }
  void on(std::uint32_t index, const ev::PhysicalAdapterReported& gpu) {
    if (!NT_SUCCESS(static_cast<NTSTATUS>(gpu.status))) return;
    compare(index, gpus_[gpu.physical_adapter],
            {{{"NumExecutionNodes", gpu.nodes},
              {"PagingNodeIndex", gpu.paging_node},
              {"Flags of DXGK_PHYSICALADAPTERCAPS", gpu.flags}}});
  }
  /// Another device, or one with other resources, may be another adapter.
  void begin_anew() {
    first_ = kNone;
    segments_.clear();
    paging_buffer_ = {};
    gpus_.clear();
  }

 private:
  struct Size {
    std::uint32_t event;
    std::uint64_t bytes;
  };
  struct Named {
    const char* name;
    std::uint32_t value;
  };
  using Answer = std::array<Named, 3>;
  struct FirstAnswer {
    std::uint32_t event = kNone;
    Answer values{};
  };
  void compare(std::uint32_t index, FirstAnswer& first, const Answer& now) {
    if (first.event == kNone) {
      first = {index, now};
      return;
    }
    judgement_.reached(index);
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (now[i].value == first.values[i].value) continue;
      differs(index, now[i].name, first.values[i].value, now[i].value, first.event);
    }
  }
  void differs(std::uint32_t index, const char* name, std::uint64_t before, std::uint64_t now,
               std::uint32_t first) {
    judgement_.fail(index, std::string(name) + " as it was said first, " + std::to_string(before),
                    std::to_string(now), {first});
  }

  Judgement& judgement_;
  std::uint32_t first_ = kNone;  // CapsReported
  Values values_{};
  ScratchMap<std::pair<std::uint32_t, std::uint32_t>, Size> segments_;  // by GPU and segment
  FirstAnswer paging_buffer_;
  ScratchMap<std::uint32_t, FirstAnswer> gpus_;
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  Adapter adapter(judgement);
  for (const std::uint32_t index :
       trace.of_any<ev::OpStarted, ev::EntryReturned, ev::SurpriseRemoved, ev::CapsReported,
                    ev::SegmentsReported, ev::SegmentReported, ev::PhysicalAdapterReported>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::CapsReported) {
      adapter.on(index, trace.at<ev::CapsReported>(index));
    } else if (event.kind == EventKind::SegmentsReported) {
      adapter.on(index, trace.at<ev::SegmentsReported>(index));
    } else if (event.kind == EventKind::PhysicalAdapterReported) {
      adapter.on(index, trace.at<ev::PhysicalAdapterReported>(index));
    } else if (event.kind == EventKind::SegmentReported) {
      adapter.on(index, trace.at<ev::SegmentReported>(index));
    } else if (may_be_another_device(event)) {
      adapter.begin_anew();
    } else if (fails_on_purpose(Trace::as<ev::OpStarted>(event).kind)) {
      return;  // who gets less makes do with less
    }
  }
}

// A driver that finds its engines at each start, and adds them to those that it knows.
class FindsThemAgain final : public Interposer {
 public:
  NTSTATUS StartDevice(PVOID context, PDXGK_START_INFO info, PDXGKRNL_INTERFACE callbacks,
                       PULONG sources, PULONG children) override {
    ++starts_;
    return Interposer::StartDevice(context, info, callbacks, sources, children);
  }
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    const NTSTATUS status = Interposer::QueryAdapterInfo(adapter, query);
    if (query->Type != DXGKQAITYPE_DRIVERCAPS || !NT_SUCCESS(status)) return status;
    auto& caps = *static_cast<DXGK_DRIVERCAPS*>(query->pOutputData);
    caps.GpuEngineTopology.NbAsymetricProcessingNodes *= starts_;
    return status;
  }

 private:
  UINT starts_ = 0;
};

const Rule kRule{
    .id = "CAPS-016",
    .title = "An adapter is the same whenever it is asked",
    .level = Level::Should,
    .rule =
        "What QueryAdapterInfo says of reach, scheduling, memory management, slots, nodes, "
        "preemption and power in DXGK_DRIVERCAPS, of the size of each segment, of the paging "
        "buffer, and of the nodes and MMUs of each physical adapter, it says each time that it is "
        "asked, in later starts of the same device too.",
    .sources =
        "using-memory-segments-to-describe-the-gpu-address-space.md\n"
        "ns-d3dkmddi-_dxgk_drivercaps.md\n"
        "ns-d3dkmddi-_dxgk_querysegmentout4.md # PagingBufferSize\n"
        "ns-d3dkmddi-_dxgk_physicaladaptercaps.md",
    .note =
        "One page says it of the number and types of segments (SEG-001). The rest is derived: "
        "Dxgkrnl sets itself up by what it is told once. A new device, one with other resources "
        "and a new load of the driver begin anew, and where the scenario makes memory fail nothing "
        "is compared from there on. A CommitLimit may follow the memory of the system.",
    .applies = needs_caps,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: asked again, after work, when power is back, and at two more starts
ops:
- create_context: {context: 0}
- requery
- render: {context: 0}
- spin: {units: 5}
- idle
- requery
- power_cycle
- requery
- cycle: {count: 1}
- requery
- cycle: {count: 1, depth: add}
)",
    .control = R"(
about: the adapter starts
ops:
- start
)",
    .fault = {.about = "at each start there are as many nodes more",
              .interposer = [] { return std::unique_ptr<Interposer>(new FindsThemAgain); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::caps_016
