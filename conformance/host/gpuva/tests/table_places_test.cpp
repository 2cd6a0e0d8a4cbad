// Where the CPU sees page tables that lie in memory segments.
#include "conformance/host/gpuva/tables/table_places.h"

#include "conformance/host/tests/visible_fixture.h"

namespace wddm::host {
namespace {

class ATablePlace : public VisibleMemoryTest {
 protected:
  /// A table of so many pages, at the lowest place of the segment.
  static TablePlace taken(TablePlaces& places, std::uint32_t pages) {
    auto place = places.take({.segment = kLocal, .pages = pages});
    EXPECT_TRUE(place.has_value());
    return place ? std::move(*place) : TablePlace{};
  }
  /// The segment is memory that the driver has set aside, beside its BAR.
  void set_aside() {
    first = memory::frames_allocate_contiguous(kPages, memory::FrameOwner::Driver, ~0ull);
    driver.segments[0].CpuTranslatedAddress.QuadPart = static_cast<LONGLONG>(first * 4096);
  }
  memory::Frame first = 0;
};

TEST_F(ATablePlace, IsSeenBehindABar) {
  with_visible([&](World& world) {
    TablePlaces places(world.adapter, world.residency, world.memory);
    const TablePlace place = taken(places, kPages);
    EXPECT_EQ(places.cpu_address(place), vram + place.address.offset);
  });
}

// A driver without hardware has no BAR.
TEST_F(ATablePlace, IsSeenInMemoryThatTheDriverHasSetAside) {
  with_visible(
      [&](World& world) {
        TablePlaces places(world.adapter, world.residency, world.memory);
        const TablePlace place = taken(places, kPages);
        std::uint8_t* const seen = places.cpu_address(place);
        EXPECT_EQ(seen, memory::frame_bytes(first) + place.address.offset);
        EXPECT_EQ(places.view(place)->for_the_cpu(), seen)
            << "updates by the CPU are written there";
        EXPECT_EQ(places.view(place)->look().size(), kPages * 4096u);
      },
      [&] { set_aside(); });
}

TEST_F(ATablePlace, InMemoryThatTheDriverHasFreedIsNotSeen) {
  with_visible(
      [&](World& world) {
        TablePlaces places(world.adapter, world.residency, world.memory);
        const TablePlace place = taken(places, kPages);
        memory::frames_free_contiguous(first);
        EXPECT_EQ(places.cpu_address(place), nullptr);
      },
      [&] { set_aside(); });
}

TEST_F(ATablePlace, InMemoryOfSomebodyElseIsNotSeen) {
  with_visible(
      [&](World& world) {
        TablePlaces places(world.adapter, world.residency, world.memory);
        EXPECT_EQ(places.cpu_address(taken(places, kPages)), nullptr);
      },
      [&] {
        first = memory::frames_allocate_contiguous(kPages, memory::FrameOwner::Allocation, ~0ull);
        driver.segments[0].CpuTranslatedAddress.QuadPart = static_cast<LONGLONG>(first * 4096);
      });
}

}  // namespace
}  // namespace wddm::host
