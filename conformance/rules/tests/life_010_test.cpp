// Which refusals are no driver's fault.
#include <ntddk.h>

#include "conformance/rules/tests/trace_test.h"
#include "reference/trace/ddi.h"

namespace wddm::life_010 {
namespace {

constexpr std::uint32_t kSystemContext = 1;  // DXGK_CREATECONTEXTFLAGS

class Life010 : public TraceTest {
 protected:
  Life010() {
    platform_.has_client = platform_.has_caps = true;
    platform_.scheduling.value = 1;  // MultiEngineAware
  }
  void context(NTSTATUS status, std::uint32_t flags = 0, std::uint32_t whole = 0) {
    call(DdiId::CreateContext, status);
    add(ev::ContextCreated{
        .status = static_cast<std::uint32_t>(status), .flags = flags, .whole = whole});
  }
  void call(DdiId ddi, NTSTATUS status, NTSTATUS callback = STATUS_SUCCESS) {
    const auto id = static_cast<std::uint32_t>(ddi);
    add(ev::DdiEntered{.ddi = id});
    add(ev::CallbackCalled{.result = static_cast<std::uint32_t>(callback)});
    add(ev::DdiReturned{.ddi = id, .status = static_cast<std::uint32_t>(status)});
  }
  void rendered(NTSTATUS status, std::uint32_t hostile = 0) {
    add(ev::Rendered{.status = static_cast<std::uint32_t>(status), .hostile = hostile});
  }
  void started(NTSTATUS status, std::uint32_t gpu = 0) {
    add(ev::DeviceStarted{.physical_adapter = gpu, .status = static_cast<std::uint32_t>(status)});
  }
  bool holds() { return TraceTest::holds("LIFE-010"); }
};

TEST_F(Life010, TheFirstOfItsKindIsMade) {
  call(DdiId::CreateContext, STATUS_NO_MEMORY);
  EXPECT_FALSE(holds());
}
TEST_F(Life010, RoomMayBeForSoMany) {
  call(DdiId::CreateContext, STATUS_SUCCESS);
  call(DdiId::CreateContext, STATUS_NO_MEMORY);
  EXPECT_TRUE(holds());
}
TEST_F(Life010, ForAsManyProcessesAsThereHaveBeenThereIsRoom) {
  call(DdiId::CreateProcess, STATUS_SUCCESS);
  call(DdiId::DestroyProcess, STATUS_SUCCESS);
  call(DdiId::CreateProcess, STATUS_NO_MEMORY);
  EXPECT_FALSE(holds());
}
TEST_F(Life010, ForMoreThereNeedNotBe) {
  call(DdiId::CreateProcess, STATUS_SUCCESS);
  call(DdiId::CreateProcess, STATUS_NO_MEMORY);
  EXPECT_TRUE(holds());
}
TEST_F(Life010, AnotherMayNotBeCalledWrong) {
  call(DdiId::CreateContext, STATUS_SUCCESS);
  call(DdiId::CreateContext, STATUS_INVALID_PARAMETER);
  EXPECT_FALSE(holds());
}
TEST_F(Life010, ADriverMayWantTheDataThatItsClientHas) {
  context(STATUS_GRAPHICS_DRIVER_MISMATCH, 0, 16);
  EXPECT_TRUE(holds());
}
TEST_F(Life010, WhatItsClientDoesNotHaveItMayNot) {
  context(STATUS_GRAPHICS_DRIVER_MISMATCH);
  EXPECT_FALSE(holds());
}
TEST_F(Life010, AllocationsMayBeTooLarge) {
  call(DdiId::CreateAllocation, STATUS_SUCCESS);
  call(DdiId::CreateAllocation, STATUS_INVALID_PARAMETER);
  EXPECT_TRUE(holds());
}
TEST_F(Life010, OneInAnotherPlaceMayBeMadeInstead) {
  call(DdiId::CreateAllocation, STATUS_INVALID_PARAMETER);
  EXPECT_EQ(failures("LIFE-010"), 1u);
  call(DdiId::CreateAllocation, STATUS_SUCCESS);
  EXPECT_TRUE(holds());
}
TEST_F(Life010, WithoutAClientPrivateDataAreMissing) {
  platform_.has_client = false;
  context(STATUS_SUCCESS, kSystemContext);
  context(STATUS_INVALID_PARAMETER);
  call(DdiId::CreateAllocation, STATUS_INVALID_PARAMETER);
  EXPECT_TRUE(holds());
}
TEST_F(Life010, WithoutAClientTheSystemHasItsContexts) {
  platform_.has_client = false;
  context(STATUS_INVALID_PARAMETER, kSystemContext);
  EXPECT_EQ(failures("LIFE-010"), 1u);
}
TEST_F(Life010, WithAClientARefusedContextIsToldOnce) {
  context(STATUS_INVALID_PARAMETER);
  EXPECT_EQ(failures("LIFE-010"), 1u);
}
TEST_F(Life010, ACallbackThatFailsExcusesTheCall) {
  call(DdiId::CreateProcess, STATUS_NO_MEMORY, STATUS_NO_MEMORY);
  EXPECT_TRUE(holds());
  call(DdiId::CreateProcess, STATUS_NO_MEMORY);
  EXPECT_FALSE(holds());
}
TEST_F(Life010, ItDoesSoWhateverOtherThreadsEnter) {
  const auto id = static_cast<std::uint32_t>(DdiId::CreateProcess);
  const auto refused = static_cast<std::uint32_t>(STATUS_NO_MEMORY);
  add(ev::DdiEntered{.ddi = id});
  add(ev::CallbackCalled{.result = refused});
  thread_ = 1;
  call(DdiId::CreateDevice, STATUS_SUCCESS);
  call(DdiId::CreateContext, STATUS_NO_MEMORY);
  EXPECT_EQ(failures("LIFE-010"), 1u);  // the context's
  thread_ = 0;
  add(ev::DdiReturned{.ddi = id, .status = refused});
  EXPECT_EQ(failures("LIFE-010"), 1u);
}
TEST_F(Life010, ScenariosThatMakeCallsFailSayNothing) {
  op(OpKind::FailPool);
  call(DdiId::CreateContext, STATUS_NO_MEMORY);
  EXPECT_TRUE(holds());
}
TEST_F(Life010, CapabilitiesAreTold) {
  add(ev::CapsReported{.status = static_cast<std::uint32_t>(STATUS_NO_MEMORY)});
  EXPECT_TRUE(holds());
  add(ev::CapsReported{.status = static_cast<std::uint32_t>(STATUS_INVALID_PARAMETER)});
  EXPECT_FALSE(holds());
}
TEST_F(Life010, FencesAreTold) {
  add(ev::FenceQueried{.fence = 3});
  EXPECT_TRUE(holds());
  add(ev::FenceQueried{.status = static_cast<std::uint32_t>(STATUS_INVALID_PARAMETER)});
  EXPECT_FALSE(holds());
}
TEST_F(Life010, RenderRefusesHostileInputOnly) {
  context(STATUS_SUCCESS);
  rendered(STATUS_INVALID_USER_BUFFER, 1);
  EXPECT_TRUE(holds());
  rendered(STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER);
  EXPECT_TRUE(holds());
  rendered(STATUS_INVALID_USER_BUFFER);
  EXPECT_FALSE(holds());
}

TEST_F(Life010, ABufferOfLessThanWasAskedForMayBeTooSmall) {
  add(ev::ContextCreated{.context = 1, .dma_bytes = 4096, .patches = 16});
  const auto refuse = [this](std::uint32_t dma_bytes, std::uint32_t patches) {
    add(ev::RenderCalled{
        .context = 1, .command_bytes = 8, .dma_given = dma_bytes, .patches_given = patches});
    add(ev::Rendered{.status = static_cast<std::uint32_t>(STATUS_INVALID_PARAMETER),
                     .dma_given = dma_bytes,
                     .patches_given = patches});
  };
  refuse(64, 16);
  refuse(4096, 15);
  EXPECT_TRUE(holds());
  refuse(4096, 16);
  EXPECT_EQ(failures("LIFE-010"), 1u);
}

TEST_F(Life010, ACommandBufferOfNoBytesMayBeRefused) {
  const auto refused = [this](std::uint32_t render, std::uint32_t bytes) {
    add(ev::RenderCalled{.render = render, .command_bytes = bytes});
    add(ev::Rendered{.render = render,
                     .status = static_cast<std::uint32_t>(STATUS_INVALID_USER_BUFFER)});
  };
  add(ev::ContextCreated{.dma_bytes = 0, .patches = 0});
  refused(1, 0);
  EXPECT_TRUE(holds());
  refused(2, 8);
  EXPECT_FALSE(holds());
}

TEST_F(Life010, WhatWasAskedForIsThatOfTheCallsOwnContext) {
  add(ev::ContextCreated{.context = 1, .dma_bytes = 4096, .patches = 16});
  add(ev::ContextCreated{.context = 2, .dma_bytes = 64, .patches = 16});
  const auto called = [](std::uint32_t render) {
    return ev::RenderCalled{.render = render,
                            .context = render,
                            .command_bytes = 8,
                            .dma_given = 64,
                            .patches_given = 16};
  };
  add(called(1));
  thread_ = 1;
  add(called(2));
  thread_ = 0;
  const auto refused = [](std::uint32_t render) {
    return ev::Rendered{.render = render,
                        .status = static_cast<std::uint32_t>(STATUS_INVALID_PARAMETER),
                        .dma_given = 64,
                        .patches_given = 16};
  };
  add(refused(1));
  EXPECT_TRUE(holds());
  add(refused(2));
  EXPECT_FALSE(holds());
}

TEST_F(Life010, WithoutContextsABufferMayBeTooLargeForTheContract) {
  platform_.scheduling.value = 0;
  rendered(STATUS_INVALID_USER_BUFFER);
  EXPECT_TRUE(holds());
}

TEST_F(Life010, WhatHasStartedStartsAgain) {
  started(STATUS_SUCCESS);
  started(STATUS_SUCCESS);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("LIFE-010"), 2u);
  started(STATUS_DEVICE_CONFIGURATION_ERROR);
  EXPECT_FALSE(holds());
}

TEST_F(Life010, WhatWasMadeEnds) {
  constexpr DdiId kEnds[] = {DdiId::CloseAllocation, DdiId::DestroyAllocation,
                             DdiId::DestroyContext,  DdiId::DestroyDevice,
                             DdiId::StopDevice,      DdiId::RemoveDevice};
  for (const DdiId ddi : kEnds) call(ddi, STATUS_SUCCESS);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("LIFE-010"), std::size(kEnds));
  std::size_t refused = 0;
  for (const DdiId ddi : kEnds) {
    call(ddi, STATUS_INVALID_HANDLE);
    EXPECT_EQ(failures("LIFE-010"), ++refused);
  }
}
TEST_F(Life010, OfSeveralAllocationsAtOnceAnEndMayBeRefused) {
  for (const DdiId ddi : {DdiId::CloseAllocation, DdiId::DestroyAllocation}) {
    add(ev::DdiReturned{.ddi = static_cast<std::uint32_t>(ddi),
                        .object = kNone,
                        .status = static_cast<std::uint32_t>(STATUS_INVALID_PARAMETER)});
  }
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("LIFE-010"), 0u);
}
TEST_F(Life010, AnEndMayFailBehindWorkThatCameToNone) {
  add(ev::Stuck{});
  call(DdiId::DestroyContext, STATUS_DEVICE_BUSY);
  EXPECT_TRUE(holds());
}
TEST_F(Life010, SoItMayBehindTheRemovalOfTheDevice) {
  add(ev::SurpriseRemoved{});
  call(DdiId::StopDevice, STATUS_UNSUCCESSFUL);
  EXPECT_TRUE(holds());
}

