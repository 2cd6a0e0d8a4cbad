// Which addresses allocations and command buffers get.
#include "conformance/host/gpuva/allocation_addresses.h"

#include "conformance/host/tests/vidmm_fixture.h"

namespace wddm::host {
namespace {

gpummu::Geometry geometry_of(std::uint32_t bits) {
  gpummu::GpuMmuCaps caps;
  caps.virtual_address_bit_count = bits;
  caps.page_table_level_count = 2;
  const gpummu::PageTableLevelDesc levels[] = {{9, SegmentId{1}, SegmentId{1}, 4096, 4096},
                                               {0, SegmentId{1}, SegmentId{1}, 4096, 4096}};
  const gpummu::ReportedSegment segments[] = {{}};
  return *gpummu::check_geometry(caps, levels, segments).geometry;
}

constexpr AllocationId kOne{1}, kTwo{2};
constexpr ProcessId kProcess{};  // of both

class AllocationAddressesTest : public VidMmTest {
 protected:
  template <class Body>
  void with_addresses(std::uint32_t bits, Body body) {
    with({{kOne, 1}, {kTwo, 2}, {kMarkerAllocation, 1}}, [&](World& world) {
      AllocationAddresses addresses(world.objects);
      addresses.begin(geometry_of(bits), own_addresses(geometry_of(bits), caps_));
      body(addresses);
    });
  }
  static std::uint64_t at(AllocationAddresses& addresses, AllocationId id) {
    addresses.need(id, kProcess);
    return addresses.for_commands_of(id, kProcess).value;
  }

