// The rows of ddi.def over the real host: every call of it is through the interposer, at the level
// and with the arguments that its row says, and none is to an entry that the driver left null.
#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <string>

#include "conformance/harness/tests/replay_support.h"
#include "conformance/host/nt/core/kernel.h"
#include "reference/trace/ddi.h"

namespace wddm::harness {
namespace {

constexpr const char* kBusy = R"(
ops:
- requery
- create_device: {device: 1}
- create_allocation: {allocation: 0, place: local}
- create_allocation: {allocation: 1, place: aperture}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- render: {context: 0}
- spin: {units: 500}
- advance: {units: 5}
- preempt
- query_fence
- idle
- move: {allocation: 0}
- evict: {allocation: 1}
- destroy_context: {context: 0}
- destroy_device: {device: 1}
- unload
)";

struct Noted {
  std::uint32_t calls = 0;
  bool at_level = true;
};
std::array<Noted, kDdis> g_noted;

class Notes final : public Interposer {
 public:
#define FIELD(...)
#define DDI(name, since, irql, level, presence, object, result, parameters, arguments, ...) \
  result name parameters override {                                                         \
    note(DdiId::name);                                                                      \
    return Interposer::name arguments;                                                      \
  }
#include "reference/trace/ddi.def"
#undef DDI
#undef EXPORT
#undef FIELD

 private:
  static void note(DdiId ddi) {
    Noted& noted = g_noted[static_cast<std::size_t>(ddi)];
    ++noted.calls;
    noted.at_level = noted.at_level && nt::irql() == static_cast<std::uint8_t>(ddi_info(ddi).irql);
  }
};

class DdiTable : public ReplayTest {
 protected:
  const Trace& busy() {
    g_noted = {};
    const Fault fault = fault_of<Notes>();
    const Judged& judged = run(scenario_of(kBusy), &fault);
    EXPECT_TRUE(judged.ended);
    EXPECT_TRUE(judged.failures.empty());
    return replayer_.trace();
  }
  static std::uint32_t calls(DdiId ddi) { return g_noted[static_cast<std::size_t>(ddi)].calls; }
};

TEST_F(DdiTable, EveryCallIsThroughTheInterposerAndAtItsLevel) {
  const Trace& trace = busy();
  std::array<std::uint32_t, kDdis> entered{};
  for (const std::uint32_t index : trace.of<ev::DdiEntered>())
    ++entered[trace.at<ev::DdiEntered>(index).ddi];
  entered[static_cast<std::size_t>(DdiId::InterruptRoutine)] =
      static_cast<std::uint32_t>(trace.of<ev::IsrEntered>().size());
  entered[static_cast<std::size_t>(DdiId::DpcRoutine)] =
      static_cast<std::uint32_t>(trace.of<ev::DpcEntered>().size());
  for (std::uint32_t ddi = 0; ddi < kDdis; ++ddi) {
    EXPECT_EQ(g_noted[ddi].calls, entered[ddi]) << ddi_table()[ddi].name;
    EXPECT_TRUE(g_noted[ddi].at_level) << ddi_table()[ddi].name;
  }
  for (const DdiId ddi : {DdiId::CreateDevice, DdiId::DestroyDevice, DdiId::DestroyContext,
                          DdiId::OpenAllocation, DdiId::CloseAllocation, DdiId::DestroyAllocation,
                          DdiId::Render, DdiId::Patch, DdiId::SubmitCommand, DdiId::PreemptCommand,
                          DdiId::BuildPagingBuffer, DdiId::InterruptRoutine, DdiId::DpcRoutine,
                          DdiId::StopDevice, DdiId::RemoveDevice, DdiId::Unload}) {
    EXPECT_NE(calls(ddi), 0u) << ddi_info(ddi).name;
  }
}

TEST_F(DdiTable, FunctionsOfAnInterfaceAreCalledThroughTheInterposer) {
  g_noted = {};
  const Fault fault = fault_of<Notes>();
  const Judged& judged = run(scenario_of(R"(
ops:
- configure: {setting: Addressing, value: 1}
- configure: {setting: KernelModeTesting, value: 1}
- create_allocation: {allocation: 0}
- create_test_context: {context: 0}
- test_fill: {context: 0, allocation: 0}
)"),
                             &fault);
  EXPECT_TRUE(judged.failures.empty());
  EXPECT_EQ(calls(DdiId::QueryInterface), 1u);
  EXPECT_EQ(calls(DdiId::QueryFeatureSupport), 1u);
  EXPECT_EQ(calls(DdiId::QueryFeatureInterface), 1u);
  // For the sizes, for the buffers, and with either too short, and missing.
  EXPECT_EQ(calls(DdiId::BuildTestCommandBuffer), 6u);
  for (const DdiId ddi : {DdiId::QueryInterface, DdiId::QueryFeatureSupport,
                          DdiId::QueryFeatureInterface, DdiId::BuildTestCommandBuffer}) {
    EXPECT_TRUE(g_noted[static_cast<std::size_t>(ddi)].at_level) << ddi_info(ddi).name;
  }
}

TEST_F(DdiTable, ArgumentsOfACallAreInItsEvent) {
  const Trace& trace = busy();
  const auto submitted = trace.of<ev::Submitted>();
  std::size_t seen = 0;
  for (const std::uint32_t index : trace.of<ev::DdiEntered>()) {
    const Event& event = trace.events()[index];
    const auto call = trace.at<ev::DdiEntered>(index);
    EXPECT_EQ(print_event(trace, index).find(" blob="), std::string::npos);
    if (call.ddi != static_cast<std::uint32_t>(DdiId::SubmitCommand)) continue;
    const auto held = trace.blob<ddi_arguments::SubmitCommand>(event);
    ASSERT_EQ(held.size(), 1u);
    const auto match = std::find_if(submitted.begin(), submitted.end(), [&](std::uint32_t at) {
      return at > index && trace.at<ev::Submitted>(at).packet == call.object;
    });
    ASSERT_NE(match, submitted.end());
    const auto after = trace.at<ev::Submitted>(*match);
    EXPECT_EQ(held[0].fence, after.fence);
    EXPECT_EQ(held[0].node, after.node);
    EXPECT_EQ(held[0].start, after.start);
    EXPECT_EQ(held[0].end, after.end);
    EXPECT_EQ(held[0].has_context, after.paging == 0 ? 1u : 0u);
    ++seen;
  }
  EXPECT_EQ(seen, submitted.size());
}

// An entry that the built-in driver leaves null.
class CalibratesClocks final : public Interposer {
 public:
  NTSTATUS DriverEntry(PDRIVER_INITIALIZE entry, PDRIVER_OBJECT object,
                       PUNICODE_STRING path) override {
    const NTSTATUS status = Interposer::DriverEntry(entry, object, path);
    driver.DxgkDdiCalibrateGpuClock = &calibrate;
    return status;
  }

