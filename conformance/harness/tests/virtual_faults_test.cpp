// Faults of clauses of both models, shown with patch lists by their own fault: with GPU virtual
// addresses they are caught by the clause in its own scenario, too.
#include <algorithm>
#include <string>

#include "conformance/harness/tests/replay_support.h"
#include "conformance/rules/rule.h"

namespace wddm::harness {
namespace {

class VirtualFaults : public ReplayTest, public testing::WithParamInterface<const char*> {
 protected:
  /// The clause's own scenario.
  const Judged& play(const Rule& rule, const Fault* fault) {
    return run(with_settings(scenario_of(rule.scenario), settings_of(GetParam())), fault);
  }
  bool fires(const char* id, const Fault& fault) { return says(play(*find_rule(id), &fault), id); }
  /// How often the clause judges something, without a fault.
  std::uint32_t reached(const char* id) {
    const Rule* const rule = find_rule(id);
    const Judged& judged = play(*rule, nullptr);
    EXPECT_TRUE(judged.failures.empty());
    const auto rules = all_rules();
    const auto at = std::find(rules.begin(), rules.end(), rule);
    return judged.rules[static_cast<std::size_t>(at - rules.begin())].reached;
  }
};

TEST_P(VirtualFaults, ABufferThatIsNotRunIsSeen) {
  EXPECT_GT(reached("SUBMIT-015"), 0u);
  EXPECT_TRUE(fires("SUBMIT-015", fault_of<RunsNothing>()));
}

TEST_P(VirtualFaults, AStoppedPacketThatStartsAnewIsSeen) {
  EXPECT_GT(reached("PREEMPT-015"), 0u);
  EXPECT_TRUE(fires("PREEMPT-015", find_rule("PREEMPT-015")->fault));
}

TEST_P(VirtualFaults, AnEngineThatStopsNothingIsSeen) {
  EXPECT_GT(reached("PREEMPT-013"), 0u);
  EXPECT_TRUE(fires("PREEMPT-013", find_rule("PREEMPT-013")->fault));
}

// Only Dxgkrnl's own contexts have no user mode to bring private data: so it thinks.
struct TakesItForTheKernels final : Interposer {
  NTSTATUS CreateContext(HANDLE device, DXGKARG_CREATECONTEXT* create) override {
    const DXGK_CREATECONTEXTFLAGS flags = create->Flags;
    if (create->PrivateDriverDataSize == 0) create->Flags.SystemContext = 1;
    const NTSTATUS status = Interposer::CreateContext(device, create);
    create->Flags = flags;
    return status;
  }
};

TEST_P(VirtualFaults, AContextWithoutPrivateDataThatMayDoAnythingIsSeen) {
  EXPECT_GT(reached("PROC-010"), 0u);
  EXPECT_TRUE(fires("PROC-010", fault_of<TakesItForTheKernels>()));
}

INSTANTIATE_TEST_SUITE_P(Shapes, VirtualFaults,
                         testing::Values("Addressing=1",
                                         "Addressing=1,PageTableLevels=4,PageTableUpdateMode=2"));

}  // namespace
}  // namespace wddm::harness
