// The packet pool: stale ids, and queues against std::vector.
#include "reference/vidsch/packet_pool.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace wddm::vidsch {
namespace {

TEST(PacketPool, AStaleIdIsNotFound) {
  PacketPool pool(1);
  const PacketId first = pool.make().id;
  pool.release(*pool.find(first));
  const PacketId second = pool.make().id;
  EXPECT_EQ(pool.find(first), nullptr);
  EXPECT_NE(pool.find(second), nullptr);
}

TEST(PacketPool, NoIdIsZeroEvenAfterManyUses) {
  PacketPool pool(1);
  for (int i = 0; i < 70000; ++i) {
    Packet& packet = pool.make();
    ASSERT_NE(packet.id.value >> 16, 0u);
    pool.release(packet);
  }
  EXPECT_EQ(pool.find(PacketId{0}), nullptr);
  EXPECT_EQ(pool.find(PacketId{UINT32_MAX}), nullptr);
}

TEST(PacketPoolDeathTest, AnExhaustedPoolIsADefectOfOurs) {
  PacketPool pool(1);
  static_cast<void>(pool.make());
  EXPECT_EXIT(static_cast<void>(pool.make()), ::testing::ExitedWithCode(4), "HARNESS:");
}

RC_GTEST_PROP(PacketPoolProperty, AListIsAVector, ()) {
  PacketPool pool(8);
  PacketList list;
  std::vector<PacketId> naive;
  const int steps = *rc::gen::inRange(0, 50);
  for (int step = 0; step < steps; ++step) {
    const std::size_t at = naive.empty() ? 0 : *rc::gen::inRange<std::size_t>(0, naive.size());
    switch (*rc::gen::inRange(0, 3)) {
      case 0:
        if (pool.free_count() == 0) break;
        naive.push_back(pool.make().id);
        pool.push_back(list, *pool.find(naive.back()));
        break;
      case 1:
        if (pool.free_count() == 0) break;
        naive.insert(naive.begin(), pool.make().id);
        pool.push_front(list, *pool.find(naive.front()));
        break;
      default: {
        if (naive.empty()) break;
        Packet& packet = *pool.find(naive[at]);
        pool.remove(list, packet);
        pool.release(packet);
        naive.erase(naive.begin() + static_cast<std::ptrdiff_t>(at));
      }
    }
    pool.validate();
    pool.validate(list);
    std::vector<PacketId> forward;
    for (const Packet* p = pool.front(list); p; p = pool.next(*p)) forward.push_back(p->id);
    RC_ASSERT(forward == naive);
  }
}

}  // namespace
}  // namespace wddm::vidsch