  DXGK_DRIVERCAPS caps_{};
};

TEST_F(AllocationAddressesTest, FromTheBottomUpInMultiplesOf64KB) {
  with_addresses(32, [](AllocationAddresses& addresses) {
    EXPECT_EQ(at(addresses, kTwo), 0x20000u);
    EXPECT_EQ(at(addresses, kOne), 0x30000u);
    EXPECT_EQ(at(addresses, kTwo), 0x20000u) << "the same for as long as it lives";
    addresses.forget(kTwo);
    EXPECT_EQ(at(addresses, kTwo), 0x20000u);
  });
}

TEST_F(AllocationAddressesTest, MorePlacesOnRequest) {
  with_addresses(32, [](AllocationAddresses& addresses) {
    EXPECT_EQ(at(addresses, kOne), 0x20000u);
    const auto place = [&](AddressPlace where, std::uint32_t bit = 0) {
      const auto answer = addresses.map(kOne, where, bit, Protection::ReadWrite);
      return answer.mapping ? answer.mapping->address.value : 0;
    };
    EXPECT_EQ(place(AddressPlace::Next), 0x30000u);
    EXPECT_EQ(place(AddressPlace::Top), 0xffff0000u);
    EXPECT_EQ(place(AddressPlace::Top), 0xfffe0000u);
    EXPECT_EQ(place(AddressPlace::Bit, 12), 0x21000u);
    EXPECT_EQ(place(AddressPlace::Bit, 16), 0u) << "taken, by itself";
    EXPECT_EQ(place(AddressPlace::Bit, 32), 0u) << "beyond the space";
    EXPECT_EQ(place(AddressPlace::Same), 0x21000u);
    EXPECT_EQ(addresses.of(kOne).size(), 5u);
    EXPECT_EQ(addresses.newest(kOne, kProcess)->address.value, 0x21000u);
  });
}

TEST_F(AllocationAddressesTest, CommandsUseTheOneBeforeWhatIsFreed) {
  with_addresses(32, [](AllocationAddresses& addresses) {
    EXPECT_EQ(at(addresses, kOne), 0x20000u);
    EXPECT_TRUE(addresses.map(kOne, AddressPlace::Next, 0, Protection::Zero).mapping);
    EXPECT_EQ(at(addresses, kOne), 0x30000u);
    EXPECT_TRUE(addresses.free(kOne).mapping);
    EXPECT_EQ(at(addresses, kOne), 0x20000u);
    EXPECT_TRUE(addresses.free(kOne).mapping);
    EXPECT_EQ(at(addresses, kOne), 0x20000u) << "which leads nowhere";
    EXPECT_FALSE(addresses.free(kOne).mapping);
    EXPECT_EQ(at(addresses, kTwo), 0x20000u);
    EXPECT_EQ(at(addresses, kOne), 0u) << "it is another's by now";
    EXPECT_FALSE(addresses.map(kOne, AddressPlace::Same, 0, Protection::ReadWrite).mapping)
        << "nor can it be mapped there again";
  });
}

TEST_F(AllocationAddressesTest, APartThatIsFreedFaultsAlone) {
  with_addresses(32, [](AllocationAddresses& addresses) {
    EXPECT_EQ(at(addresses, kTwo), 0x20000u);
    const auto freed = addresses.free(kTwo, 1, 1);
    ASSERT_EQ(freed.parts.size(), 1u);
    EXPECT_EQ(freed.parts[0].range.first.value, 0x21000u);
    EXPECT_EQ(freed.parts[0].range.bytes, 0x1000u);
    EXPECT_FALSE(addresses.faults(kProcess, {.allocation = kTwo, .offset = 0, .size = 4096}));
    EXPECT_TRUE(addresses.faults(kProcess, {.allocation = kTwo, .offset = 4096, .size = 4}));
    EXPECT_TRUE(addresses.faults(kProcess, {.allocation = kTwo, .offset = 4092, .size = 8}));
    ASSERT_EQ(addresses.parts_of(kTwo).size(), 1u);
    EXPECT_EQ(addresses.parts_of(kTwo)[0].range.bytes, 0x1000u);
    EXPECT_FALSE(addresses.free(kTwo, 1, 1).mapping) << "it is free";
    EXPECT_FALSE(addresses.free(kTwo, 1, 2).mapping) << "it has no such pages";
    EXPECT_EQ(at(addresses, kTwo), 0x20000u) << "commands go on with it";
    EXPECT_EQ(addresses.free(kTwo).parts.size(), 1u) << "what is left";
  });
}

// What is told of entries that are taken back.
TEST_F(AllocationAddressesTest, WhatIsFreedIsGivenAsItWas) {
  with_addresses(32, [](AllocationAddresses& addresses) {
    EXPECT_EQ(at(addresses, kTwo), 0x20000u);
    const auto freed = addresses.free(kTwo, 1, 1);
    ASSERT_EQ(freed.parts.size(), 1u);
    EXPECT_EQ(freed.parts[0].state.kind, gpuva::PageKind::Mapped);
    EXPECT_EQ(freed.parts[0].state.allocation, kTwo);
    EXPECT_EQ(freed.parts[0].state.allocation_page(0), 1u);
    const auto left = addresses.forget(kTwo);
    ASSERT_EQ(left.size(), 1u);
    EXPECT_EQ(left[0].range.first.value, 0x20000u);
    EXPECT_EQ(left[0].state.allocation, kTwo);
    EXPECT_TRUE(addresses.parts_of(kTwo).empty());
  });
}

TEST_F(AllocationAddressesTest, RangesAsAskedFor) {
  with_addresses(32, [](AllocationAddresses& addresses) {
    const auto map = [&](AddressChoice at, std::uint64_t base, std::uint64_t pages,
                         Protection protection = Protection::ReadWrite) {
      const auto answer = addresses.map_range(
          kTwo, {.protection = protection, .at = at, .base = base, .pages = pages});
      return answer.mapping ? answer.mapping->address.value : 0;
    };
    EXPECT_EQ(map(AddressChoice::Base, 0x2000000, 2), 0x2000000u);
    EXPECT_EQ(map(AddressChoice::Limits, 0x2100000, 2), 0x2100000u);
    EXPECT_EQ(map(AddressChoice::BaseAndLimits, 0x2200000, 1), 0x2200000u);
    EXPECT_EQ(map(AddressChoice::Base, 0x2300800, 1), 0u) << "inside a page";
    EXPECT_EQ(map(AddressChoice::Base, 0x2001000, 2), 0u) << "half outside";
    EXPECT_EQ(map(AddressChoice::Base, 0x2300000, 3), 0u) << "it has no such page";
    EXPECT_EQ(map(AddressChoice::Base, 0x2300000, 1, Protection::NoAccess), 0u);
    EXPECT_EQ(map(AddressChoice::BaseWithoutAllocation, 0x2300000, 1, Protection::NoAccess),
              0x2300000u);
    EXPECT_TRUE(addresses.of(kTwo).empty()) << "commands use none of them";
    EXPECT_EQ(addresses.parts_of(kTwo).size(), 3u);
  });
}

TEST_F(AllocationAddressesTest, TilesInWhatWasReserved) {
  with_addresses(32, [](AllocationAddresses& addresses) {
    const auto update = [&](AddressUpdate kind, std::uint64_t to, std::uint64_t from,
                            std::uint64_t pages) {
      return addresses.update(kTwo, {.kind = kind, .to = to, .from = from, .pages = pages})
          .refused;
    };
    EXPECT_NE(update(AddressUpdate::Map, 0, 0, 2), nullptr) << "nothing was reserved";
    const auto reserve = [&](std::uint64_t base, std::uint64_t bytes) {
      return addresses.reserve(kProcess, AddressChoice::Base, base, bytes, false).refused;
    };
    EXPECT_EQ(reserve(0x2000000, 0x10000), nullptr);
    EXPECT_NE(reserve(0x2000000, 0x10000), nullptr) << "it is taken";
    EXPECT_NE(reserve(0x2100000, 0x11000), nullptr) << "no multiple of 64 KB";
    EXPECT_EQ(update(AddressUpdate::Map, 0, 0, 2), nullptr);
    EXPECT_EQ(update(AddressUpdate::Copy, 1, 0, 2), nullptr);
    EXPECT_NE(update(AddressUpdate::Map, 15, 0, 2), nullptr) << "behind its end";
    std::vector<std::uint64_t> pages;  // of the allocation, one behind the other
    for (const auto& part : addresses.parts_of(kTwo)) {
      for (std::uint64_t i = 0; i < part.range.bytes / kPageSize; ++i) {
        pages.push_back(part.state.allocation_page(i));
      }
    }
    EXPECT_EQ(pages, (std::vector<std::uint64_t>{0, 0, 1}));
    EXPECT_EQ(update(AddressUpdate::Unmap, 0, 0, 1), nullptr);
    EXPECT_FALSE(addresses.forget(kTwo).empty()) << "entries that are to go";
    EXPECT_TRUE(addresses.parts_of(kTwo).empty());
  });
}

TEST_F(AllocationAddressesTest, EveryProcessHasItsOwnCommands) {
  with_addresses(32, [](AllocationAddresses& addresses) {
    const auto first = addresses.next_commands(kProcess, 4096);
    EXPECT_EQ(addresses.next_commands(ProcessId{1}, 4096), first);
    addresses.commands_take(kProcess, first, 4096);
    EXPECT_EQ(addresses.next_commands(kProcess, 4096).value, first.value + 0x10000);
    EXPECT_EQ(addresses.next_commands(ProcessId{1}, 4096), first);
    const gpummu::VaRange ring = own_addresses(geometry_of(32), {}).commands;
    addresses.commands_take(kProcess, {ring.end() - 0x10000}, 0x10000);
    EXPECT_EQ(addresses.next_commands(kProcess, 4096), ring.first) << "around";
  });
}

TEST_F(AllocationAddressesTest, WhatIsTheHostsOwnLiesInTheDriversRange) {
  caps_.InternalGpuVirtualAddressRangeStart = 0x40001000;
  caps_.InternalGpuVirtualAddressRangeEnd = 0x43ffffff;
  with_addresses(32, [](AllocationAddresses& addresses) {
    EXPECT_EQ(at(addresses, kMarkerAllocation), 0x40010000u);
    EXPECT_EQ(addresses.next_commands(kProcess, 4096).value, 0x40020000u);
    EXPECT_EQ(at(addresses, kOne), 0x20000u) << "allocations of clients do not";
  });
}

// While a context is made, and so before anything of the process has an address.
TEST_F(AllocationAddressesTest, AContextAllocationLeavesThePlaceForMarksAlone) {
  with({{kMarkerAllocation, 1}}, [&](World& world) {
    AllocationAddresses addresses(world.objects);
    addresses.begin(geometry_of(32), own_addresses(geometry_of(32), caps_));
    const AllocationId id{kMarkerAllocation.value + 1};
    const auto given =
        addresses.map_context_allocation(kProcess, 0,
                                         {.allocation = gpuva::AllocationRef{id, 32, true},
                                          .size_pages = 32,
                                          .context_allocation = true});
    EXPECT_EQ(given.status, STATUS_SUCCESS);
    EXPECT_EQ(given.address.value, 0x20000u);
    EXPECT_EQ(at(addresses, kMarkerAllocation), 0x10000u);
    addresses.forget_context_allocation(id);
    EXPECT_TRUE(addresses.parts_of(id).empty());
  });
}

TEST_F(AllocationAddressesTest, ARangeThatHasNoRoomIsNone) {
  caps_.InternalGpuVirtualAddressRangeStart = 0x40000000;
  caps_.InternalGpuVirtualAddressRangeEnd = 0x40100000;
  const auto small = own_addresses(geometry_of(32), caps_);
  const auto anywhere = own_addresses(geometry_of(32), {});
  EXPECT_EQ(small.marker, anywhere.marker);
  EXPECT_EQ(small.commands, anywhere.commands);
}

TEST_F(AllocationAddressesTest, ARangeMayEndBehindTheSpace) {
  caps_.InternalGpuVirtualAddressRangeStart = 0xf0000000;
  caps_.InternalGpuVirtualAddressRangeEnd = ~0ull;
  const auto own = own_addresses(geometry_of(32), caps_);
  EXPECT_EQ(own.marker.value, 0xf0000000u);
  EXPECT_LE(own.commands.end(), 1ull << 32);
}

}  // namespace
}  // namespace wddm::host
