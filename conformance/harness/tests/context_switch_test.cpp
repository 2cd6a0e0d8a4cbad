// Empty packets with ContextSwitch, on the real host: whose they are, and what they pass.
#include <vector>

#include "conformance/harness/tests/replay_support.h"

namespace wddm::harness {
namespace {

struct Call {
  HANDLE context = nullptr;
  bool paging = false, switches = false;
  bool has_buffer = false;  // with GPU virtual addresses: at an address
};
std::vector<Call> g_calls;
HANDLE g_client = nullptr;  // the context created last, none of the system's

class NotesContexts final : public Interposer {
 public:
  NotesContexts() { g_calls.clear(); }
  NTSTATUS CreateContext(HANDLE device, DXGKARG_CREATECONTEXT* create) override {
    const NTSTATUS status = Interposer::CreateContext(device, create);
    if (create->Flags.SystemContext == 0) g_client = create->hContext;
    return status;
  }
  NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) override {
    note(*submit, true);
    return Interposer::SubmitCommand(adapter, submit);
  }
  NTSTATUS SubmitCommandVirtual(HANDLE adapter,
                                const DXGKARG_SUBMITCOMMANDVIRTUAL* submit) override {
    note(*submit, submit->DmaBufferVirtualAddress != 0);
    return Interposer::SubmitCommandVirtual(adapter, submit);
  }

 private:
  template <class Submission>
  void note(const Submission& submit, bool has_buffer) {
    g_calls.push_back(
        {submit.hContext, submit.Flags.Paging != 0, submit.Flags.ContextSwitch != 0, has_buffer});
  }
};

class ContextSwitches : public ReplayTest {
 protected:
  static constexpr const char* kLeaves = R"(
- create_allocation: {allocation: 0, place: local}
- create_context: {context: 0}
- make_resident: {allocation: 0}
- idle
- switch_context: {node: 0}
- idle
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- spin: {units: 400}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 100}
- keep_stopped
- preempt: {node: 0}
- advance: {units: 20}
- switch_context: {node: 0}
- advance: {units: 20}
- switch_context: {node: 0}
- advance: {units: 20}
- keep_stopped: {on: false}
- idle
)";

  /// The switches, in order. What was stopped comes behind them.
  std::vector<Call> play(const std::string& settings) {
    const Fault fault = fault_of<NotesContexts>();
    const Judged& judged = run(scenario_of("ops:\n" + settings + kLeaves), &fault);
    EXPECT_TRUE(judged.failures.empty());
    std::vector<Call> switches;
    for (const Call& call : g_calls) {
      if (call.switches) switches.push_back(call);
    }
    EXPECT_FALSE(g_calls.empty() || g_calls.back().switches);
    return switches;
  }
};

TEST_F(ContextSwitches, AreOfTheContextThatIsLeft) {
  const std::vector<Call> calls = play("");
  ASSERT_EQ(calls.size(), 3u);
  EXPECT_EQ(calls[0].context, nullptr);  // paging is left
  EXPECT_TRUE(calls[0].paging);
  EXPECT_EQ(calls[1].context, g_client);
  EXPECT_FALSE(calls[1].paging);
  EXPECT_EQ(calls[2].context, nullptr);  // the null context is
  EXPECT_FALSE(calls[2].paging);
}

TEST_F(ContextSwitches, HaveNoBufferInTheProcessOfAContext) {
  const std::vector<Call> calls = play("- configure: {setting: Addressing, value: 1}\n");
  ASSERT_EQ(calls.size(), 3u);
  EXPECT_NE(calls[0].context, g_client);
  EXPECT_TRUE(calls[0].has_buffer);
  EXPECT_EQ(calls[1].context, g_client);
  EXPECT_FALSE(calls[1].has_buffer);
  EXPECT_NE(calls[2].context, g_client);
  EXPECT_TRUE(calls[2].has_buffer);
}

}  // namespace
}  // namespace wddm::harness
