// What can be asked of all packets at once; neither machine nor driver is needed.
#include <gtest/gtest.h>

#include "conformance/host/tests/packets.h"

namespace wddm::host {
namespace {

class PacketTableTest : public testing::Test {
 protected:
  template <class Work>
  Packet& add(const Work& work, std::uint32_t submissions = 0) {
    Packet packet = packet_of(work);
    packet.submissions = submissions;
    return table.add(vidsch::PacketId{next_++}, std::move(packet));
  }
  std::shared_ptr<RenderBuffer> doing(const gpu::Command& command) {
    auto buffer = listed({0});
    buffer->stream->commands.push_back(command);
    return buffer;
  }
  /// `there`: what buffers wait for.
  static bool may_take(const PacketTable& of, std::uint64_t units, bool there = false) {
    return of.may_take(units, [there](const RenderBuffer& buffer) {
      return there || buffer.stream->commands.empty() ||
             buffer.stream->commands[0].kind != gpu::CommandKind::Wait;
    });
  }
  bool is_paging(std::initializer_list<AllocationId> allocations) const {
    return table.is_paging({allocations.begin(), allocations.size()});
  }
  PacketTable table;

 private:
  std::uint32_t next_ = 1;
};

TEST_F(PacketTableTest, TakesOutWhatWasPutIn) {
  add(listed({3}));
  EXPECT_TRUE(table.contains(vidsch::PacketId{1}));

  const PacketTable::Node node = table.extract(vidsch::PacketId{1});
  const Packet& taken = node.mapped();

  EXPECT_EQ(taken.context(), ContextId{3});
  EXPECT_FALSE(table.contains(vidsch::PacketId{1}));
  EXPECT_EQ(table.size(), 0u);
}

TEST_F(PacketTableTest, PagingOfAnAllocationIsFoundByIt) {
  add(listed({0}, {{{4}, true}}));
  add(paging_of({3}));

  EXPECT_TRUE(is_paging({{7}, {3}}));
  EXPECT_FALSE(is_paging({{4}}));
  EXPECT_FALSE(is_paging({}));
}

TEST_F(PacketTableTest, PagingOfNoAllocationMayBeOfAny) {
  EXPECT_FALSE(is_paging({{1}}));
  add(paging_of(kNoAllocation));

  EXPECT_TRUE(is_paging({{1}}));
  EXPECT_TRUE(is_paging({}));
}

TEST_F(PacketTableTest, ContextsCompeteForWhatOneOfThemWrites) {
  add(listed({1}, {{{5}, true}, {{6}, false}}));

  EXPECT_TRUE(table.competes(*listed({0}, {{{5}, false}}))) << "it reads what another writes";
  EXPECT_TRUE(table.competes(*listed({0}, {{{6}, true}}))) << "it writes what another reads";
  EXPECT_FALSE(table.competes(*listed({0}, {{{6}, false}}))) << "both read";
  EXPECT_FALSE(table.competes(*listed({0}, {{{7}, true}}))) << "nothing in common";
  EXPECT_FALSE(table.competes(*listed({1}, {{{5}, true}}))) << "the same context";
}

TEST_F(PacketTableTest, NobodyCompetesForTheMarkerOrForNothing) {
  add(listed({1}, {{kMarkerAllocation, true}, {kNoAllocation, true}}));

  EXPECT_FALSE(table.competes(*listed({0}, {{kMarkerAllocation, true}, {kNoAllocation, true}})));
}

TEST_F(PacketTableTest, WorkTakesAsLongAsItsCommands) {
  add(doing(gpu::spin(100)), 1);
  add(doing(gpu::fill(0, 0, 400, 0)), 1);

  EXPECT_TRUE(may_take(table, 201));
  EXPECT_FALSE(may_take(table, 202));
}

TEST_F(PacketTableTest, PagingTakesAsLongAsItHasWords) {
  const auto paging = paging_of({0});
  paging->record.pages = 1;
  add(paging, 1);

  EXPECT_TRUE(may_take(table, 1025));
  EXPECT_FALSE(may_take(table, 1026));
}

TEST_F(PacketTableTest, WorkThatTheDriverDoesNotHaveTakesNoTime) {
  add(doing(gpu::spin(100)));

  EXPECT_FALSE(may_take(table, 1));
}

TEST_F(PacketTableTest, WaitsAndAlteredInputMayTakeForEver) {
  add(doing(gpu::wait(0, 1)));
  EXPECT_FALSE(may_take(table, 1'000'000)) << "it was not submitted";
  table.at(vidsch::PacketId{1}).submissions = 1;
  EXPECT_TRUE(may_take(table, 1'000'000));
  EXPECT_FALSE(may_take(table, 1'000'000, true)) << "what it waits for is there";

  PacketTable others;
  auto hostile = listed({0});
  hostile->hostile = true;
  Packet packet = packet_of(hostile);
  packet.submissions = 1;
  others.add(vidsch::PacketId{1}, std::move(packet));
  EXPECT_TRUE(may_take(others, 1'000'000));
}

TEST_F(PacketTableTest, IsAtRestUntilSomethingIsSubmitted) {
  EXPECT_TRUE(table.at_rest());
  Packet& packet = add(listed({0}));
  EXPECT_TRUE(table.at_rest());

  packet.submissions = 1;

  EXPECT_FALSE(table.at_rest());
}

TEST_F(PacketTableTest, IsNotAtRestBetweenTwoPartsOfOneThing) {
  add(listed({0})).render()->buffer->started = true;
  EXPECT_FALSE(table.at_rest()) << "a portion has run";

  static_cast<void>(table.extract(vidsch::PacketId{1}));
  add(paging_of({0})).paging()->buffer->operation->started = true;
  EXPECT_FALSE(table.at_rest()) << "a paging buffer has run";
}

}  // namespace
}  // namespace wddm::host