 private:
  static NTSTATUS calibrate(HANDLE, UINT32, UINT32, DXGKARG_CALIBRATEGPUCLOCK* clocks) {
    EXPECT_EQ(nt::irql(), nt::kDispatch);
    clocks->GpuFrequency = 1'000'000;
    return STATUS_SUCCESS;
  }
};

TEST_F(DdiTable, ClocksAreCalibratedOnEveryNodeAsTimePasses) {
  const Fault fault = fault_of<CalibratesClocks>();
  const Judged& judged = run(scenario_of("ops:\n- advance: {units: 5}\n"), &fault);
  EXPECT_TRUE(judged.failures.empty());
  std::uint32_t calls = 0;
  const Trace& trace = replayer_.trace();
  for (const std::uint32_t index : trace.of<ev::DdiEntered>()) {
    const auto call = trace.at<ev::DdiEntered>(index);
    if (call.ddi != static_cast<std::uint32_t>(DdiId::CalibrateGpuClock)) continue;
    EXPECT_EQ(call.object, calls);
    ++calls;
  }
  EXPECT_EQ(calls, judged.platform.nodes);
}

// Set before a run: the entry that the driver of that run does not have.
DdiId g_missing;

class WithoutAnEntry final : public Interposer {
 public:
  NTSTATUS DriverEntry(PDRIVER_INITIALIZE entry, PDRIVER_OBJECT object,
                       PUNICODE_STRING path) override {
    const NTSTATUS status = Interposer::DriverEntry(entry, object, path);
#define FIELD(...)
#define EXPORT(...)
#define DDI(name, ...) \
  if (g_missing == DdiId::name) driver.DxgkDdi##name = nullptr;
#include "reference/trace/ddi.def"
#undef DDI
#undef EXPORT
#undef FIELD
    return status;
  }
};

TEST_F(DdiTable, AnEntryThatIsNullIsNeverCalled) {
  const Fault fault = fault_of<WithoutAnEntry>();
  for (std::uint32_t ddi = 1; ddi < kDdis; ++ddi) {
    g_missing = static_cast<DdiId>(ddi);
    const Judged& judged = run(scenario_of(kBusy), &fault);
    const DdiInfo& info = ddi_table()[ddi];
    EXPECT_FALSE(judged.crashed) << info.name;
    EXPECT_FALSE(judged.platform.has(g_missing)) << info.name;
    const Trace& trace = replayer_.trace();
    for (const std::uint32_t index : trace.of<ev::DdiEntered>())
      EXPECT_NE(trace.at<ev::DdiEntered>(index).ddi, ddi) << info.name;
    if (info.presence == DdiPresence::Start) {
      EXPECT_EQ(judged.start_trouble, info.absence);
    }
  }
}

TEST_F(DdiTable, WhatNeedsAnEntryThatIsNullIsSkippedWithTheReason) {
  const Fault fault = fault_of<WithoutAnEntry>();
  g_missing = DdiId::Render;
  static_cast<void>(run(scenario_of(kBusy), &fault));
  const Trace& trace = replayer_.trace();
  const auto skipped = trace.of<ev::OpSkipped>();
  const auto renders = std::count_if(skipped.begin(), skipped.end(), [&](std::uint32_t index) {
    return trace.blob_text(trace.events()[index]) == "the driver has no DxgkDdiRender";
  });
  EXPECT_EQ(renders, 2);
}

// Calls what this host refuses, from SubmitCommand and so at DISPATCH_LEVEL.
class CallsWhatIsRefused : public Interposer {
 public:
  NTSTATUS StartDevice(PVOID context, PDXGK_START_INFO info, PDXGKRNL_INTERFACE callbacks,
                       PULONG sources, PULONG children) override {
    interface_ = *callbacks;
#define NO_MEMBER(...)
#define DXGKCB(name, ...) EXPECT_NE(callbacks->DxgkCb##name, nullptr) << #name;
#include "reference/trace/callback.def"
#undef DXGKCB
#undef NO_MEMBER
    EXPECT_EQ(eval_acpi_method(), STATUS_NOT_SUPPORTED);
    return Interposer::StartDevice(context, info, callbacks, sources, children);
  }

