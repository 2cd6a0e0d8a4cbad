// What is asked of a driver that says it has a GPU MMU, and what is made of its answers.
#include "conformance/host/adapter/gpummu_query.h"

#include "conformance/host/tests/host_fixture.h"

namespace wddm::host {
namespace {

class GpuMmuQuery : public HostTest {
 protected:
  /// Brings the adapter up and looks at what it then knows.
  template <class Look>
  void when_running(Look look) {
    on_machine([&](World& world) {
      ASSERT_NO_FATAL_FAILURE(begin(world));
      look(world);
    });
  }
};

TEST_F(GpuMmuQuery, DriversWithPatchListsAreNotAsked) {
  when_running([](World& world) { EXPECT_FALSE(world.adapter.gpummu()); });
  EXPECT_TRUE(seen<ev::GpuMmuReported>().empty());
  EXPECT_TRUE(driver.processes.empty());
}

// The page tables are the CPU's then.
TEST_F(GpuMmuQuery, DriversOfAnIoMmuAloneAreNotAsked) {
  driver.caps.MemoryManagementCaps.VirtualAddressingSupported = 1;
  driver.caps.MemoryManagementCaps.IoMmuSupported = 1;
  when_running([](World& world) {
    EXPECT_TRUE(world.adapter.io_mmu_alone());
    ASSERT_TRUE(world.adapter.gpummu());
    EXPECT_EQ(world.adapter.gpummu()->geometry->space_bytes(), std::uint64_t{1} << 48);
  });
  EXPECT_TRUE(seen<ev::GpuMmuReported>().empty());
  EXPECT_TRUE(seen<ev::RootSizeReported>().empty());
  ASSERT_EQ(driver.processes.size(), 2u);
  EXPECT_EQ(driver.processes[1].NumPasid, 1u);
}

TEST_F(GpuMmuQuery, TheFirstAnswersCount) {
  driver.use_gpu_mmu();
  when_running([](World& world) {
    ASSERT_TRUE(world.adapter.gpummu());
    ASSERT_TRUE(world.adapter.gpummu()->geometry);
    EXPECT_EQ(world.adapter.gpummu()->geometry->space_bytes(), 1u << 25);
  });
  const auto caps = seen<ev::GpuMmuReported>();
  ASSERT_FALSE(caps.empty());
  EXPECT_EQ(caps[0].address_bits, 25u);
  const auto levels = seen<ev::PageTableLevelReported>();
  ASSERT_GE(levels.size(), 2u);
  EXPECT_EQ(levels[0].index_bits, 9u);
  EXPECT_EQ(levels[1].level, 1u);
}

// Again with other bytes in the buffer: each level, two that are not there, another adapter.
TEST_F(GpuMmuQuery, AllIsAskedForAgainAndWhatIsNotThereToo) {
  driver.use_gpu_mmu();
  when_running([](World&) {});
  EXPECT_EQ(seen<ev::GpuMmuReported>().size(), 2u);
  const auto levels = seen<ev::PageTableLevelReported>();
  ASSERT_EQ(levels.size(), 2u + 2 + 3);
  EXPECT_EQ(levels[4].level, 2u);
  EXPECT_EQ(levels[5].level, 0xFFFFu);
  EXPECT_EQ(levels[6].physical_adapter, 1u);
}

TEST_F(GpuMmuQuery, MoreLevelsThanThereCanBeAreNotAskedFor) {
  driver.use_gpu_mmu();
  driver.gpummu_caps.PageTableLevelCount = 7;
  driver.page_table_levels.resize(7, driver.page_table_levels[0]);
  when_running([](World& world) { EXPECT_FALSE(world.adapter.gpummu()->geometry); });
  EXPECT_EQ(seen<ev::PageTableLevelReported>()[5].level, 5u);
  EXPECT_EQ(seen<ev::PageTableLevelReported>()[6].level, 0u) << "asked again";
}

TEST_F(GpuMmuQuery, WhatIsAnsweredLaterIsRecordedOnly) {
  driver.use_gpu_mmu();
  when_running([&](World& world) {
    driver.gpummu_caps.VirtualAddressBitCount = 30;
    world.adapter.query();
    EXPECT_EQ(world.adapter.gpummu()->caps.virtual_address_bit_count, 25u);
  });
  const auto caps = seen<ev::GpuMmuReported>();
  ASSERT_EQ(caps.size(), 4u);
  EXPECT_EQ(caps[2].round, 1u);
  EXPECT_EQ(caps[2].address_bits, 30u);
}

TEST_F(GpuMmuQuery, ARefusalEndsTheQuestions) {
  driver.use_gpu_mmu();
  driver.gpummu_caps.PageTableLevelCount = 0;
  when_running([](World& world) { EXPECT_FALSE(world.adapter.gpummu()); });
  EXPECT_TRUE(seen<ev::PageTableLevelReported>().empty());
}

}  // namespace
}  // namespace wddm::host
