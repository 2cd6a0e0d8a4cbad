// GPU virtual addresses from end to end: the built-in driver with page tables of each shape, played
// through fills, moves, evictions and preemption, and memory as predicted after each.
//
// Left out: updates by GPU virtual address, which the host does not play, and what clauses say.
#include <algorithm>
#include <string>

#include "conformance/harness/tests/replay_support.h"

namespace wddm::harness {
namespace {

struct Shape {
  const char* name;
  const char* settings;  // `configure` ops
};

class GpuVirtual : public ReplayTest, public testing::WithParamInterface<Shape> {
 protected:
  template <class Payload>
  std::size_t count() const {
    return replayer_.trace().of<Payload>().size();
  }
};

constexpr const char* kWork = R"(
- start
- create_context: {context: 1}
- create_allocation: {allocation: 1, pages: 40, place: local}
- create_allocation: {allocation: 2, pages: 3, place: aperture}
- make_resident: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- fill: {slot: 1, offset: 0, size: 163840, value: 0x11223344}
- copy: {slot: 2, source: 1, offset: 0, source_offset: 8192, size: 4096}
- idle
- move: {allocation: 1}
- idle
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- spin: {units: 500}
- add: {slot: 1, offset: 4, value: 7}
- advance: {units: 20}
- advance: {units: 20}
- advance: {units: 20}
- preempt: {node: 0}
- idle
- evict: {allocation: 1}
- make_resident: {allocation: 1}
- idle
- stop
)";

TEST_P(GpuVirtual, MemoryIsAsPredictedWhateverTheShapeOfThePageTables) {
  const std::string text = std::string("ops:\n- configure: {setting: Addressing, value: 1}\n") +
                           GetParam().settings + kWork;
  EXPECT_TRUE(run(scenario_of(text)).failures.empty());

  EXPECT_EQ(count<ev::OpSkipped>(), 0u);
  EXPECT_EQ(count<ev::Stuck>(), 0u);
  EXPECT_EQ(count<ev::MemoryDiffers>(), 0u);
  EXPECT_GT(count<ev::MemoryChecked>(), 10u);
  const auto submitted = replayer_.trace().of<ev::Submitted>();
  EXPECT_EQ(std::count_if(submitted.begin(), submitted.end(),
                          [this](std::uint32_t index) {
                            return replayer_.trace().at<ev::Submitted>(index).paging == 0;
                          }),
            3)
      << "two renders, of which one was preempted";
}

// The slot's next allocation is larger: at the old address it would reach into its neighbour.
TEST_P(GpuVirtual, AddressesOfWhatWasDestroyedAreNotThoseOfTheNext) {
  const std::string text = std::string("ops:\n- configure: {setting: Addressing, value: 1}\n") +
                           GetParam().settings + R"(
- start
- create_context: {context: 1}
- create_allocation: {allocation: 1, pages: 1, place: local}
- create_allocation: {allocation: 2, pages: 1, place: local}
- make_resident: {allocation: 1}
- make_resident: {allocation: 2}
- idle
- destroy_allocation: {allocation: 1}
- create_allocation: {allocation: 1, pages: 40, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- fill: {slot: 2, offset: 0, size: 4096, value: 0x22222222}
- fill: {slot: 1, offset: 0, size: 163840, value: 0x11111111}
- idle
- stop
)";
  EXPECT_TRUE(run(scenario_of(text)).failures.empty());
  EXPECT_EQ(count<ev::OpSkipped>(), 0u);
  EXPECT_EQ(count<ev::Stuck>(), 0u);
  EXPECT_EQ(count<ev::MemoryDiffers>(), 0u);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, GpuVirtual,
    testing::Values(Shape{"TwoLevels", ""},
                    Shape{"ThreeLevels", "- configure: {setting: PageTableLevels, value: 3}\n"},
                    Shape{"FiveLevels", "- configure: {setting: PageTableLevels, value: 5}\n"},
                    Shape{"UpdatesByPhysicalAddress",
                          "- configure: {setting: PageTableUpdateMode, value: 2}\n"},
                    Shape{"FourLevelsByPhysicalAddress",
                          "- configure: {setting: PageTableUpdateMode, value: 2}\n"
                          "- configure: {setting: PageTableLevels, value: 4}\n"},
                    Shape{"InvalidEntriesCached",
                          "- configure: {setting: InvalidTlbEntriesCached, value: 1}\n"},
                    Shape{"PagesOf64KB", "- configure: {setting: PageSize64K, value: 1}\n"},
                    Shape{"Pairs",
                          "- configure: {setting: PageSize64K, value: 1}\n"
                          "- configure: {setting: DualPte, value: 1}\n"
                          "- configure: {setting: PageTableUpdateMode, value: 2}\n"
                          "- configure: {setting: PageTableSegment, value: 0}\n"}),
    [](const testing::TestParamInfo<Shape>& shape) { return std::string(shape.param.name); });

}  // namespace
}  // namespace wddm::harness
