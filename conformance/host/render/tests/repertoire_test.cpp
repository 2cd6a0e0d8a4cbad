// What stands for commands that a client lacks comes to the same, as far as anyone looks.
#include "conformance/host/render/repertoire.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "reference/gpu/execute_command.h"

namespace wddm::host {
namespace {

using gpu::CommandKind;

constexpr AllocationId kTarget{3};
constexpr std::uint16_t kPatternSlot = 9;
constexpr SegmentId kMemory{1};
constexpr std::uint32_t kTargetPages = 4;

// The target at the start of memory, and the marker allocation behind it.
class RepertoireTest : public ::testing::Test {
 protected:
  RepertoireTest() {
    memory_.add_segment(kMemory, kTargetPages + 1);
    memory_.fill({kMemory}, (kTargetPages + 1) * kPageSize, 0);
    sizes_[kTarget.value] = kTargetPages * kPageSize;
    sizes_[kMarkerAllocation.value] = kPageSize;
  }
  void lacks(std::initializer_list<CommandKind> kinds) {
    for (const CommandKind kind : kinds) repertoire_.learn(kind, false);
    repertoire_.write_constants([this](std::uint32_t offset, std::uint32_t value) {
      memory_.fill(place(kMarkerAllocation, offset), 4, value);
    });
  }
  Repertoire::Commands run(Repertoire::Commands commands) {
    commands.insert(commands.begin(), gpu::bind(0, kTarget));
    commands = repertoire_.in_its_terms(commands, kPatternSlot);
    gpu::Bindings bindings;
    gpu::execute(commands, bindings, sizes_, memory_, [](AllocationId id, std::uint64_t offset) {
      return std::optional(place(id, offset));
    });
    return commands;
  }
  std::uint32_t target(std::uint32_t offset) const {
    return *memory_.dword(place(kTarget, offset));
  }
  static gpu::Place place(AllocationId id, std::uint64_t offset) {
    return {kMemory, offset + (id == kMarkerAllocation ? kTargetPages * kPageSize : 0)};
  }

  Repertoire repertoire_;
  gpu::ShadowMemory memory_;
  std::array<std::uint64_t, kSlots + 1> sizes_{};
};

TEST_F(RepertoireTest, WhatAClientHasStaysAsItIs) {
  const Repertoire::Commands commands{gpu::fill(std::uint16_t{0}, 0, 64, 7), gpu::add(0, 4, 1),
                                      gpu::spin(9)};
  EXPECT_EQ(repertoire_.in_its_terms(commands, kPatternSlot), commands);
}

TEST_F(RepertoireTest, CopiesFillEachWordOfTheRangeAndNoOther) {
  lacks({CommandKind::Fill});
  for (const std::uint32_t size : {4u, 60u, 64u, 68u, 4096u, 12284u}) {
    memory_.fill(place(kTarget, 0), kTargetPages * kPageSize, 0);
    run({gpu::fill(std::uint16_t{0}, 8, size, 0x1234)});
    const std::uint32_t pattern = target(8);
    EXPECT_NE(pattern, 0u);
    EXPECT_EQ(target(4), 0u);
    for (std::uint32_t at = 8; at < 8 + size; at += 4) ASSERT_EQ(target(at), pattern) << at;
    EXPECT_EQ(target(8 + size), 0u) << size;
  }
}

TEST_F(RepertoireTest, ValuesThatDifferHavePatternsThatDiffer) {
  lacks({CommandKind::Fill, CommandKind::Add});
  run({gpu::fill(std::uint16_t{0}, 0, 4, 1), gpu::fill(std::uint16_t{0}, 4, 4, 2),
       gpu::add(0, 8, 3), gpu::fill(std::uint16_t{0}, 12, 4, 1)});
  EXPECT_NE(target(0), target(4));
  EXPECT_NE(target(4), target(8));
  EXPECT_EQ(target(0), target(12));
}

TEST_F(RepertoireTest, ALadderCountsRuns) {
  lacks({CommandKind::Add});
  const std::uint32_t offset = repertoire_.marker_offset(1);
  for (std::uint32_t times = 1; times <= kRungs; ++times) {
    run(repertoire_.marker(5, offset));
    std::uint32_t ones = 0;
    for (std::uint32_t rung = 1; rung <= kRungs; ++rung) {
      ones += *memory_.dword(place(kMarkerAllocation, offset + rung * 4));
    }
    EXPECT_EQ(ones, times);
  }
}

TEST_F(RepertoireTest, LaddersLieApartAndRunOut) {
  lacks({CommandKind::Add});
  EXPECT_NE(repertoire_.marker_offset(0), repertoire_.marker_offset(1));
  EXPECT_EQ(repertoire_.marker_offset(0), repertoire_.marker_offset(64));
  EXPECT_EQ(repertoire_.marker_offset(128), kNone) << "a run too many could not be told any more";
}

TEST_F(RepertoireTest, TimeIsSpentWithCopies) {
  lacks({CommandKind::Spin});
  const Repertoire::Commands commands = run({gpu::spin(20)});
  EXPECT_EQ(std::count_if(commands.begin(), commands.end(),
                          [](const auto& one) { return one.kind == CommandKind::Copy; }),
            20);
}

TEST_F(RepertoireTest, TheFewerCopiesTimeIsSpentWithTheLongerTheyAre) {
  lacks({CommandKind::Spin});
  const auto copies_of = [this](std::uint32_t units, std::uint32_t most) {
    Repertoire::Commands copies =
        repertoire_.in_its_terms({gpu::spin(units)}, kPatternSlot, kMarkerAllocation, most);
    std::erase_if(copies, [](const auto& one) { return one.kind != CommandKind::Copy; });
    return copies;
  };
  EXPECT_EQ(copies_of(200, 256).size(), 200u);
  const Repertoire::Commands few = copies_of(200, 16);
  ASSERT_EQ(few.size(), 16u);
  EXPECT_EQ(few[0].size, 13u * 4) << "16 of 13 words are 200 at least";
  const Repertoire::Commands one = copies_of(100000, 1);
  ASSERT_EQ(one.size(), 1u);
  EXPECT_LE(one[0].offset + one[0].size, kPageSize);
  EXPECT_LE(one[0].src_offset + one[0].size, one[0].offset) << "source and destination overlap";
  EXPECT_TRUE(copies_of(0, 16).empty());
}

TEST(RepertoireSlots, ThoseThatTheDriverHasNotCountBackFromItsLast) {
  Repertoire::Commands commands{gpu::bind(0, kTarget), gpu::bind(255, kTarget),
                                gpu::copy(254, 0, 6, 0, 4)};
  Repertoire::fit_slots(commands, 8);
  EXPECT_EQ(Repertoire::slots_of(commands), (std::vector<std::uint16_t>{0, 7, 5, 6}));
}

TEST(RepertoireSlots, StayWhereTheyAreTooMany) {
  Repertoire::Commands commands{gpu::bind(0, kTarget), gpu::bind(1, kTarget),
                                gpu::bind(2, kTarget)};
  const Repertoire::Commands before = commands;
  Repertoire::fit_slots(commands, 2);
  EXPECT_EQ(commands, before);
}

}  // namespace
}  // namespace wddm::host
