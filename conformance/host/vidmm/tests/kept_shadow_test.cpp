// The shadow that is kept from run to run forgets all of the last one.
#include "conformance/host/vidmm/prediction/kept_shadow.h"

#include "conformance/host/tests/vidmm_fixture.h"

namespace wddm::host {
namespace {

class KeptShadowTest : public VidMmTest {
 protected:
  static gpu::Place at(SegmentId segment, std::uint64_t page) {
    return {.segment = segment, .offset = page * 4096};
  }
  /// The next run in the process: another driver reports its segments.
  template <class Body>
  static void next_run(World& world, Body body) {
    world.memory.end();
    world.adapter.tear_down(Adapter::Stage::Absent);
    Adapter adapter(world.bus);
    set_current_adapter(&adapter);
    ASSERT_TRUE(adapter.bring_up());
    Residency residency(adapter, world.objects);
    residency.begin();
    body(residency);
    adapter.tear_down(Adapter::Stage::Absent);
  }
  KeptShadow kept;
};

TEST_F(KeptShadowTest, NothingIsPredictedButPoison) {
  with({}, [&](World& world) {
    kept.clear(world.residency, 1);
    EXPECT_EQ(kept.shadow().known_pages(kLocal), FakeDriver::kLocalPages);
    kept.clear(world.residency, 0);
    EXPECT_EQ(kept.shadow().known_pages(kLocal), 0u);
  });
}

TEST_F(KeptShadowTest, LastRunIsForgotten) {
  with({}, [&](World& world) {
    kept.clear(world.residency, 0);
    kept.shadow().fill(at(kLocal, 3), 4096, 7);
    const std::uint64_t number = kept.frames().number(100);
    kept.shadow().map_aperture(kAperture, 5, {&number, 1});
    kept.clear(world.residency, 0);
    EXPECT_EQ(kept.shadow().known_pages(kLocal), 0u);
    EXPECT_FALSE(kept.shadow().frame_at(kAperture, 5).has_value());
    EXPECT_FALSE(kept.frames().find(100).has_value());
  });
}

TEST_F(KeptShadowTest, SegmentsMayChangeTheirSize) {
  with({}, [&](World& world) {
    kept.clear(world.residency, 1);
    driver.segments[0].Size = driver.segments[0].CommitLimit = 24 * 4096;
    next_run(world, [&](const Residency& residency) {
      kept.clear(residency, 1);
      EXPECT_EQ(kept.shadow().known_pages(kLocal), 24u);
    });
  });
}

TEST_F(KeptShadowTest, SegmentsMayChangeTheirKind) {
  with({}, [&](World& world) {
    kept.clear(world.residency, 0);
    std::swap(driver.segments[0], driver.segments[1]);
    next_run(world, [&](const Residency& residency) {
      kept.clear(residency, 2);
      EXPECT_EQ(kept.shadow().known_pages(SegmentId{2}), FakeDriver::kLocalPages);
      const std::uint64_t number = kept.frames().number(100);
      kept.shadow().map_aperture(SegmentId{1}, 5, {&number, 1});
      EXPECT_EQ(kept.shadow().frame_at(SegmentId{1}, 5), number);
    });
  });
}

}  // namespace
}  // namespace wddm::host
