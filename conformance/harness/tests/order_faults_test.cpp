// Drivers that go wrong in a rare order of events only: what is asked for crosses what ends, a
// reset or power comes in between, numbers wrap there. A clause says so in its own scenario.
#include "conformance/harness/tests/replay_support.h"
#include "conformance/rules/rule.h"

namespace wddm::harness {
namespace {

class OrderFaults : public ReplayTest {};

// -- debug information

// The extension of a later interface is longer.
struct FillsALongerExtension final : Interposer {
  NTSTATUS CollectDbgInfo(HANDLE adapter, const DXGKARG_COLLECTDBGINFO* collect) override {
    collect->pExtension[1].BucketingKey = 0x117;
    return Interposer::CollectDbgInfo(adapter, collect);
  }
};

// What is for later use has room for one more number.
struct FillsReservedMembers final : Interposer {
  NTSTATUS CollectDbgInfo(HANDLE adapter, const DXGKARG_COLLECTDBGINFO* collect) override {
    collect->pExtension->Reserved5 = collect->Reason;
    return Interposer::CollectDbgInfo(adapter, collect);
  }
};

struct ClearsTheExtension final : Interposer {
  NTSTATUS CollectDbgInfo(HANDLE adapter, const DXGKARG_COLLECTDBGINFO* collect) override {
    *collect->pExtension = {};
    return Interposer::CollectDbgInfo(adapter, collect);
  }
};

TEST_F(OrderFaults, DebugInformationBesideItsExtension) {
  EXPECT_TRUE(fires<FillsALongerExtension>("TDR-008"));
  EXPECT_TRUE(fires<FillsReservedMembers>("TDR-008"));
  EXPECT_FALSE(fires<ClearsTheExtension>("TDR-008"));
}

}  // namespace
}  // namespace wddm::harness
