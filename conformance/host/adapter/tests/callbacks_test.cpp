// What the driver's calls of Dxgkrnl come to: the judgement of the handle, refusals, and the
// failures that a scenario asks for.
#include "conformance/host/tests/host_fixture.h"

namespace wddm::host {
namespace {

class CallbacksTest : public HostTest {
 protected:
  /// A running adapter with a BAR of 8192 bytes.
  template <class Body>
  void with_adapter(Body body) {
    device = &gpu_.table;
    on_machine([&](World& world) {
      ASSERT_NO_FATAL_FAILURE(begin(world));
      body(world);
    });
  }
  /// The calls of one callback, in order.
  std::vector<ev::CallbackCalled> calls_of(CallbackId id) const {
    std::vector<ev::CallbackCalled> all;
    for (const ev::CallbackCalled& call : seen<ev::CallbackCalled>()) {
      if (call.callback == static_cast<std::uint32_t>(id)) all.push_back(call);
    }
    return all;
  }
  NTSTATUS map(std::uint64_t address, ULONG bytes, PVOID* mapped) {
    PHYSICAL_ADDRESS place{};
    place.QuadPart = static_cast<LONGLONG>(address);
    return driver.callbacks.DxgkCbMapMemory(driver.device_handle, place, bytes, FALSE, FALSE,
                                            MmNonCached, mapped);
  }

 private:
  FakeDevice gpu_;
};

TEST_F(CallbacksTest, HandleIsJudged) {
  with_adapter([&](World& world) {
    DXGK_DEVICE_INFO info{};
    const auto ask = driver.callbacks.DxgkCbGetDeviceInformation;
    EXPECT_EQ(ask(driver.device_handle, &info), STATUS_SUCCESS);
    EXPECT_EQ(ask(nullptr, &info), STATUS_SUCCESS);
    EXPECT_EQ(ask(world.adapter.miniport(), &info), STATUS_SUCCESS);
    EXPECT_EQ(info.MiniportDeviceContext, world.adapter.miniport());
  });

  const auto calls = calls_of(CallbackId::GetDeviceInformation);
  ASSERT_EQ(calls.size(), 3u);
  EXPECT_EQ(calls[0].handle, 0u);
  EXPECT_EQ(calls[1].handle, 1u);
  EXPECT_EQ(calls[2].handle, 2u);
  EXPECT_EQ(calls[0].started, 1u);
}

TEST_F(CallbacksTest, CallsAfterStopAreSeenAsSuch) {
  with_adapter([&](World& world) {
    DXGK_DEVICE_INFO info{};
    world.adapter.tear_down(Adapter::Stage::Added);
    driver.callbacks.DxgkCbGetDeviceInformation(driver.device_handle, &info);
  });
  EXPECT_EQ(calls_of(CallbackId::GetDeviceInformation).at(0).started, 0u);
}

TEST_F(CallbacksTest, ScenarioMakesTheSecondMappingFail) {
  with_adapter([&](World& world) {
    const std::uint64_t bar = world.bus.bars()[0].bus_address;
    session().callback_failure.arm(FallibleCallback::MapMemory, 2, false);
    PVOID mapped = nullptr;
    EXPECT_EQ(map(bar, 4096, &mapped), STATUS_SUCCESS);
    EXPECT_NE(mapped, nullptr);
    PVOID untouched = nullptr;
    EXPECT_EQ(map(bar, 4096, &untouched), STATUS_UNSUCCESSFUL);
    EXPECT_EQ(untouched, nullptr);
    EXPECT_EQ(driver.callbacks.DxgkCbUnmapMemory(driver.device_handle, mapped), STATUS_SUCCESS);
  });
  const auto calls = calls_of(CallbackId::MapMemory);
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[1].result, static_cast<std::uint32_t>(STATUS_UNSUCCESSFUL));
}

TEST_F(CallbacksTest, MemoryIsNotInIoSpace) {
  with_adapter([&](World& world) {
    PHYSICAL_ADDRESS bar{};
    bar.QuadPart = static_cast<LONGLONG>(world.bus.bars()[0].bus_address);
    PVOID mapped = nullptr;
    driver.callbacks.DxgkCbMapMemory(driver.device_handle, bar, 4096, TRUE, FALSE, MmNonCached,
                                     &mapped);
    driver.callbacks.DxgkCbUnmapMemory(driver.device_handle, mapped);
  });
  const auto findings = seen<ev::Finding>();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, static_cast<std::uint32_t>(nt::FindingKind::BadParameter));
}

