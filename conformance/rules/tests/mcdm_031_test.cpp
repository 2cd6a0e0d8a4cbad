// What a device without displays is asked for, and what it is given.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"
#include "reference/trace/ddi.h"

namespace wddm::mcdm_031 {
namespace {

class Mcdm031 : public TraceTest {
 protected:
  void acquires(NTSTATUS result) {
    add(ev::CallbackCalled{
        .callback = static_cast<std::uint32_t>(CallbackId::AcquirePostDisplayOwnership),
        .result = static_cast<std::uint32_t>(result)});
  }
  bool holds() { return TraceTest::holds("MCDM-031"); }
};

TEST_F(Mcdm031, AStagingSurface) {
  add(ev::StandardDataAnswered{.type = D3DKMDT_STANDARDALLOCATION_STAGINGSURFACE});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MCDM-031"), 1u);
}

TEST_F(Mcdm031, AllIsAskedAndNoSurfaceAmongIt) {
  add(ev::OpStarted{.kind = static_cast<std::uint32_t>(OpKind::Requery)});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MCDM-031"), 1u);
}

TEST_F(Mcdm031, ASharedPrimary) {
  add(ev::StandardDataAnswered{.type = D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE});
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm031, TheModeOfTheFirmware) {
  acquires(STATUS_NOT_SUPPORTED);
  EXPECT_TRUE(holds());
  acquires(STATUS_SUCCESS);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm031, OtherCallbacks) {
  add(ev::CallbackCalled{.callback = static_cast<std::uint32_t>(CallbackId::QueueDpc)});
  EXPECT_EQ(times_reached("MCDM-031"), 0u);
}

}  // namespace
}  // namespace wddm::mcdm_031
