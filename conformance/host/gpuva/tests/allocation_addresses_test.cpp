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
    with({{kOne, 1}, {kTwo, 2}}, [&](World& world) {
      AllocationAddresses addresses(world.objects);
      addresses.begin(geometry_of(bits));
      body(addresses);
    });
  }
  static std::uint64_t at(AllocationAddresses& addresses, AllocationId id) {
    addresses.need(id, kProcess);
    return addresses.for_commands_of(id, kProcess).value;
  }
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

TEST_F(AllocationAddressesTest, EveryProcessHasItsOwnCommands) {
  with_addresses(32, [](AllocationAddresses& addresses) {
    const auto first = addresses.next_commands(kProcess, 4096);
    EXPECT_EQ(addresses.next_commands(ProcessId{1}, 4096), first);
    addresses.commands_take(kProcess, first, 4096);
    EXPECT_EQ(addresses.next_commands(kProcess, 4096).value, first.value + 0x10000);
    EXPECT_EQ(addresses.next_commands(ProcessId{1}, 4096), first);
    const gpummu::VaRange ring = AllocationAddresses::commands_of(geometry_of(32));
    addresses.commands_take(kProcess, {ring.end() - 0x10000}, 0x10000);
    EXPECT_EQ(addresses.next_commands(kProcess, 4096), ring.first) << "around";
  });
}

}  // namespace
}  // namespace wddm::host
