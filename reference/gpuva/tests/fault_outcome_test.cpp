// Page faults taken to their end: MMU-013..015.
#include "reference/gpuva/fault_outcome.h"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <vector>

namespace wddm::gpuva {
namespace {

constexpr EngineId kEngine{{1}};
constexpr EngineId kOther{{0}};
constexpr DeviceId kDevice{7};
using Decisions = std::vector<FaultDecision>;

struct Faults : PageFaults {
  explicit Faults(bool iommu = false)
      : PageFaults({.nodes = 2, .page_table_levels = 3, .iommu = iommu}) {}
  Decisions tell(const FaultInput& input) {
    const auto decisions = step(input);
    return {decisions.begin(), decisions.end()};
  }
  std::optional<FaultError> error(const PageFaultReport& report) {
    const Decisions decisions = tell(report);
    const auto* rejected = decisions.empty() ? nullptr : std::get_if<FaultRejected>(&decisions[0]);
    return rejected == nullptr ? std::nullopt : std::optional(rejected->why);
  }
};

/// A read of packet 10 through an invalid leaf entry.
PageFaultReport report() {
  PageFaultReport fault;
  fault.engine = kEngine;
  fault.fence = {10};
  fault.fence_outstanding = true;
  fault.address = {0x1000};
  fault.packet_process = ProcessId{3};
  fault.device = kDevice;
  return fault;
}
/// The same, of a packet that the driver does not know.
PageFaultReport unknown_packet() {
  PageFaultReport fault = report();
  fault.fence = {};
  fault.fence_outstanding = false;
  fault.flags = kFaultFenceInvalid | kFaultEngineReset;
  fault.packet_process.reset();
  fault.device.reset();
  return fault;
}

TEST(PageFaults, MMU_015_TheEngineIsResetAndTheDeviceInError) {
  Faults faults;
  EXPECT_EQ(faults.tell(report()), (Decisions{ResetEngine{kEngine}, PutInError{kDevice}}));
  EXPECT_FALSE(faults.takes_packets(kEngine));
}

TEST(PageFaults, MMU_015_OtherEnginesAreNotDisturbed) {
  Faults faults;
  (void)faults.tell(report());
  EXPECT_TRUE(faults.takes_packets(kOther));
}

TEST(PageFaults, MMU_015_TheEngineGoesOnAfterItsReset) {
  Faults faults;
  (void)faults.tell(report());
  EXPECT_EQ(faults.tell(EngineResetDone{kEngine, true}), Decisions{EngineGoesOn{kEngine}});
  EXPECT_TRUE(faults.takes_packets(kEngine));
}

TEST(PageFaults, MMU_015_OnlyAFailedEngineResetResetsTheAdapter) {
  Faults faults;
  (void)faults.tell(report());
  EXPECT_EQ(faults.tell(EngineResetDone{kEngine, false}),
            (Decisions{PutAllInError{}, ResetAdapter{}}));
  EXPECT_FALSE(faults.takes_packets(kOther));
  EXPECT_EQ(faults.tell(AdapterResetDone{true}), Decisions{AdapterGoesOn{}});
  EXPECT_TRUE(faults.takes_packets(kEngine) && faults.takes_packets(kOther));
}

TEST(PageFaults, MMU_015_TheDriverMayAskForTheAdapter) {
  Faults faults;
  PageFaultReport fault = report();
  fault.flags = kFaultAdapterReset | kFaultEngineReset;
  EXPECT_EQ(faults.tell(fault), (Decisions{PutAllInError{}, ResetAdapter{}}));
}

TEST(PageFaults, MMU_015_AFatalErrorStopsTheSystem) {
  Faults faults;
  PageFaultReport fault = report();
  fault.flags = kFaultFatalHardware | kFaultAdapterReset;
  EXPECT_EQ(faults.tell(fault), Decisions{BugCheck{}});
  EXPECT_TRUE(faults.stopped());
  EXPECT_EQ(faults.tell(report()), Decisions{});
}

TEST(PageFaults, MMU_015_TwoFaultsOnOneEngineAreOneReset) {
  Faults faults;
  (void)faults.tell(report());
  PageFaultReport second = report();
  second.device = DeviceId{8};
  EXPECT_EQ(faults.tell(second), Decisions{PutInError{{8}}});
}

TEST(PageFaults, MMU_015_FaultsOnTwoEnginesAreTwoResets) {
  Faults faults;
  (void)faults.tell(report());
  PageFaultReport second = report();
  second.engine = kOther;
  EXPECT_EQ(faults.tell(second), (Decisions{ResetEngine{kOther}, PutInError{kDevice}}));
  (void)faults.tell(EngineResetDone{kEngine, true});
  EXPECT_FALSE(faults.takes_packets(kOther));
}

TEST(PageFaults, MMU_015_AnAdapterResetOvertakesTheOthers) {
  Faults faults;
  (void)faults.tell(report());
  PageFaultReport second = report();
  second.engine = kOther;
  second.flags = kFaultAdapterReset;
  (void)faults.tell(second);
  EXPECT_EQ(faults.tell(EngineResetDone{kEngine, false}), Decisions{});
  EXPECT_EQ(faults.tell(report()), Decisions{});
  EXPECT_EQ(faults.tell(AdapterResetDone{true}), Decisions{AdapterGoesOn{}});
}

TEST(PageFaults, ENGRST_005_AFaultOfPagingResetsTheAdapter) {
  Faults faults;
  PageFaultReport fault = report();
  fault.system_device = true;
  EXPECT_EQ(faults.tell(fault), (Decisions{PutAllInError{}, ResetAdapter{}}));
}

TEST(PageFaults, TDR_001_AnAdapterResetThatFailsStopsTheSystem) {
  Faults faults;
  (void)faults.tell(report());
  (void)faults.tell(EngineResetDone{kEngine, false});
  EXPECT_EQ(faults.tell(AdapterResetDone{false}), Decisions{BugCheck{}});
}

TEST(PageFaults, MMU_014_AnUnknownPacketPutsNobodyInError) {
  Faults faults;
  EXPECT_EQ(faults.tell(unknown_packet()), Decisions{ResetEngine{kEngine}});
}

TEST(PageFaults, MMU_014_TheFenceIsOneThatTheEngineHas) {
  Faults faults;
  PageFaultReport fault = report();
  fault.fence_outstanding = false;
  EXPECT_EQ(faults.error(fault), FaultError::FenceNotOutstanding);
  EXPECT_TRUE(faults.takes_packets(kEngine));
}

TEST(PageFaults, MMU_014_FenceInvalidWantsFence0AndAResetBit) {
  Faults faults;
  PageFaultReport fault = unknown_packet();
  fault.fence = {10};
  EXPECT_EQ(faults.error(fault), FaultError::FenceWithInvalid);
  fault.fence = {};
  fault.flags = kFaultFenceInvalid | kFaultWrite;
  EXPECT_EQ(faults.error(fault), FaultError::InvalidWithoutReset);
  for (const PageFaultFlags bit : {kFaultAdapterReset, kFaultEngineReset, kFaultFatalHardware}) {
    Faults fresh;
    fault.flags = kFaultFenceInvalid | bit;
    EXPECT_EQ(fresh.error(fault), std::nullopt);
  }
}

TEST(PageFaults, MMU_013_TheProcessIsTheSystemsHandleOrNull) {
  Faults faults;
  PageFaultReport fault = report();
  fault.handle = HandleKind::Other;
  EXPECT_EQ(faults.error(fault), FaultError::ForeignHandle);
  fault.handle = HandleKind::Ours;
  fault.process = {4};
  EXPECT_EQ(faults.error(fault), FaultError::OthersHandle);
  fault.process = {3};
  EXPECT_EQ(faults.error(fault), std::nullopt);
}

TEST(PageFaults, MMU_013_UnknownFlagsAreRejected) {
  Faults faults;
  PageFaultReport fault = report();
  fault.flags = 0x100;
  EXPECT_EQ(faults.error(fault), FaultError::UnknownFlags);
}

TEST(PageFaults, MMU_013_TheLevelIsOneOfTheTables) {
  Faults faults;
  PageFaultReport fault = report();
  fault.level = 3;
  EXPECT_EQ(faults.error(fault), FaultError::NoSuchLevel);
  fault.level = 2;
  EXPECT_EQ(faults.error(fault), std::nullopt);
}

TEST(PageFaults, INTR_011_WithoutAnAddressThereIsAnotherCause) {
  Faults faults;
  PageFaultReport fault = report();
  fault.address = {};
  EXPECT_EQ(faults.error(fault), FaultError::NoAddressNoCause);
  fault.code = 1;
  EXPECT_EQ(faults.error(fault), std::nullopt);
}

TEST(PageFaults, PROC_006_TheIommuFlagSaysWhichMmuFaulted) {
  Faults gpu_mmu;
  PageFaultReport fault = report();
  fault.flags = kFaultIommu;
  EXPECT_EQ(gpu_mmu.error(fault), FaultError::WrongMmu);
  Faults iommu(true);
  EXPECT_EQ(iommu.error(fault), std::nullopt);
  EXPECT_EQ(iommu.error(report()), FaultError::WrongMmu);
  PageFaultReport not_of_a_page = report();
  not_of_a_page.code = 1;
  EXPECT_EQ(iommu.error(not_of_a_page), std::nullopt);
}

TEST(PageFaults, PROC_006_WithBothMmusEitherMayHaveFaulted) {
  PageFaults both({.nodes = 2, .page_table_levels = 3, .both_mmus = true});
  PageFaultReport fault = report();
  const auto resets = [&](std::uint32_t node) {
    fault.engine.node = NodeId{node};
    const auto decisions = both.step(fault);
    return !decisions.empty() && std::holds_alternative<ResetEngine>(decisions.front());
  };
  EXPECT_TRUE(resets(0));
  fault.flags = kFaultIommu;
  fault.level = 7;  // the CPU's tables have levels of their own
  EXPECT_TRUE(resets(1));
}

/// Every list of up to six inputs that can happen: an engine that is being reset takes no packets,
/// goes on only after one of the resets, and a stopped system does nothing.
void try_all(const Faults& before, std::array<bool, 2> resetting, bool adapter, int left,
             std::size_t& lists) {
  ++lists;
  for (std::uint32_t e = 0; e < 2; ++e) {
    const bool free = !resetting[e] && !adapter && !before.stopped();
    ASSERT_EQ(before.takes_packets({{e}}), free);
  }
  if (left == 0 || before.stopped()) return;
  for (std::uint32_t which = 0; which < 10; ++which) {
    const std::uint32_t e = which % 2;
    FaultInput input = AdapterResetDone{e == 0};
    if (which < 4) {
      PageFaultReport fault = report();
      fault.engine = {{e}};
      fault.flags = which < 2 ? kFaultEngineReset : kFaultAdapterReset;
      input = fault;
    } else if (which < 8) {
      if (!resetting[e]) continue;
      input = EngineResetDone{{{e}}, which < 6};
    } else if (!adapter) {
      continue;
    }
    Faults after = before;
    std::array<bool, 2> then = resetting;
    bool adapter_then = adapter;
    for (const FaultDecision& decision : after.tell(input)) {
      if (const auto* reset = std::get_if<ResetEngine>(&decision)) {
        ASSERT_FALSE(then[reset->engine.node.value]);
        then[reset->engine.node.value] = true;
      } else if (const auto* on = std::get_if<EngineGoesOn>(&decision)) {
        then[on->engine.node.value] = false;
      } else if (std::holds_alternative<ResetAdapter>(decision)) {
        ASSERT_FALSE(adapter_then);
        adapter_then = true;
      } else if (std::holds_alternative<AdapterGoesOn>(decision)) {
        adapter_then = false;
        then = {};
      }
    }
    try_all(after, then, adapter_then, left - 1, lists);
  }
}

TEST(PageFaultsExhaustive, EveryListOfSixInputs) {
  std::size_t lists = 0;
  try_all(Faults(), {}, false, 6, lists);
  EXPECT_GT(lists, 5'000u);
}

}  // namespace
}  // namespace wddm::gpuva
