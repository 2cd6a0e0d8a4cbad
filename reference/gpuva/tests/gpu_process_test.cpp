// Processes, devices, contexts and roots, one clause a test.
#include "reference/gpuva/gpu_process.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <set>
#include <vector>

namespace wddm::gpuva {
namespace {

using Decisions = std::vector<ProcessDecision>;
constexpr ProcessId kSystem{0};
constexpr ProcessId kA{1};
constexpr ProcessId kB{2};
constexpr ContextId kSystemContext{0};
constexpr ContextId kFirst{1};
constexpr ContextId kSecond{2};
constexpr ContextId kOfB{3};

struct World : Processes {
  explicit World(const ProcessConfig& config = {.nodes = 3}) : Processes(config) {}

  Decisions tell(const ProcessInput& input) {
    const auto decisions = step(input);
    validate();
    return {decisions.begin(), decisions.end()};
  }
  Decisions create(ProcessId process, std::uint64_t handle, bool system = false) {
    (void)tell(BeginCreateProcess{process, system, {}});
    return tell(EndCreateProcess{true, {handle}});
  }
  Decisions context(ContextId context, DeviceId device, std::uint32_t companion = 0) {
    return tell(CreateContext{.context = context, .device = device, .companion_node = companion});
  }
  /// The system, and process A with a device of the same number.
  void start() {
    (void)tell(EnterD0{});
    (void)create(kSystem, 1, true);
    (void)tell(CreateDevice{{0}, kSystem});
    (void)context(kSystemContext, {0});
    (void)create(kA, 2);
    (void)tell(CreateDevice{{1}, kA});
  }
  /// Also two contexts of A with their root, and one of B.
  void start_contexts() {
    start();
    (void)context(kFirst, {1});
    (void)context(kSecond, {1});
    (void)create(kB, 3);
    (void)tell(CreateDevice{{2}, kB});
    (void)context(kOfB, {2});
    for (const ProcessId process : {kSystem, kA, kB}) {
      (void)tell(RootReady{application_space(process)});
    }
    for (const ContextId id : {kSystemContext, kFirst, kSecond, kOfB}) (void)tell(RootSet{id});
  }
};

TEST(Processes, PROC_004_TheSystemProcessComesFirst) {
  World world;
  EXPECT_FALSE(world.may_create(kSystem, true));
  EXPECT_EQ(world.tell(EnterD0{}), Decisions{CreateSystemProcess{}});
  EXPECT_FALSE(world.may_create(kA, false));
  EXPECT_TRUE(world.may_create(kSystem, true));
  (void)world.create(kSystem, 1, true);
  EXPECT_FALSE(world.may_create(kA, true));
  EXPECT_TRUE(world.may_create(kA, false));
}

TEST(Processes, PROC_004_ThePagingTablesFollowTheSystemContext) {
  World world;
  (void)world.tell(EnterD0{});
  (void)world.create(kSystem, 1, true);
  EXPECT_EQ(world.tell(CreateDevice{{0}, kSystem}), Decisions{});
  EXPECT_EQ(world.context(kSystemContext, {0}), Decisions{InitialisePagingTables{}});
  EXPECT_EQ(world.context(kFirst, {0}), Decisions{});
}

TEST(Processes, PROC_004_AllIsInitialisedAgainAfterMemoryWasLost) {
  World world;
  world.start_contexts();
  ASSERT_TRUE(world.may_submit(kFirst));
  (void)world.tell(LoseMemory{});
  EXPECT_FALSE(world.may_submit(kFirst));
  EXPECT_EQ(world.tell(EnterD0{}), Decisions{InitialisePagingTables{}});
  EXPECT_FALSE(world.may_submit(kFirst));
  EXPECT_EQ(world.tell(RootReady{World::application_space(kB)}),
            (Decisions{SetRoot{kOfB, World::application_space(kB)}}));
}

TEST(Processes, PROC_001_HandlesAreUnique) {
  World world;
  world.start();
  EXPECT_EQ(world.create(kB, 2)[0], ProcessDecision{DriverFault{ProcessFault::HandleInUse}});
}

TEST(Processes, PROC_001_AHandleMayComeBackAfterItsProcess) {
  World world;
  world.start();
  (void)world.tell(DestroyDevice{{1}});
  (void)world.tell(DestroyProcess{kA});
  EXPECT_EQ(world.create(kB, 2), (Decisions{CreateSpace{World::application_space(kB), false}}));
}

TEST(Processes, PROC_001_NoHandleIsAWarning) {
  World world;
  world.start();
  EXPECT_EQ(world.create(kB, 0)[0], ProcessDecision{DriverFault{ProcessFault::NullHandle}});
  EXPECT_TRUE(world.exists(kB));
}

TEST(Processes, PROC_001_AFailedCreationLeavesNothing) {
  World world;
  world.start();
  (void)world.tell(BeginCreateProcess{kB, false, {}});
  EXPECT_EQ(world.tell(EndCreateProcess{}), Decisions{});
  EXPECT_FALSE(world.exists(kB));
  EXPECT_TRUE(world.may_create(kB, false));
}

TEST(Processes, PROC_002_TheDriverReservesInsideCreateProcess) {
  World world;
  world.start();
  const DriverReserves for_b{true, kB};
  EXPECT_EQ(world.tell(for_b), Decisions{DriverFault{ProcessFault::ReservedOutside}});
  (void)world.tell(BeginCreateProcess{kB, false, {}});
  EXPECT_EQ(world.tell(for_b), Decisions{AllowReservation{kB}});
  (void)world.tell(EndCreateProcess{true, {3}});
  EXPECT_EQ(world.tell(for_b), Decisions{DriverFault{ProcessFault::ReservedOutside}});
}

TEST(Processes, PROC_002_ForTheProcessOfTheCallOnly) {
  World world;
  world.start();
  (void)world.tell(BeginCreateProcess{kB, false, {}});
  const Decisions wrong{DriverFault{ProcessFault::ReservedForAnother}};
  EXPECT_EQ(world.tell(DriverReserves{true, kA}), wrong);
  EXPECT_EQ(world.tell(DriverReserves{}), wrong);
}

TEST(Processes, PROC_002_AlsoForTheSystemProcess) {
  World world;
  (void)world.tell(EnterD0{});
  (void)world.tell(BeginCreateProcess{kSystem, true, {}});
  EXPECT_EQ(world.tell(DriverReserves{true, kSystem}), Decisions{AllowReservation{kSystem}});
}

TEST(Processes, PROC_005_ContextsBeforeDevicesBeforeProcesses) {
  World world;
  world.start();
  (void)world.context(kFirst, {1});
  EXPECT_FALSE(world.may_destroy(kA));
  EXPECT_FALSE(world.may_destroy(DeviceId{1}));
  (void)world.tell(DestroyContext{kFirst});
  (void)world.tell(DestroyDevice{{1}});
  EXPECT_EQ(world.tell(DestroyProcess{kA}), Decisions{DestroySpace{World::application_space(kA)}});
}

TEST(Processes, PROC_005_AContextWithPacketsStays) {
  World world;
  world.start_contexts();
  (void)world.tell(SubmitPacket{kFirst});
  EXPECT_FALSE(world.may_destroy(kFirst));
  (void)world.tell(EndPacket{kFirst});
  EXPECT_TRUE(world.may_destroy(kFirst));
}

TEST(Processes, VA_001_EachProcessHasItsOwnSpace) {
  EXPECT_NE(World::application_space(kA), World::application_space(kB));
  EXPECT_NE(World::privileged_space(kA), World::application_space(kB));
  World world;
  world.start();
  EXPECT_EQ(world.create(kB, 3), (Decisions{CreateSpace{World::application_space(kB), false}}));
}

TEST(Processes, ROOT_004_NoPacketBeforeTheRootIsSet) {
  World world;
  world.start();
  EXPECT_EQ(world.context(kFirst, {1}), Decisions{});
  EXPECT_FALSE(world.may_submit(kFirst));
  EXPECT_FALSE(world.may_set_root(kFirst));
  const Decisions set{SetRoot{kFirst, World::application_space(kA)}};
  EXPECT_EQ(world.tell(RootReady{World::application_space(kA)}), set);
  EXPECT_FALSE(world.may_submit(kFirst));
  (void)world.tell(RootSet{kFirst});
  EXPECT_TRUE(world.may_submit(kFirst));
}

TEST(Processes, ROOT_004_AContextWithoutVirtualAddressingNeedsNone) {
  World world;
  world.start();
  (void)world.tell(CreateContext{.context = kFirst, .device = {1}, .virtual_addressing = false});
  EXPECT_TRUE(world.may_submit(kFirst));
  EXPECT_EQ(world.tell(RootReady{World::application_space(kA)}), Decisions{});
}

TEST(Processes, ROOT_009_AllContextsOfTheSpaceAreSetAgain) {
  World world;
  world.start_contexts();
  const auto space = World::application_space(kA);
  EXPECT_EQ(world.tell(RootReady{space}),
            (Decisions{SetRoot{kFirst, space}, SetRoot{kSecond, space}}));
  EXPECT_FALSE(world.may_submit(kFirst));
  EXPECT_TRUE(world.may_submit(kOfB));
  (void)world.tell(RootSet{kFirst});
  EXPECT_TRUE(world.may_submit(kFirst));
  EXPECT_FALSE(world.may_submit(kSecond));
}

TEST(Processes, ROOT_012_TheRootIsSetWhenTheContextIsIdle) {
  World world;
  world.start_contexts();
  const auto space = World::application_space(kA);
  (void)world.tell(SubmitPacket{kFirst});
  EXPECT_EQ(world.tell(RootReady{space}), (Decisions{SetRoot{kSecond, space}}));
  EXPECT_FALSE(world.may_submit(kFirst));
  EXPECT_FALSE(world.may_set_root(kFirst));
  EXPECT_EQ(world.tell(EndPacket{kFirst}), (Decisions{SetRoot{kFirst, space}}));
}

TEST(Processes, VA_009_TheCompanionRunsOnTheDriversNode) {
  World world;
  world.start();
  (void)world.context(kFirst, {1}, 2);
  const auto space = World::privileged_space(kA);
  EXPECT_EQ(world.tell(UseCompanion{kFirst}),
            (Decisions{CreateSpace{space, true}, CreateCompanion{kFirst, {2}, space}}));
  EXPECT_EQ(world.tell(UseCompanion{kFirst}), Decisions{});
}

TEST(Processes, VA_009_ThePrivilegedSpaceIsMadeOnce) {
  World world;
  world.start();
  (void)world.context(kFirst, {1}, 2);
  const auto space = World::privileged_space(kA);
  EXPECT_EQ(world.tell(UseReservations{kA}), (Decisions{CreateSpace{space, true}}));
  EXPECT_EQ(world.tell(UseReservations{kA}), Decisions{});
  EXPECT_EQ(world.tell(UseCompanion{kFirst}), (Decisions{CreateCompanion{kFirst, {2}, space}}));
}

TEST(Processes, VA_009_TheCompanionsNodeExists) {
  World world;
  world.start();
  (void)world.context(kFirst, {1}, 3);
  EXPECT_EQ(world.tell(UseCompanion{kFirst}),
            Decisions{DriverFault{ProcessFault::NoSuchCompanionNode}});
}

TEST(Processes, PROC_006_OnePasidForEachPhysicalAdapter) {
  World world({.nodes = 1, .physical_adapters = 2, .iommu = true});
  (void)world.tell(EnterD0{});
  std::array<std::uint32_t, 2> pasids{7, 9};
  (void)world.tell(BeginCreateProcess{kSystem, true, pasids});
  EXPECT_EQ(world.tell(EndCreateProcess{true, {1}}), Decisions{});
  pasids = {0, 0};
  EXPECT_EQ(world.pasid(kSystem, 0), 7u);
  EXPECT_EQ(world.pasid(kSystem, 1), 9u);
}

TEST(Processes, PROC_006_WithoutAnIommuThereIsNone) {
  World world;
  world.start();
  EXPECT_EQ(world.pasid(kA, 0), std::nullopt);
}

TEST(Processes, PROC_006_SharedAddressesNeedNoRoot) {
  World world({.nodes = 1, .physical_adapters = 1, .iommu = true});
  (void)world.tell(EnterD0{});
  const std::array<std::uint32_t, 1> pasid{7};
  (void)world.tell(BeginCreateProcess{kSystem, true, pasid});
  (void)world.tell(EndCreateProcess{true, {1}});
  (void)world.tell(CreateDevice{{0}, kSystem});
  (void)world.context(kSystemContext, {0});
  EXPECT_TRUE(world.may_submit(kSystemContext));
}

RC_GTEST_PROP(ProcessesProperty, NoContextRunsWithAnotherRootThanThePresent, ()) {
  World world;
  world.start_contexts();
  // What the driver was told last, and which root is the present one; both count moves.
  std::array<std::uint64_t, 4> told{};
  std::array<std::uint64_t, 3> present{};
  std::array<std::uint32_t, 4> packets{};
  const auto owner = [](std::uint32_t context) {
    return context == 0 ? 0u : context == 3 ? 2u : 1u;
  };
  const auto inputs = *rc::gen::inRange(0, 80);
  for (int i = 0; i < inputs; ++i) {
    const auto context = *rc::gen::inRange<std::uint32_t>(0, 4);
    const ContextId id{context};
    switch (*rc::gen::inRange(0, 4)) {
      case 0: {
        ++present[owner(context)];
        (void)world.tell(RootReady{World::application_space({owner(context)})});
        break;
      }
      case 1:
        if (!world.may_set_root(id)) break;
        RC_ASSERT(packets[context] == 0);
        told[context] = present[owner(context)];
        (void)world.tell(RootSet{id});
        break;
      case 2:
        RC_ASSERT(world.may_submit(id) == (told[context] == present[owner(context)]));
        if (!world.may_submit(id)) break;
        ++packets[context];
        (void)world.tell(SubmitPacket{id});
        break;
      default:
        if (packets[context] == 0) break;
        --packets[context];
        (void)world.tell(EndPacket{id});
    }
  }
}

}  // namespace
}  // namespace wddm::gpuva