TEST_F(CallbacksTest, AddressesWhereNothingAnswersAreNotMapped) {
  with_adapter([&](World&) {
    PVOID mapped = this;
    EXPECT_EQ(map(0xffff'0000'0000, 4096, &mapped), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(mapped, nullptr);
  });
}

TEST_F(CallbacksTest, UnmappingWhatIsNotMappedIsAFinding) {
  with_adapter([&](World&) {
    int place = 0;
    EXPECT_EQ(driver.callbacks.DxgkCbUnmapMemory(driver.device_handle, &place),
              STATUS_INVALID_PARAMETER);
  });
  const auto findings = seen<ev::Finding>();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, static_cast<std::uint32_t>(nt::FindingKind::BadParameter));
}

TEST_F(CallbacksTest, ConfigurationSpaceShowsTheIdentity) {
  with_adapter([&](World&) {
    std::uint16_t identity[2] = {};
    ULONG read = 0;
    EXPECT_EQ(driver.callbacks.DxgkCbReadDeviceSpace(driver.device_handle, PCI_WHICHSPACE_CONFIG,
                                                     identity, 0, sizeof(identity), &read),
              STATUS_SUCCESS);
    EXPECT_EQ(read, sizeof(identity));
    EXPECT_EQ(identity[0], 0x1234);
    EXPECT_EQ(identity[1], 0x5678);
    EXPECT_EQ(driver.callbacks.DxgkCbReadDeviceSpace(driver.device_handle, PCI_WHICHSPACE_ROM,
                                                     identity, 0, 2, &read),
              STATUS_INVALID_PARAMETER);
  });
}

TEST_F(CallbacksTest, CallAboveItsLevelIsAFinding) {
  with_adapter([&](World&) {
    DXGK_DEVICE_INFO info{};
    const nt::DriverCall call("a test", nt::kDispatch);
    driver.callbacks.DxgkCbGetDeviceInformation(driver.device_handle, &info);
  });
  const auto findings = seen<ev::Finding>();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, static_cast<std::uint32_t>(nt::FindingKind::IrqlTooHigh));
}

TEST_F(CallbacksTest, RoutineRunsSynchronizedAndItsResultComesBack) {
  with_adapter([&](World&) {
    BOOLEAN result = FALSE;
    int level = 0;
    EXPECT_EQ(driver.callbacks.DxgkCbSynchronizeExecution(
                  driver.device_handle,
                  [](PVOID context) -> BOOLEAN {
                    *static_cast<int*>(context) = nt::irql();
                    return TRUE;
                  },
                  &level, 0, &result),
              STATUS_SUCCESS);
    EXPECT_EQ(level, nt::kDirql);
    EXPECT_TRUE(result);
  });
  EXPECT_EQ(seen<ev::SyncLeft>().at(0).result, 1u);
}

TEST_F(CallbacksTest, QueuedDpcsMerge) {
  with_adapter([&](World&) {
    driver.calls.clear();
    nt::hold_dpcs(true);
    EXPECT_TRUE(driver.callbacks.DxgkCbQueueDpc(driver.device_handle));
    EXPECT_FALSE(driver.callbacks.DxgkCbQueueDpc(driver.device_handle));
    nt::hold_dpcs(false);
    nt::settle();
    EXPECT_EQ(driver.calls, Calls{"DpcRoutine"});
  });
  EXPECT_EQ(seen<ev::DpcEntered>().at(0).merged, 2u);
}

TEST_F(CallbacksTest, DataOfAHandleThatNamesNothingIsNull) {
  with_adapter([&](World&) {
    DXGKARGCB_GETHANDLEDATA args{};
    args.hObject = 0x60000040;
    args.Type = DXGK_HANDLE_ALLOCATION;
    EXPECT_EQ(driver.callbacks.DxgkCbGetHandleData(&args), nullptr);
  });
  EXPECT_EQ(calls_of(CallbackId::GetHandleData).at(0).result,
            static_cast<std::uint32_t>(STATUS_INVALID_HANDLE));
}

