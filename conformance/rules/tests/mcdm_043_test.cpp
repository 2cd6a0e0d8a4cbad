// Calls that are for a virtual machine, and for a secure one.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::mcdm_043 {
namespace {

class Mcdm043 : public TraceTest {
 protected:
  void tells(bool secure) {
    DXGK_VIRTUALMACHINEDATAFLAGS flags{};
    flags.SecureVirtualMachine = secure;
    calls(ddi_arguments::SetVirtualMachineData{.flags = flags.Value});
  }
  void asks(bool of_machine, bool secure) {
    DXGK_QUERYADAPTERINFOFLAGS flags{};
    flags.VirtualMachineData = of_machine;
    flags.SecureVirtualMachine = secure;
    ddi_arguments::QueryAdapterInfo query{};
    query.flags = flags.Value;
    calls(query);
  }
  void begins_access(NTSTATUS status = STATUS_SUCCESS) {
    add(ev::ExclusiveAccess{.status = static_cast<std::uint32_t>(status)});
  }
  void ends_access(NTSTATUS status = STATUS_SUCCESS) {
    add(ev::ExclusiveAccess{.stage = 1, .status = static_cast<std::uint32_t>(status)});
  }
  std::size_t failures() { return TraceTest::failures("MCDM-043"); }
  std::uint32_t reached() { return times_reached("MCDM-043"); }

 private:
  template <class Arguments>
  void calls(const Arguments& arguments) {
    add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(Arguments::kId), .object = kNone},
        std::vector<Arguments>{arguments});
  }
};

TEST_F(Mcdm043, AMachineThatIsNotSecure) {
  tells(false);
  asks(true, false);
  EXPECT_EQ(failures(), 0u);
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Mcdm043, ASecureMachine) {
  tells(true);
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Mcdm043, AQuestionForASecureMachine) {
  asks(true, true);
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Mcdm043, WithoutAMachineNothingIsJudged) {
  asks(false, false);
  EXPECT_EQ(failures(), 0u);
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Mcdm043, ASecureMachineThatIsRefused) {
  add(ev::SecureMachineWanted{.refused = 1});
  EXPECT_EQ(failures(), 0u);
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Mcdm043, ASecureMachineThatIsNotRefused) {
  add(ev::SecureMachineWanted{});
  EXPECT_EQ(failures(), 1u);
}

// -- of a driver that can be isolated

TEST_F(Mcdm043, AMachineBehindExclusiveAccess) {
  platform_.secure_mode = true;
  begins_access();
  ends_access();
  tells(true);
  asks(true, true);
  add(ev::SecureMachineWanted{});
  EXPECT_EQ(failures(), 0u);
  EXPECT_EQ(reached(), 2u);
}

TEST_F(Mcdm043, ExclusiveAccessOfLongAgo) {
  platform_.secure_mode = true;
  add(ev::Running{});
  begins_access();
  ends_access();
  tells(false);
  tells(true);
  tells(true);
  EXPECT_EQ(failures(), 0u);
  EXPECT_EQ(reached(), 2u);
}

TEST_F(Mcdm043, AMachineWithoutExclusiveAccess) {
  platform_.secure_mode = true;
  tells(true);
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Mcdm043, AQuestionBeforeExclusiveAccess) {
  platform_.secure_mode = true;
  asks(true, true);
  begins_access();
  ends_access();
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Mcdm043, ExclusiveAccessOfAnEarlierStart) {
  platform_.secure_mode = true;
  begins_access();
  ends_access();
  add(ev::Running{});
  tells(true);
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Mcdm043, ExclusiveAccessThatDidNotEnd) {
  platform_.secure_mode = true;
  begins_access();
  tells(true);
  EXPECT_EQ(failures(), 1u);
}

TEST_F(Mcdm043, ExclusiveAccessThatWasRefused) {
  platform_.secure_mode = true;
  begins_access(STATUS_DEVICE_BUSY);
  tells(true);
  begins_access();
  ends_access(STATUS_NO_MEMORY);
  tells(true);
  EXPECT_EQ(failures(), 2u);
}

// Such a driver has refused it itself, or there was no room for one.
TEST_F(Mcdm043, ARefusalOfWhatCouldBeIsolated) {
  platform_.secure_mode = true;
  add(ev::SecureMachineWanted{.refused = 1});
  EXPECT_EQ(failures(), 0u);
  EXPECT_EQ(reached(), 0u);
}

}  // namespace
}  // namespace wddm::mcdm_043
