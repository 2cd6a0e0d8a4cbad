// What fails during the next op, and who comes first in it.
#include "conformance/host/nt/sync/dpc.h"
#include "conformance/host/run/op_handlers.h"
#include "conformance/host/tests/play_fixture.h"

namespace wddm::host {
namespace {

constexpr ULONG kTag = 0x74736574;

// The driver allocates twice at each query for capabilities, of which requery has two.
class AnomaliesOps : public PlayTest {
 protected:
  AnomaliesOps() {
    driver.on_query = [this](const DXGKARG_QUERYADAPTERINFO& query) {
      if (query.Type != DXGKQAITYPE_DRIVERCAPS) return;
      for (int i = 0; i < 2; ++i) {
        void* const block = ExAllocatePoolWithTag(NonPagedPoolNx, 16, kTag);
        got += block != nullptr ? '+' : '-';
        if (block != nullptr) ExFreePoolWithTag(block, kTag);
      }
    };
  }
  std::string got;
};

TEST_F(AnomaliesOps, TheKthAllocationOfTheNextOpFails) {
  play({op(OpKind::Start), op(OpKind::FailPool, 0, 0, 0, 2), op(OpKind::Requery),
        op(OpKind::Requery)});
  EXPECT_EQ(got, "+++-++++++++++++++");
}

TEST_F(AnomaliesOps, AllAfterItFailTooIfAsked) {
  play({op(OpKind::Start), op(OpKind::FailPool, 1, 0, 0, 1), op(OpKind::Requery),
        op(OpKind::Requery)});
  EXPECT_EQ(got, "++--------++++++++");
}

TEST_F(AnomaliesOps, EveryCallbackOfTheNextOpFailsIfAsked) {
  std::vector<NTSTATUS> results;
  driver.on_query = [&](const DXGKARG_QUERYADAPTERINFO& query) {
    if (query.Type != DXGKQAITYPE_DRIVERCAPS) return;
    DXGK_DEVICE_INFO info{};
    for (int i = 0; i < 2; ++i) {
      results.push_back(driver.callbacks.DxgkCbGetDeviceInformation(driver.device_handle, &info));
    }
  };
  play({op(OpKind::FailCallback, static_cast<std::uint8_t>(FallibleCallback::GetDeviceInformation),
           1, 0, 1),
        op(OpKind::Start)});
  EXPECT_EQ(results, (std::vector<NTSTATUS>{STATUS_UNSUCCESSFUL, STATUS_UNSUCCESSFUL}));
}

// Two threads that give way to each other: who goes on is drawn from the seed, for one op.
TEST_F(AnomaliesOps, ScheduleIsDrawnFromItsSeedUntilTheOpIsOver) {
  std::string order;
  struct Thread {
    std::string& order;
    char letter;
  } a{order, 'a'}, b{order, 'b'};
  const auto body = [](void* context) {
    const Thread& thread = *static_cast<Thread*>(context);
    for (int i = 0; i < 6; ++i) {
      thread.order += thread.letter;
      nt::HostEvent(true).set();  // where control may move
    }
  };
  const auto order_of_both = [&] {
    order.clear();
    nt::spawn_host_thread("a", body, &a);
    nt::spawn_host_thread("b", body, &b);
    nt::settle();
    return order;
  };
  on_machine([&](World& world) {
    ScenarioRun run(world);
    ops::schedule(run, op(OpKind::Schedule, static_cast<std::uint8_t>(Policy::Random), 0, 0, 1));
    EXPECT_NE(order_of_both(), "aaaaaabbbbbb");
    run.spend_modifiers();
    EXPECT_EQ(order_of_both(), "aaaaaabbbbbb");
  });
}

// Whoever is inside gives way at its first kernel service.
TEST_F(AnomaliesOps, ANeighbourIsInTheDriverWhileTheNextOpIs) {
  std::vector<std::uint16_t> threads;
  driver.on_query = [&](const DXGKARG_QUERYADAPTERINFO& query) {
    if (query.Type == DXGKQAITYPE_DRIVERCAPS) threads.push_back(nt::current_thread() & 0xffff);
  };
  play({op(OpKind::Start), op(OpKind::Neighbour, 0, 0, 0, 3), op(OpKind::CreateContext, 1),
        op(OpKind::CreateContext, 2)});
  ASSERT_EQ(threads.size(), 4u) << "one at the start, and one in each of its rounds";
  EXPECT_NE(threads.back(), threads.front());
  EXPECT_EQ(times("CreateContext"), 3 + 2);
}

TEST_F(AnomaliesOps, NobodyIsBesideTheDriverWhenItStops) {
  play({op(OpKind::Start), op(OpKind::Neighbour, 0, 0, 0, 3), op(OpKind::Stop)});
  EXPECT_EQ(times("CreateContext"), 0);
}

}  // namespace
}  // namespace wddm::host
