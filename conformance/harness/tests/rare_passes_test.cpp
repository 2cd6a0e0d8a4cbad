// Drivers that go wrong only where several passes of Render or BuildPagingBuffer, or several
// operations of paging, meet in a way that is seldom seen.
#include "conformance/harness/tests/replay_support.h"
#include "conformance/rules/rule.h"

namespace wddm::harness {
namespace {

class RarePasses : public ReplayTest {};

// -- of Render

// How far the latest pass has come is kept for the adapter: MultipassOffset says only that it is
// not the first. As long as no other command buffer comes in between, nobody sees it.
struct KeepsProgressInTheAdapter final : Interposer {
  NTSTATUS Render(HANDLE context, DXGKARG_RENDER* render) override {
    if (render->MultipassOffset != 0) render->MultipassOffset = progress;
    const NTSTATUS status = Interposer::Render(context, render);
    progress = render->MultipassOffset;
    return status;
  }
  UINT progress = 0;
};

TEST_F(RarePasses, ProgressOfAnotherContextIsTakenForItsOwn) {
  EXPECT_TRUE(fires<KeepsProgressInTheAdapter>("RENDER-005"));
}

}  // namespace
}  // namespace wddm::harness
