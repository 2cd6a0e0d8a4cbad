// Render and its elements, up to what the client is asked to translate.
#include "conformance/host/tests/play_fixture.h"

namespace wddm::host {
namespace {

/// A client that translates one command alone, and remembers what it was asked.
struct FakeClient {
  FakeClient() {
    g_client = this;
    table.size = sizeof(table);
    table.version = WDDM_CLIENT_VERSION;
    table.create = []() -> void* { return g_client; };
    table.destroy = [](void*) {};
    table.allocation_data = [](void*, const WddmAllocationRequest*, void*, std::uint32_t) {
      return 0;
    };
    table.build = [](void*, const WddmBuildRequest* request, WddmBuildResult*) {
      std::vector<std::uint32_t> kinds;
      for (std::uint32_t i = 0; i < request->command_count; ++i) {
        kinds.push_back(request->commands[i].kind);
      }
      if (kinds.size() > g_client->asked.size()) g_client->asked = kinds;
      return kinds.size() == 1 ? 0 : -1;
    };
  }
  ~FakeClient() { g_client = nullptr; }
  WddmClient table{};
  std::vector<std::uint32_t> asked;  ///< kinds of the commands, of the longest buffer
  static inline FakeClient* g_client = nullptr;
};

class RenderingOps : public PlayTest {
 protected:
  RenderingOps() { client = &user_mode.table; }
  FakeClient user_mode;
};

TEST_F(RenderingOps, ElementsBelongToTheRenderBeforeThem) {
  play({op(OpKind::CreateContext, 0), op(OpKind::Render, 0), op(OpKind::Spin, 0, 0, 0, 5),
        op(OpKind::Signal, 1)});
  ASSERT_GE(user_mode.asked.size(), 2u);
  EXPECT_EQ(user_mode.asked[0], std::uint32_t{WDDM_COMMAND_SPIN});
  EXPECT_EQ(user_mode.asked[1], std::uint32_t{WDDM_COMMAND_SIGNAL});
  EXPECT_EQ(skipped(), Calls{"render: the client has no counterpart for these commands: add"});
}

TEST_F(RenderingOps, ElementWithoutARenderIsNothing) {
  play({op(OpKind::CreateContext, 0), op(OpKind::Spin, 0, 0, 0, 5)});
  EXPECT_TRUE(user_mode.asked.empty());
}

TEST_F(RenderingOps, BindOfAnAllocationThatIsNotThereIsNoBind) {
  play({op(OpKind::CreateContext, 0), op(OpKind::Render, 0), op(OpKind::Bind, 1, 7),
        op(OpKind::Fill, 1), op(OpKind::Spin, 0, 0, 0, 5)});
  ASSERT_FALSE(user_mode.asked.empty());
  EXPECT_EQ(user_mode.asked[0], std::uint32_t{WDDM_COMMAND_SPIN});
}

TEST_F(RenderingOps, ClientThatHasNoPrivilegedCommandIsTheReasonThatNothingIsBuilt) {
  play({op(OpKind::CreateContext, 0), op(OpKind::CreateAllocation, 1), op(OpKind::Render, 0),
        op(OpKind::Spin, 0, 0, 0, 5), op(OpKind::Privileged, 1)});
  EXPECT_EQ(skipped(),
            Calls{"render: the client has no counterpart for these commands: privileged"});
}

TEST_F(RenderingOps, CommandsOfPatchListsHaveNoAddressToStrayFrom) {
  play({op(OpKind::CreateContext, 0), op(OpKind::Render, 0), op(OpKind::StrayCommands),
        op(OpKind::Spin, 0, 0, 0, 5)});
  ASSERT_FALSE(skipped().empty());
  EXPECT_EQ(skipped().front(),
            "stray_commands: with patch lists commands have no GPU virtual address");
}

TEST_F(RenderingOps, CommandsStandForOthersInSlotsThatTheDriverDoesNotReport) {
  driver.caps.MaxAllocationListSlotId = 0;
  user_mode.table.build = [](void*, const WddmBuildRequest*, WddmBuildResult*) { return -1; };
  play({op(OpKind::CreateContext, 0), op(OpKind::Render, 0), op(OpKind::Spin, 0, 0, 0, 5),
        op(OpKind::Signal, 1)});
  EXPECT_EQ(skipped(),
            Calls{"render: the client has no counterpart for these commands: add, signal, spin"});
}

TEST_F(RenderingOps, WhatAClientBuildsOneByOneAloneIsTooMuchForTheRoom) {
  user_mode.table.build = [](void*, const WddmBuildRequest* request, WddmBuildResult* result) {
    if (request->command_count > 3) return -1;
    result->command_bytes = 64;
    result->allocation_count = result->patch_count = 0;
    return 0;
  };
  play({op(OpKind::CreateContext, 0), op(OpKind::Render, 0), op(OpKind::Spin, 0, 0, 0, 5),
        op(OpKind::Signal, 1)});
  EXPECT_EQ(skipped(),
            Calls{"render: the client does not build so many commands in the room that the driver "
                  "asks for (DmaBufferSize, AllocationListSize, PatchLocationListSize)"});
}

TEST_F(RenderingOps, DriverWithoutRenderIsTheReason) {
  driver.table.DxgkDdiRender = nullptr;
  play({op(OpKind::CreateContext, 0), op(OpKind::Render, 0), op(OpKind::Spin, 0, 0, 0, 5)});
  EXPECT_EQ(skipped(), Calls{std::string("render: ") + ddi_info(DdiId::Render).absence});
  EXPECT_TRUE(user_mode.asked.empty());
}

TEST_F(RenderingOps, SegmentsThatAreNoAperturesAreTheReason) {
  driver.dma_segments = 1;
  play({op(OpKind::CreateContext, 0), op(OpKind::Render, 0), op(OpKind::Spin, 0, 0, 0, 5)});
  EXPECT_EQ(skipped(), Calls{"render: not hosted: DMA buffers in segments that are no apertures "
                             "(DmaBufferSegmentSet)"});
  EXPECT_TRUE(user_mode.asked.empty());
}

TEST_F(RenderingOps, TimeIsSpentWithAsManyCopiesAsFit) {
  user_mode.table.build = [](void*, const WddmBuildRequest* request, WddmBuildResult* result) {
    constexpr std::uint32_t kBytes = 100, kMostOfFakeDriver = 4096;
    const bool asks = result->command_bytes > request->dma_buffer_bytes;
    EXPECT_EQ(request->dma_buffer_bytes, kMostOfFakeDriver);
    if (request->command_count * kBytes > result->command_bytes) return -1;
    FakeClient::g_client->asked.clear();
    for (std::uint32_t i = 0; i < request->command_count; ++i) {
      const std::uint32_t kind = request->commands[i].kind;
      if (kind > WDDM_COMMAND_UNBIND && kind != WDDM_COMMAND_COPY) return -1;
      if (!asks) FakeClient::g_client->asked.push_back(kind);
    }
    result->command_bytes = request->command_count * kBytes;
    result->allocation_count = result->patch_count = 0;
    return 0;
  };
  play({op(OpKind::CreateContext, 0), op(OpKind::Render, 0), op(OpKind::Spin, 0, 0, 0, 200)});
  const auto copies =
      std::count(user_mode.asked.begin(), user_mode.asked.end(), std::uint32_t{WDDM_COMMAND_COPY});
  EXPECT_GT(copies, 16) << "half as many would have been too few";
  EXPECT_LE(copies, 40) << "4096 bytes hold no more";
}

// It takes one copy alone, by which a client is asked whether it has copies.
TEST_F(RenderingOps, WhatTheCpuWritesForMarkersIsContentToBringIn) {
  user_mode.table.build = [](void*, const WddmBuildRequest* request, WddmBuildResult* result) {
    const bool copies =
        request->command_count == 3 && request->commands[1].kind == WDDM_COMMAND_COPY;
    result->command_bytes = result->allocation_count = result->patch_count = 0;
    return copies ? 0 : -1;
  };
  auto content = vidmm::Content::None;
  on_machine([&](World& world) {
    ASSERT_NO_FATAL_FAILURE(begin(world));
    ASSERT_TRUE(world.objects.contexts().create(ContextId{0}, kFirstDevice, EngineId{}));
    world.render_path.begin_adapter();
    ASSERT_TRUE(world.residency.vidmm().exists(kMarkerAllocation));
    EXPECT_EQ(world.residency.vidmm().allocation(kMarkerAllocation).content, content);
    world.render_path.begin(op(OpKind::Render, 0));
    world.render_path.element(op(OpKind::Spin, 0, 0, 0, 5));
    EXPECT_TRUE(world.render_path.flush());
    content = world.residency.vidmm().allocation(kMarkerAllocation).content;
  });
  EXPECT_EQ(content, vidmm::Content::System);
}

// The marker allocation is open on the first device alone.
TEST_F(RenderingOps, AnotherDeviceGetsPatternsOfItsOwn) {
  user_mode.table.build = [](void*, const WddmBuildRequest* request, WddmBuildResult* result) {
    result->command_bytes = result->allocation_count = result->patch_count = 0;
    for (std::uint32_t i = 0; i < request->command_count; ++i) {
      const std::uint32_t kind = request->commands[i].kind;
      if (kind > WDDM_COMMAND_UNBIND && kind != WDDM_COMMAND_COPY) return -1;
    }
    return 0;
  };
  constexpr DeviceId kSecond{1};
  constexpr AllocationId kPatterns{kSlots - 1};
  on_machine([&](World& world) {
    ASSERT_NO_FATAL_FAILURE(begin(world));
    ASSERT_TRUE(world.objects.create_device(kSecond));
    ASSERT_TRUE(world.objects.contexts().create(ContextId{0}, kSecond, EngineId{}));
    world.render_path.begin_adapter();
    world.render_path.begin(op(OpKind::Render, 0));
    world.render_path.element(op(OpKind::Spin, 0, 0, 0, 5));
    EXPECT_TRUE(world.render_path.flush());
    EXPECT_NE(world.objects.handle_on(kSecond, kPatterns), nullptr);
    ASSERT_TRUE(world.residency.vidmm().exists(kPatterns));
    EXPECT_EQ(world.residency.vidmm().allocation(kPatterns).content, vidmm::Content::System);

    world.residency.instances().renamed(AllocationId{0}, AllocationId{1});
    world.render_path.begin(op(OpKind::Render, 0));
    world.render_path.element(op(OpKind::Spin, 0, 0, 0, 5));
    EXPECT_TRUE(world.render_path.flush());
    EXPECT_FALSE(world.objects.allocation(AllocationId{kSlots - 2}).live) << "it has them already";
  });
}

}  // namespace
}  // namespace wddm::host
