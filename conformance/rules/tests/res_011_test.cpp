// What leaves by GPU virtual address beside packets that use it, or whose device requires it.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::res_011 {
namespace {

constexpr std::uint32_t kTransfer = DXGK_OPERATION_VIRTUAL_TRANSFER;
constexpr std::uint32_t kUnmap = DXGK_OPERATION_UNMAP_APERTURE_SEGMENT;
constexpr std::uint64_t kLocalWindow = 0x40000, kSystemWindow = 0xa0000;
constexpr std::uint32_t kEvict = 1;

class Res011 : public TraceTest {
 protected:
  Res011() {
    leads(kLocalWindow, entry_flag::kValid);
    leads(kSystemWindow, entry_flag::kValid | entry_flag::kSystem);
    add(ev::BufferBuilt{.render = 7, .context = 1, .device = 5, .count = 1, .required_only = 1},
        std::vector<AllocationRecord>{{.allocation = 3}});
  }
  void leads(std::uint64_t address, std::uint32_t flags, std::uint32_t physical_adapter = 0) {
    add(ev::TableUpdated{.first_va = address,
                         .process = kSystemProcessNumber,
                         .count = 1,
                         .physical_adapter = physical_adapter},
        std::vector<EntryRecord>{{.flags = flags}});
  }
  void asks(std::uint32_t allocation, std::uint32_t request = 0, std::uint32_t status = 1,
            std::uint32_t device = 5) {
    add(ev::ResidencyAsked{.device = device, .request = request, .status = status, .count = 1},
        std::vector<std::uint32_t>{allocation});
  }
  void draws() { add(ev::Submitted{.packet = 9, .render = 7, .context = 1}); }
  void ends() { add(ev::PacketEnded{.packet = 9}); }
  void pages() { add(ev::Submitted{.packet = 2, .render = kNone, .context = kNone, .paging = 1}); }
  void transfers(std::uint32_t allocation, std::uint64_t from, std::uint64_t to) {
    add(ev::TransferBuilt{.source = from, .destination = to, .allocation = allocation});
  }
  void done(std::uint32_t allocation, std::uint32_t operation, std::uint32_t packet) {
    add(ev::PagingDone{.operation = operation, .allocation = allocation, .packet = packet});
  }
  // A transfer that was built, and whose last packet is there, has ended.
  void takes_out(std::uint32_t allocation, std::uint32_t packet = 2) {
    transfers(allocation, kLocalWindow, kSystemWindow);
    if (packet != kNone) pages();
    done(allocation, kTransfer, packet);
  }
  bool holds() { return TraceTest::holds("RES-011"); }
  std::uint32_t reached() { return times_reached("RES-011"); }
};

TEST_F(Res011, AfterThePacket) {
  draws();
  ends();
  takes_out(3);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Res011, BesideThePacketThatUsesIt) {
  draws();
  takes_out(3);
  EXPECT_FALSE(holds());
}

TEST_F(Res011, BesideAPacketThatWasReportedBeforeItsCallReturned) {
  ends();
  draws();
  takes_out(3);
  EXPECT_TRUE(holds());
}

TEST_F(Res011, WhatTheDriverCopiesWhileItBuilds) {
  draws();
  takes_out(3, kNone);
  EXPECT_FALSE(holds());
}

TEST_F(Res011, AnotherAllocation) {
  draws();
  takes_out(4);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Res011, WhatTheDeviceRequires) {
  asks(4);
  draws();
  takes_out(4);
  EXPECT_FALSE(holds());
}

TEST_F(Res011, WhatAnotherDeviceRequires) {
  asks(4, 0, 1, 6);
  draws();
  takes_out(4);
  EXPECT_TRUE(holds());
}

TEST_F(Res011, WhatTheDeviceRequiresNoMore) {
  asks(4);
  asks(4, kEvict, 0);
  draws();
  takes_out(4);
  EXPECT_TRUE(holds());
}

TEST_F(Res011, WhatWasRequiredTwiceAndEvictedOnce) {
  asks(4);
  asks(4);
  asks(4, kEvict, 0);
  draws();
  takes_out(4);
  EXPECT_FALSE(holds());
}

TEST_F(Res011, WhatWasAskedForInVain) {
  asks(4, 0, 2);
  draws();
  takes_out(4);
  EXPECT_TRUE(holds());
}

TEST_F(Res011, AnotherAllocationInTheSlot) {
  asks(4);
  add(ev::AllocationCreated{.allocation = 4});
  draws();
  takes_out(4);
  EXPECT_TRUE(holds());
}

TEST_F(Res011, AnotherDeviceInTheSlot) {
  asks(4);
  add(ev::DeviceCreated{.device = 5});
  draws();
  takes_out(4);
  EXPECT_TRUE(holds());
}

TEST_F(Res011, WhatComesInIsNotTakenOut) {
  draws();
  transfers(3, kSystemWindow, kLocalWindow);
  pages();
  done(3, kTransfer, 2);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Res011, ByTheWindowsThatTheGpuHas) {
  leads(kLocalWindow, entry_flag::kValid | entry_flag::kSystem, 1);
  draws();
  takes_out(3);
  EXPECT_FALSE(holds());
}

// Its addresses led nowhere by then: an allocation that only its device requires.
TEST_F(Res011, BesideAPacketThatCameBehindTheTransfer) {
  asks(4);
  transfers(4, kLocalWindow, kSystemWindow);
  draws();
  pages();
  done(4, kTransfer, 2);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Res011, FromAnAperture) {
  draws();
  add(ev::PagingBuilt{.operation = kUnmap, .allocation = 3});
  pages();
  done(3, kUnmap, 2);
  EXPECT_FALSE(holds());
}

TEST_F(Res011, WhatTheDriverRefusedStays) {
  draws();
  transfers(3, kLocalWindow, kSystemWindow);
  pages();
  add(ev::PagingDone{.operation = kTransfer, .allocation = 3, .packet = 2, .gave_up = 1});
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::res_011
