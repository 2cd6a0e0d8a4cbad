// Drivers that are wrong about the end of a segment: nothing is seen of it until somebody uses the
// last pages.
#include "conformance/harness/tests/replay_support.h"
#include "reference/types.h"

namespace wddm::harness {
namespace {

class SegmentEnds : public ReplayTest {};

// A driver that takes the end of a segment for its last page, and leaves that page out.
struct LeavesTheLastPageOut final : Interposer {
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    auto& transfer = build->Transfer;
    const bool within = build->Operation == DXGK_OPERATION_TRANSFER &&
                        transfer.Source.SegmentId != 0 && transfer.Destination.SegmentId != 0;
    if (!within) return Interposer::BuildPagingBuffer(adapter, build);
    const SIZE_T asked = transfer.TransferSize;
    transfer.TransferSize = asked > kPageSize ? asked - kPageSize : asked;
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    transfer.TransferSize = asked;
    return status;
  }
};

TEST_F(SegmentEnds, AreWrittenByTransfers) {
  const Fault fault = fault_of<LeavesTheLastPageOut>();
  EXPECT_TRUE(says(run(scenario_of(find_rule("SUBMIT-017")->scenario), &fault), "PAGE-005"));
}

}  // namespace
}  // namespace wddm::harness
