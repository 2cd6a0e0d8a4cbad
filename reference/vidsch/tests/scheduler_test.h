// What the tests of the scheduler start from: two engines, in either model.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "reference/vidsch/tests/test_host.h"

namespace wddm::vidsch {

using Packets = std::vector<PacketId>;
using Fences = std::vector<std::uint32_t>;

inline Config small(bool preemption_aware = true) {
  Config config;
  config.nodes = 2;
  config.preemption_aware = preemption_aware;
  config.contexts = 8;
  config.packets = 32;
  config.first_fence = 10;
  return config;
}

class SchedulerTest : public ::testing::Test {
 protected:
  TestHost host{small()};
};

class Windows7SchedulerTest : public ::testing::Test {
 protected:
  TestHost host{small(false)};
};

}  // namespace wddm::vidsch
