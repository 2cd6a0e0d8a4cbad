// Packets that SubmitCommandVirtual refuses, from end to end: the fence counts with those before
// it, nothing of them runs, and their device is given nothing more.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "conformance/harness/tests/replay_support.h"

namespace wddm::harness {
namespace {

// Alters what user mode wrote into the private data of its k-th packet.
std::uint32_t g_malformed;
class MakesMalformed final : public Interposer {
 public:
  NTSTATUS SubmitCommandVirtual(HANDLE adapter,
                                const DXGKARG_SUBMITCOMMANDVIRTUAL* submit) override {
    if (submit->Flags.Paging || ++packets_ != g_malformed) {
      return Interposer::SubmitCommandVirtual(adapter, submit);
    }
    std::memset(submit->pDmaBufferPrivateData, 0xEE, submit->DmaBufferUmdPrivateDataSize);
    return Interposer::SubmitCommandVirtual(adapter, submit);
  }

 private:
  std::uint32_t packets_ = 0;
};

// Those who judge know nothing of the altered bytes: the packet is honest to them, and is refused.
bool blames_the_refusal_alone(const Judged& judged) {
  return std::all_of(judged.failures.begin(), judged.failures.end(),
                     [](const Failure& failure) { return failure.id == "PROC-007"; });
}

class Refusal : public ReplayTest {
 protected:
  const Judged& refused(std::uint32_t packet, const std::string& ops) {
    g_malformed = packet;
    const Fault fault = fault_of<MakesMalformed>();
    return run(scenario_of("ops:\n- configure: {setting: Addressing, value: 1}\n" + ops), &fault);
  }
};

constexpr const char* kOneAllocation = R"(
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- make_resident: {allocation: 1}
)";

TEST_F(Refusal, OnAnIdleEngineThePacketEndsAtOnceAndNothingHasRun) {
  const Judged& judged = refused(1, std::string(kOneAllocation) + R"(
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, value: 0x11223344}
- idle
- render: {context: 1}
- spin: {units: 1}
- idle
)");

  EXPECT_TRUE(blames_the_refusal_alone(judged));
  EXPECT_EQ(fates(), std::vector{PacketFate::Rejected});
  EXPECT_TRUE(seen<ev::Stuck>().empty());
  EXPECT_TRUE(seen<ev::MemoryDiffers>().empty());
  const auto failed = seen<ev::DeviceInError>();
  ASSERT_EQ(failed.size(), 1u);
  EXPECT_EQ(failed[0].cause, 2u);
}

TEST_F(Refusal, ItsFenceIsTheLastCompletedOneWhenThoseBeforeItHaveEnded) {
  const Judged& judged = refused(2, std::string(kOneAllocation) + R"(
- queue_depth: {packets: 3}
- render: {context: 1}
- spin: {units: 20}
- render: {context: 1}
- spin: {units: 20}
- idle
- preempt
- idle
)");

  EXPECT_TRUE(blames_the_refusal_alone(judged));
  EXPECT_EQ(fates(), (std::vector{PacketFate::Completed, PacketFate::Rejected}));
  std::uint32_t refused_fence = 0;
  for (const ev::Submitted& submitted : seen<ev::Submitted>()) {
    if (submitted.status != 0) refused_fence = submitted.fence;
  }
  EXPECT_NE(refused_fence, 0u);
  const auto reports = seen<ev::Notified>();
  const auto answer = std::find_if(reports.begin(), reports.end(), [](const ev::Notified& report) {
    return report.type == DXGK_INTERRUPT_DMA_PREEMPTED;
  });
  ASSERT_NE(answer, reports.end());
  EXPECT_GE(answer->last_completed, refused_fence);
}

TEST_F(Refusal, OtherProcessesGoOn) {
  const Judged& judged = refused(1, std::string(kOneAllocation) + R"(
- create_device: {device: 1, process: 1}
- create_context: {context: 2, device: 1}
- render: {context: 1}
- spin: {units: 1}
- render: {context: 2}
- spin: {units: 1}
- idle
)");

  EXPECT_TRUE(blames_the_refusal_alone(judged));
  const auto ends = fates();
  EXPECT_EQ(std::count(ends.begin(), ends.end(), PacketFate::Rejected), 1);
  EXPECT_EQ(std::count(ends.begin(), ends.end(), PacketFate::Completed), 1);
}

}  // namespace
}  // namespace wddm::harness