 protected:
  NTSTATUS eval_acpi_method() {
    return interface_.DxgkCbEvalAcpiMethod(interface_.DeviceHandle, 0, nullptr, 0, nullptr, 0);
  }
  DXGKRNL_INTERFACE interface_{};
};
struct IndicatesAtDispatch final : CallsWhatIsRefused {
  NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) override {
    static_cast<void>(interface_.DxgkCbIndicateChildStatus(interface_.DeviceHandle, nullptr));
    return Interposer::SubmitCommand(adapter, submit);
  }
};
struct EvaluatesAtDispatch final : CallsWhatIsRefused {
  NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) override {
    static_cast<void>(eval_acpi_method());
    return Interposer::SubmitCommand(adapter, submit);
  }
};

TEST_F(DdiTable, ARefusedCallbackIsJudgedByTheLevelOfItsRow) {
  const Fault allowed = fault_of<IndicatesAtDispatch>();
  EXPECT_TRUE(run(scenario_of(kBusy), &allowed).failures.empty());
  const Fault forbidden = fault_of<EvaluatesAtDispatch>();
  const Judged& judged = run(scenario_of(kBusy), &forbidden);
  std::set<std::string> ids;
  for (const Failure& failure : judged.failures) ids.insert(failure.id.c_str());
  EXPECT_EQ(ids, (std::set<std::string>{"IRQL-002", "NT-IrqlTooHigh"}));
}

class OfAnOlderInterface final : public Interposer {
 public:
  NTSTATUS DriverEntry(PDRIVER_INITIALIZE entry, PDRIVER_OBJECT object,
                       PUNICODE_STRING path) override {
    const NTSTATUS status = Interposer::DriverEntry(entry, object, path);
    driver.Version = DXGKDDI_INTERFACE_VERSION_WIN7;
    return status;
  }
};

TEST_F(DdiTable, AnEntryThatTheInterfaceOfTheDriverLacksIsNotThere) {
  const Fault fault = fault_of<OfAnOlderInterface>();
  const Judged& judged = run(scenario_of("ops:\n- start\n"), &fault);
  EXPECT_TRUE(judged.platform.has(DdiId::SubmitCommand));
  EXPECT_FALSE(judged.platform.has(DdiId::ResetEngine));
}

}  // namespace
}  // namespace wddm::harness
