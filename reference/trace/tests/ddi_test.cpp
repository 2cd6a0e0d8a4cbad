// The tables of entry points and callbacks: their numbers stay, and their rows can be relied on.
#include "reference/trace/ddi.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "reference/trace/names.h"
#include "reference/trace/op.h"
#include "reference/trace/tests/trace_buffer.h"

namespace wddm {
namespace {

using test::TraceBuffer;

// Traces are compared across versions: a row keeps its number, and new rows come last.
TEST(DdiTable, NumbersStay) {
  constexpr const char* kFirst[] = {"DriverEntry",
                                    "AddDevice",
                                    "StartDevice",
                                    "StopDevice",
                                    "RemoveDevice",
                                    "Unload",
                                    "QueryAdapterInfo",
                                    "CreateDevice",
                                    "DestroyDevice",
                                    "CreateContext",
                                    "DestroyContext",
                                    "CreateAllocation",
                                    "DestroyAllocation",
                                    "OpenAllocation",
                                    "CloseAllocation",
                                    "DescribeAllocation",
                                    "GetStandardAllocationDriverData",
                                    "Render",
                                    "RenderKm",
                                    "Patch",
                                    "SubmitCommand",
                                    "SubmitCommandVirtual",
                                    "PreemptCommand",
                                    "CancelCommand",
                                    "BuildPagingBuffer",
                                    "QueryCurrentFence",
                                    "InterruptRoutine",
                                    "DpcRoutine",
                                    "SetPowerState",
                                    "ResetEngine",
                                    "QueryEngineStatus",
                                    "QueryDependentEngineGroup",
                                    "ResetFromTimeout",
                                    "RestartFromTimeout",
                                    "CollectDbgInfo",
                                    "GetNodeMetadata",
                                    "ControlInterrupt",
                                    "SetRootPageTable",
                                    "GetRootPageTableSize",
                                    "CreateProcess",
                                    "DestroyProcess",
                                    "MapCpuHostAperture",
                                    "UnmapCpuHostAperture",
                                    "ResetDevice",
                                    "QueryChildRelations",
                                    "CalibrateGpuClock",
                                    "LinkDevice"};
  ASSERT_GE(ddi_table().size(), std::size(kFirst));
  EXPECT_STREQ(ddi_table()[0].name, "DriverEntry");
  for (std::size_t i = 1; i < std::size(kFirst); ++i)
    EXPECT_EQ(ddi_table()[i].name, std::string("DxgkDdi") + kFirst[i]);
}

TEST(CallbackTable, NumbersStay) {
  constexpr const char* kFirst[] = {"?",
                                    "GetDeviceInformation",
                                    "NotifyInterrupt",
                                    "NotifyDpc",
                                    "QueueDpc",
                                    "SynchronizeExecution",
                                    "MapMemory",
                                    "UnmapMemory",
                                    "ReadDeviceSpace",
                                    "WriteDeviceSpace",
                                    "GetHandleData",
                                    "AcquireHandleData",
                                    "ReleaseHandleData",
                                    "EvalAcpiMethod",
                                    "IsDevicePresent",
                                    "LogEtwEvent",
                                    "ExcludeAdapterAccess",
                                    "CreateContextAllocation",
                                    "DestroyContextAllocation",
                                    "MapContextAllocation",
                                    "UpdateContextAllocation",
                                    "SetPowerComponentActive",
                                    "SetPowerComponentIdle",
                                    "SetPowerComponentLatency",
                                    "SetPowerComponentResidency",
                                    "PowerRuntimeControlRequest",
                                    "CompleteFStateTransition",
                                    "CompletePStateTransition",
                                    "AcquirePostDisplayOwnership",
                                    "IndicateChildStatus",
                                    "QueryServices",
                                    "GetHandleParent",
                                    "EnumHandleChildren",
                                    "QueryVidPnInterface",
                                    "QueryMonitorInterface",
                                    "GetCaptureAddress",
                                    "ReserveGpuVirtualAddressRange",
                                    "AllocateContiguousMemory",
                                    "FreeContiguousMemory",
                                    "AllocatePagesForMdl",
                                    "FreePagesFromMdl"};
  ASSERT_GE(callback_table().size(), std::size(kFirst));
  EXPECT_STREQ(callback_table()[0].name, "?");
  for (std::size_t i = 1; i < std::size(kFirst); ++i)
    EXPECT_EQ(callback_table()[i].name, std::string("DxgkCb") + kFirst[i]);
}

TEST(DdiTable, NamesAreUnique) {
  std::set<std::string_view> names;
  for (const DdiInfo& ddi : ddi_table()) EXPECT_TRUE(names.insert(ddi.name).second) << ddi.name;
  for (const CallbackInfo& callback : callback_table())
    EXPECT_TRUE(names.insert(callback.name).second) << callback.name;
}

TEST(DdiTable, AbsenceIsAReasonThatNamesTheEntry) {
  for (const DdiInfo& ddi : ddi_table())
    EXPECT_EQ(ddi.absence, std::string("the driver has no ") + ddi.name);
}

TEST(DdiTable, WhatTheSchedulerCallsIsAtItsLevel) {
  EXPECT_EQ(ddi_info(DdiId::SubmitCommand).irql, Irql::Dispatch);
  EXPECT_EQ(ddi_info(DdiId::PreemptCommand).irql, Irql::Dispatch);
  EXPECT_EQ(ddi_info(DdiId::DpcRoutine).irql, Irql::Dispatch);
  EXPECT_EQ(ddi_info(DdiId::InterruptRoutine).irql, Irql::Device);
  EXPECT_EQ(ddi_info(DdiId::Patch).irql, Irql::Passive);
  EXPECT_EQ(ddi_info(DdiId::ResetDevice).irql, Irql::Any);
}

// What runs above APC_LEVEL may not be told to have the machine for itself.
TEST(DdiTable, LevelsTwoAndThreeArePassive) {
  for (const DdiInfo& ddi : ddi_table()) {
    if (ddi.level >= ThreadingLevel::Two) {
      EXPECT_EQ(ddi.irql, Irql::Passive) << ddi.name;
    }
  }
}

TEST(DdiTable, WhatIsOfGpuVirtualAddressesCameWithThem) {
  for (const DdiInfo& ddi : ddi_table()) {
    if (ddi.presence == DdiPresence::GpuVirtualAddresses) {
      EXPECT_GE(ddi.since, InterfaceVersion::Wddm2_0) << ddi.name;
    }
    if (ddi.presence == DdiPresence::EngineResets) {
      EXPECT_GE(ddi.since, InterfaceVersion::Win8) << ddi.name;
    }
  }
}

// A blob is read back by name, so its fields tile it, widest first.
TEST(DdiTable, ArgumentsTile) {
  for (const DdiInfo& ddi : ddi_table()) {
    std::size_t end = 0;
    std::uint8_t width = 8;
    for (const EventField& field : ddi.arguments) {
      EXPECT_EQ(field.offset, end) << ddi.name << " " << field.name;
      EXPECT_LE(field.size, width) << ddi.name << " " << field.name;
      end += field.size;
      width = field.size;
    }
  }
}

TEST(DdiTable, ArgumentsHoldNoAddresses) {
  for (const DdiInfo& ddi : ddi_table()) {
    for (const EventField& field : ddi.arguments) {
      EXPECT_EQ(std::string_view(field.name).find("address"), std::string_view::npos) << ddi.name;
    }
  }
}

TEST(CallbackTable, LowestIsNotAboveHighest) {
  for (const CallbackInfo& callback : callback_table())
    EXPECT_LE(callback.lowest, callback.highest) << callback.name;
}

// Each that a scenario can make fail has a row that allows it, and the other way round; only what
// the host offers can fail.
TEST(CallbackTable, FallibleOnesAreThoseOfTheScenario) {
  std::set<std::string_view> rows;
  for (const CallbackInfo& callback : callback_table()) {
    if (!callback.fallible) continue;
    EXPECT_TRUE(callback.offered) << callback.name;
    rows.insert(std::string_view(callback.name).substr(6));
  }
  const auto words = shape_values(FieldShape::FallibleCallback);
  EXPECT_EQ(rows, std::set<std::string_view>(words.begin(), words.end()));
}

TEST(DdiEntered, IsPrintedWithItsArguments) {
  const ddi_arguments::PreemptCommand arguments{.fence = 7, .node = 1, .flags = 16};
  TraceBuffer buffer;
  buffer.writer().add(
      ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::PreemptCommand), .object = 1}, 0, 0,
      0, &arguments, sizeof(arguments));
  EXPECT_EQ(print_event(buffer.read(), 0),
            "#0 op=- thread=0 cpu=0 irql=0 DdiEntered ddi=DxgkDdiPreemptCommand object=1 fence=7 "
            "node=1 engine=0 flags=0x10");
}

TEST(DdiEntered, WithoutArgumentsIsPrintedAsItIs) {
  TraceBuffer buffer;
  buffer.add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::Patch), .object = 1});
  EXPECT_EQ(print_event(buffer.read(), 0),
            "#0 op=- thread=0 cpu=0 irql=0 DdiEntered ddi=DxgkDdiPatch object=1");
}

TEST(DdiEntered, BlobOfAnotherSizeIsNotReadAsArguments) {
  TraceBuffer buffer;
  buffer.add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::Patch), .object = 1}, "1234");
  EXPECT_NE(print_event(buffer.read(), 0).find(" blob=4"), std::string::npos);
  TraceBuffer unknown;
  unknown.add(ev::DdiEntered{.ddi = 60000, .object = 1}, "1234");
  EXPECT_NE(print_event(unknown.read(), 0).find("ddi=? object=1 blob=4"), std::string::npos);
}

}  // namespace
}  // namespace wddm