TEST_F(CallbacksTest, TheHandleCountsWhereTheAnswerIsNo) {
  with_adapter([&](World&) {
    int other = 0;
    driver.callbacks.DxgkCbSetPowerComponentIdle(driver.device_handle, 0);
    driver.callbacks.DxgkCbSetPowerComponentIdle(&other, 0);
  });
  const auto calls = calls_of(CallbackId::SetPowerComponentIdle);
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0].handle, 0u);
  EXPECT_EQ(calls[1].handle, 1u);
}

TEST_F(CallbacksTest, MemoryBehindAnIommuIsCountedAndGoesByItsHandle) {
  with_adapter([&](World& world) {
    const DXGKRNL_INTERFACE& dxgkrnl = driver.callbacks;
    DXGKARGCB_ALLOCATECONTIGUOUSMEMORY blocks[2]{};
    for (auto& block : blocks) {
      block.NumberOfBytes = 3 * PAGE_SIZE;
      block.HighestAcceptableAddress.QuadPart = -1;
      EXPECT_EQ(dxgkrnl.DxgkCbAllocateContiguousMemory(driver.device_handle, &block),
                STATUS_SUCCESS);
      EXPECT_NE(block.pMemory, nullptr);
    }
    DXGKARGCB_ALLOCATEPAGESFORMDL pages{};
    pages.HighAddress.QuadPart = -1;
    pages.TotalBytes = 2 * PAGE_SIZE;
    EXPECT_EQ(dxgkrnl.DxgkCbAllocatePagesForMdl(driver.device_handle, &pages), STATUS_SUCCESS);
    EXPECT_EQ(MmGetMdlByteCount(pages.pMdl), 2u * PAGE_SIZE);

    const DXGKARGCB_FREECONTIGUOUSMEMORY first{blocks[0].hMemoryHandle};
    const DXGKARGCB_FREEPAGESFROMMDL mdl{pages.hMemoryHandle};
    EXPECT_EQ(dxgkrnl.DxgkCbFreeContiguousMemory(driver.device_handle, &first), STATUS_SUCCESS);
    EXPECT_EQ(dxgkrnl.DxgkCbFreePagesFromMdl(driver.device_handle, &mdl), STATUS_SUCCESS);
    EXPECT_EQ(dxgkrnl.DxgkCbFreeContiguousMemory(driver.device_handle, &first),
              STATUS_INVALID_PARAMETER);
    world.adapter.tear_down(Adapter::Stage::Added);
  });

  const auto balance = seen<ev::IsolatedMemoryBalance>();
  ASSERT_EQ(balance.size(), 1u);
  EXPECT_EQ(balance[0].blocks, 2u);
  EXPECT_EQ(balance[0].blocks_freed, 1u);
  EXPECT_EQ(balance[0].mdls, 1u);
  EXPECT_EQ(balance[0].mdls_freed, 1u);
}

TEST_F(CallbacksTest, WhatThisHostDoesNotOfferRefusesPolitely) {
  with_adapter([&](World&) {
    ASSERT_NE(driver.callbacks.DxgkCbExcludeAdapterAccess, nullptr);
    EXPECT_EQ(
        driver.callbacks.DxgkCbExcludeAdapterAccess(driver.device_handle, 0, nullptr, nullptr),
        STATUS_NOT_SUPPORTED);
  });
  EXPECT_EQ(calls_of(CallbackId::ExcludeAdapterAccess).at(0).result,
            static_cast<std::uint32_t>(STATUS_NOT_SUPPORTED));
}

TEST_F(CallbacksTest, AContextAllocationThatIsNoneHasNoAddress) {
  with_adapter([&](World&) {
    EXPECT_EQ(driver.callbacks.DxgkCbMapContextAllocation(driver.device_handle, nullptr), 0u);
    DXGKARGCB_MAPCONTEXTALLOCATION args{};
    args.SizeInPages = 1;
    EXPECT_EQ(driver.callbacks.DxgkCbMapContextAllocation(driver.device_handle, &args), 0u);
  });
  const auto calls = calls_of(CallbackId::MapContextAllocation);
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0].result, static_cast<std::uint32_t>(STATUS_INVALID_PARAMETER));
  EXPECT_EQ(calls[1].result, static_cast<std::uint32_t>(STATUS_INVALID_HANDLE));
}

}  // namespace
}  // namespace wddm::host
