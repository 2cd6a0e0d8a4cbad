// Walks that read a table of another level.
#include "conformance/rules/tests/space_test.h"

namespace wddm::mmu_002 {
namespace {

class Mmu002 : public SpaceTest {
 protected:
  Mmu002() {
    root(1, 3, 0x1000);
    submitted(2);
    add(ev::WalksJudged{.walks = 3});
  }
};

TEST_F(Mmu002, WalksGoDownLevelByLevel) {
  EXPECT_TRUE(holds("MMU-002"));
  EXPECT_EQ(times_reached("MMU-002"), 1u);
}

TEST_F(Mmu002, ALevelIsLeftOut) {
  astray(2, AstrayWalk::OtherLevel);
  EXPECT_FALSE(holds("MMU-002"));
  EXPECT_TRUE(holds("MMU-007"));
}

TEST_F(Mmu002, OtherErrorsHaveClausesOfTheirOwn) {
  astray(2, AstrayWalk::FormerTable);
  EXPECT_TRUE(holds("MMU-002"));
}

// Whose walk it is that went astray, by what the decoder has read on the way.
class Mmu002Entries : public Mmu002 {
 protected:
  Mmu002Entries() {
    add(ev::GpuMmuReported{.levels = 2});
    add(ev::PageTableLevelReported{.level = 1, .index_bits = 9});
  }
  // Of the entry that leads to the address.
  void update(std::uint32_t level, std::uint32_t wrong, std::uint32_t decoded = 1) {
    const EntryRecord asked{.address = 0x5000, .flags = entry_flag::kValid};
    add(ev::TableUpdated{.process = 3, .level = level, .count = 1},
        std::vector<EntryRecord>{asked});
    EntryRecord written = asked;
    written.address = 0x9000;
    add(
        ev::TableCompared{
            .update = updates_++, .process = 3, .level = level, .decoded = decoded, .wrong = wrong},
        std::vector<EntryDifference>(wrong, {.expected = asked, .seen = written}));
  }
  std::string seen() {
    add(ev::WalkAstray{.address = 0x10,
                       .fence = 2,
                       .process = 3,
                       .why = static_cast<std::uint32_t>(AstrayWalk::OtherLevel)});
    EXPECT_EQ(failures("MMU-002"), 1u);
    return seen_by("MMU-002");
  }

 private:
  std::uint32_t updates_ = 0;
};

TEST_F(Mmu002Entries, AreRight) {
  update(kRoot, 0);
  update(kLeaf, 1);
  update(kLeaf, 0);
  EXPECT_NE(seen().find("entries in memory are right: the device, or its model"),
            std::string::npos);
}

TEST_F(Mmu002Entries, AreWrong) {
  update(kRoot, 1);
  update(kLeaf, 0);
  EXPECT_NE(seen().find("of level 1 the driver wrote"), std::string::npos);
}

TEST_F(Mmu002Entries, AreNotKnown) {
  update(kRoot, 0);
  EXPECT_EQ(seen().find("in memory"), std::string::npos) << "nothing was read of the leaf";
}

TEST_F(Mmu002Entries, CannotBeRead) {
  update(kRoot, 0, 0);
  update(kLeaf, 0, 0);
  EXPECT_EQ(seen().find("in memory"), std::string::npos);
}

using Mmu007 = Mmu002;

TEST_F(Mmu007, TheIndexIsCutElsewhere) {
  astray(2, AstrayWalk::OtherIndex);
  EXPECT_FALSE(holds("MMU-007"));
  EXPECT_TRUE(holds("MMU-002"));
}

TEST_F(Mmu007, WalksAreJudged) {
  EXPECT_TRUE(holds("MMU-007"));
  EXPECT_EQ(times_reached("MMU-007"), 1u);
}

}  // namespace
}  // namespace wddm::mmu_002
