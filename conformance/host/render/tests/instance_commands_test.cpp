// Commands that name instances of an allocation, as user mode gives them.
#include "conformance/host/render/instance_commands.h"

#include <gtest/gtest.h>

namespace wddm::host {
namespace {

constexpr AllocationId kOld{0}, kNew{1}, kAnother{2};

using Commands = std::vector<gpu::Command>;

class InstanceCommands : public ::testing::Test {
 protected:
  InstanceCommands() { instances_.renamed(kOld, kNew); }
  Commands given(const Commands& commands) { return in_order_of_instances(commands, instances_); }
  vidmm::Instances instances_;
};

const gpu::Command kFill = gpu::fill(std::uint16_t{0}, 0, 4, 1);

TEST_F(InstanceCommands, InOrderTheyStayAsTheyAre) {
  const Commands commands{gpu::bind(0, kOld), kFill, gpu::bind(0, kNew), kFill};
  EXPECT_EQ(given(commands), commands);
}

TEST_F(InstanceCommands, AnOlderOneIsReleasedFromItsSlot) {
  EXPECT_EQ(
      given({gpu::bind(0, kOld), gpu::bind(1, kAnother), gpu::bind(2, kNew)}),
      (Commands{gpu::bind(0, kOld), gpu::bind(1, kAnother), gpu::unbind(0), gpu::bind(2, kNew)}));
}

TEST_F(InstanceCommands, AnOlderOneIsNotBoundAnyMore) {
  EXPECT_EQ(given({gpu::bind(0, kNew), gpu::bind(1, kOld)}), (Commands{gpu::bind(0, kNew)}));
}

TEST_F(InstanceCommands, NorInALaterBuffer) {
  instances_.name(kNew);
  EXPECT_EQ(given({gpu::bind(1, kOld), gpu::bind(0, kNew)}), (Commands{gpu::bind(0, kNew)}));
}

TEST_F(InstanceCommands, WithoutInstancesNothingChanges) {
  const Commands commands{gpu::bind(0, kNew), gpu::bind(1, kOld)};
  EXPECT_EQ(in_order_of_instances(commands, {}), commands);
}

}  // namespace
}  // namespace wddm::host
