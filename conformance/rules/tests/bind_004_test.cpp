// What counts as a release, and who comes to this clause.
#include "conformance/rules/tests/list_test.h"

namespace wddm::bind_004 {
namespace {

class Bind004 : public ListTest {};

TEST_F(Bind004, ADriverThatReleasesNothingIsNotJudged) {
  render({{.allocation_index = 0}, {.allocation_index = 1, .split_offset = 16}});
  EXPECT_EQ(times_reached("BIND-004"), 0u);
}

TEST_F(Bind004, AnIndexBehindTheListIsNoRelease) {
  render({{.allocation_index = 2}});
  EXPECT_FALSE(holds("BIND-004"));
}

TEST_F(Bind004, UnlessUserModeMayHavePutItThere) {
  const std::vector<AllocationRecord> entries{{.size = 4096, .allocation = 0}};
  const std::vector<PatchRecord> elements{{.allocation_index = 1}};
  add(ev::RenderCalled{.patches_in = 1, .hostile = 1}, entries);
  add(ev::Rendered{.dma_used = 64, .dma_given = 4096, .hostile = 1}, elements);
  EXPECT_TRUE(holds("BIND-004"));
  EXPECT_FALSE(holds("RENDER-010"));
  // It has altered commands alone.
  add(ev::RenderCalled{.hostile = 1}, entries);
  add(ev::Rendered{.dma_used = 64, .dma_given = 4096, .hostile = 1}, elements);
  EXPECT_FALSE(holds("BIND-004"));
}

TEST_F(Bind004, RenderMayWriteTheNullHandleItself) {
  add(ev::RenderCalled{}, std::vector<AllocationRecord>{{.size = 4096, .allocation = 0},
                                                        {.size = 4096, .allocation = 1}});
  add(ev::ListAltered{.emptied = 1},
      std::vector<AllocationRecord>{{.size = 4096, .allocation = 0}, {.allocation = kNone}});
  add(ev::Rendered{.dma_used = 64, .dma_given = 4096},
      std::vector<PatchRecord>{{.allocation_index = 0},
                               {.allocation_index = 1, .split_offset = 32}});
  EXPECT_TRUE(holds("BIND-004"));
  EXPECT_EQ(times_reached("BIND-004"), 1u);
  EXPECT_TRUE(holds("BIND-001"));  // the release of slot 0
}

}  // namespace
}  // namespace wddm::bind_004
