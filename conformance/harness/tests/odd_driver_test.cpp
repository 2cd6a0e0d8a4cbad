// Drivers that do odd things, right or wrong, over the real host: what is theirs is never taken for
// a defect of the host, and what is allowed accuses nobody.
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "conformance/drivers/reference/device/hw.h"
#include "conformance/harness/tests/replay_support.h"

namespace wddm::harness {
namespace {

class OddDriver : public ReplayTest {
 protected:
  // What fired, each id once, separated by spaces.
  template <class Kind>
  std::string fired(const char* ops) {
    const Fault fault = fault_of<Kind>();
    std::string ids;
    for (const Failure& failure : run(scenario_of(ops), &fault).failures) {
      ids += (ids.empty() ? "" : " ") + failure.id;
    }
    return ids;
  }
  template <class Payload>
  [[nodiscard]] std::size_t count() const {
    return replayer_.trace().of<Payload>().size();
  }
};

struct UnmapsTwice final : Interposer {
  NTSTATUS UnmapMemory(HANDLE adapter, PVOID address) override {
    static_cast<void>(Interposer::UnmapMemory(adapter, address));
    return Interposer::UnmapMemory(adapter, address);
  }
};
struct UnmapsElsewhere final : Interposer {
  NTSTATUS UnmapMemory(HANDLE adapter, PVOID address) override {
    return Interposer::UnmapMemory(adapter, static_cast<char*>(address) + 4096);
  }
};

TEST_F(OddDriver, LIFE003_AMappingThatIsUndoneTwiceIsAFinding) {
  EXPECT_EQ(fired<UnmapsTwice>("ops:\n- start\n- stop\n"), "NT-BadParameter");
}

TEST_F(OddDriver, LIFE003_AMappingThatIsUndoneElsewhereStays) {
  const std::string ids = fired<UnmapsElsewhere>("ops:\n- start\n- stop\n");

  EXPECT_NE(ids.find("LIFE-003"), std::string::npos) << ids;
  EXPECT_NE(ids.find("NT-BadParameter"), std::string::npos) << ids;
}

}  // namespace
}  // namespace wddm::harness