TEST_F(Life010, AFirstStartMayFail) {
  started(STATUS_DEVICE_CONFIGURATION_ERROR);
  EXPECT_TRUE(holds());
  started(STATUS_SUCCESS);
  started(STATUS_INSUFFICIENT_RESOURCES);
  EXPECT_TRUE(holds());
}

TEST_F(Life010, EachGpuOfALinkHasAFirstStart) {
  started(STATUS_SUCCESS, 1);
  started(STATUS_DEVICE_CONFIGURATION_ERROR, 0);
  EXPECT_TRUE(holds());
  started(STATUS_DEVICE_CONFIGURATION_ERROR, 1);
  EXPECT_FALSE(holds());
}

TEST_F(Life010, AStartMayFailBehindWorkThatCameToNoEnd) {
  started(STATUS_SUCCESS);
  add(ev::Stuck{.packets = 1});
  started(STATUS_DEVICE_CONFIGURATION_ERROR);
  EXPECT_TRUE(holds());
}

TEST_F(Life010, AStartThatAsksForMoreMayFail) {
  started(STATUS_SUCCESS);
  op(OpKind::AnnounceQueue);
  started(STATUS_DEVICE_CONFIGURATION_ERROR);
  EXPECT_TRUE(holds());
}

class Life010BehindFailures : public Life010 {
 protected:
  void SetUp() override { add(ev::ContextCreated{}); }
  void renders(std::uint32_t render, NTSTATUS status) {
    add(ev::RenderCalled{.render = render, .command_bytes = 64});
    add(ev::Rendered{.render = render, .status = static_cast<std::uint32_t>(status)});
  }
};

TEST_F(Life010BehindFailures, RenderGoesOn) {
  renders(0, STATUS_SUCCESS);
  op(OpKind::FailPool);
  renders(1, STATUS_NO_MEMORY);
  renders(2, STATUS_INVALID_USER_BUFFER);
  EXPECT_FALSE(holds());
}
TEST_F(Life010BehindFailures, TheCallThatTheyAreForMayFail) {
  renders(0, STATUS_SUCCESS);
  op(OpKind::FailPool);
  renders(1, STATUS_INVALID_USER_BUFFER);
  renders(2, STATUS_SUCCESS);
  EXPECT_TRUE(holds());
}
TEST_F(Life010BehindFailures, AContextThatHasTranslatedNothingMayNotBeAllThere) {
  op(OpKind::FailPool);
  renders(0, STATUS_NO_MEMORY);
  renders(1, STATUS_INVALID_PARAMETER);
  EXPECT_TRUE(holds());
}
TEST_F(Life010BehindFailures, MemoryMayBeShortStill) {
  renders(0, STATUS_SUCCESS);
  op(OpKind::FailPool);
  renders(1, STATUS_NO_MEMORY);
  renders(2, STATUS_NO_MEMORY);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::life_010
