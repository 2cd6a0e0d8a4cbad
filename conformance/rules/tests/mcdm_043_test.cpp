// Calls that are for a virtual machine, and for a secure one.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm {
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

}  // namespace
}  // namespace wddm
