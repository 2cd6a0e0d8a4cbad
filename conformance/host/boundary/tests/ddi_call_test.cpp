// A call into the driver: whether it may be made, its level, and what the trace holds of it.
#include "conformance/host/boundary/ddi_call.h"

#include "conformance/host/tests/host_fixture.h"

namespace wddm::host {
namespace {

class DdiCallTest : public HostTest {
 protected:
  template <class Body>
  void with_adapter(Body body) {
    on_machine([&](World& world) {
      ASSERT_NO_FATAL_FAILURE(begin(world));
      body(world);
    });
  }
  /// The entries of one DDI into the driver, by their place among all.
  std::vector<ev::DdiEntered> entered(DdiId ddi) const {
    std::vector<ev::DdiEntered> all;
    for (const ev::DdiEntered& call : seen<ev::DdiEntered>()) {
      if (call.ddi == static_cast<std::uint32_t>(ddi)) all.push_back(call);
    }
    return all;
  }
};

TEST_F(DdiCallTest, EntryThatIsNullMayNotBeCalled) {
  driver.table.DxgkDdiPatch = nullptr;
  with_adapter([&](World&) {
    EXPECT_FALSE(may_call(DdiId::Patch));
    EXPECT_TRUE(may_call(DdiId::SubmitCommand));
  });
}

// What lies at the place of a member that the driver's interface did not have is no entry.
TEST_F(DdiCallTest, EntryYoungerThanTheDriversInterfaceMayNotBeCalled) {
  driver.table.Version = DXGKDDI_INTERFACE_VERSION_VISTA;
  with_adapter([&](World&) {
    for (std::size_t row = 0; row < ddi_table().size(); ++row) {
      const auto ddi = static_cast<DdiId>(row);
      if (ddi == DdiId::DriverEntry || ddi == DdiId::LinkDevice) continue;  // neither is there
      EXPECT_EQ(may_call(ddi), ddi_info(ddi).since == InterfaceVersion::Vista)
          << ddi_info(ddi).name;
    }
  });
}

TEST_F(DdiCallTest, CallIsTracedWithArgumentsAndResult) {
  driver.answers[DdiId::QueryCurrentFence] = STATUS_UNSUCCESSFUL;
  with_adapter([&](World& world) {
    DXGKARG_QUERYCURRENTFENCE query{};
    query.NodeOrdinal = 5;
    EXPECT_EQ(call_ddi<DdiId::QueryCurrentFence>(5, world.adapter.miniport(), &query),
              STATUS_UNSUCCESSFUL);
  });
  const auto calls = entered(DdiId::QueryCurrentFence);
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].object, 5u);
  const auto returned = seen<ev::DdiReturned>();
  const auto last = std::find_if(returned.begin(), returned.end(), [](const auto& one) {
    return one.ddi == static_cast<std::uint32_t>(DdiId::QueryCurrentFence);
  });
  ASSERT_NE(last, returned.end());
  EXPECT_EQ(last->status, static_cast<std::uint32_t>(STATUS_UNSUCCESSFUL));
  EXPECT_EQ(last->object, 5u);
}

TEST_F(DdiCallTest, LevelIsThatOfTheRowAndComesBack) {
  int level = -1;
  driver.on_submit = [&](const DXGKARG_SUBMITCOMMAND&) { level = nt::irql(); };
  with_adapter([&](World& world) {
    DXGKARG_SUBMITCOMMAND submit{};
    call_ddi<DdiId::SubmitCommand>(kNone, world.adapter.miniport(), &submit);
    EXPECT_EQ(nt::irql(), nt::kPassive);
  });
  EXPECT_EQ(level, nt::kDispatch);
}

TEST_F(DdiCallTest, DriverThatReturnsAtAnotherLevelIsFound) {
  driver.on_query = [](const DXGKARG_QUERYADAPTERINFO& query) {
    KIRQL before = 0;
    if (query.Type == DXGKQAITYPE_DRIVERCAPS) KeRaiseIrql(DISPATCH_LEVEL, &before);
  };
  with_adapter([&](World&) {});
  const auto findings = seen<ev::Finding>();
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].kind, static_cast<std::uint32_t>(nt::FindingKind::IrqlChanged));
}

TEST(Clamped, CursorFarAwayDoesNotLookUnmoved) {
  EXPECT_EQ(clamped(-8), -8);
  EXPECT_EQ(clamped(1ll << 32), std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ(clamped(-(1ll << 32)), std::numeric_limits<std::int32_t>::min());
}

TEST(NumberIn, AnyNumberInAnEnumIsReadAsItIs) {
  DXGK_INTERRUPT_TYPE type{};
  const std::uint32_t strange = 0xdeadbeef;
  std::memcpy(&type, &strange, sizeof(type));
  EXPECT_EQ(number_in(type), strange);
}

}  // namespace
}  // namespace wddm::host
