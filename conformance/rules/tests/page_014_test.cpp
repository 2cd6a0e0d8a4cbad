// Which map or unmap a Transfer through an aperture is held against.
#include "conformance/rules/tests/trace_test.h"

namespace wddm {
namespace {

constexpr std::uint32_t kTransfer = 0, kMap = 5, kUnmap = 6, kVirtualTransfer = 8, kMap2 = 17;

// Two apertures, segments 2 and 3.
class Page014 : public TraceTest {
 protected:
  Page014() {
    platform_.segments.resize(3);
    platform_.segments[1].flags.value = platform_.segments[2].flags.value = 1;
  }
  void built(std::uint32_t operation, std::uint32_t segment) {
    add(ev::PagingBuilt{.operation = operation},
        std::vector<PagingArguments>{{.destination_segment = segment, .page = 5, .pages = 2}});
  }
  void goes_wrong(std::uint32_t operation) {
    add(ev::PagingDone{.operation = operation, .packet = 9});
    add(ev::MemoryDiffers{.cause = static_cast<std::uint32_t>(MemoryCause::Paging),
                          .cause_object = 9});
  }
};

TEST_F(Page014, ATransferToMappedPagesIsOfTheMap) {
  built(kMap, 2);
  built(kTransfer, 2);
  goes_wrong(kTransfer);
  EXPECT_FALSE(holds("PAGE-014"));
  EXPECT_TRUE(holds("PAGE-015"));
}

TEST_F(Page014, ATransferToUnmappedPagesIsOfTheUnmap) {
  built(kMap, 2);
  built(kUnmap, 2);
  built(kTransfer, 2);
  goes_wrong(kTransfer);
  EXPECT_TRUE(holds("PAGE-014"));
  EXPECT_FALSE(holds("PAGE-015"));
}

TEST_F(Page014, PagesOfAnotherApertureAreOthers) {
  built(kMap, 2);
  built(kUnmap, 3);
  built(kTransfer, 2);
  goes_wrong(kTransfer);
  EXPECT_FALSE(holds("PAGE-014"));
  EXPECT_TRUE(holds("PAGE-015"));
}

TEST_F(Page014, ATransferByAddressesMayLeadThereToo) {
  built(kMap, 2);
  built(kVirtualTransfer, 2);
  goes_wrong(kVirtualTransfer);
  EXPECT_FALSE(holds("PAGE-014"));
}

TEST_F(Page014, PagesMappedByAListAreOfAnotherClause) {
  built(kMap, 2);
  built(kMap2, 2);
  built(kTransfer, 2);
  goes_wrong(kTransfer);
  EXPECT_TRUE(holds("PAGE-014"));
  EXPECT_FALSE(holds("PAGE-021"));
}

}  // namespace
}  // namespace wddm
