// From abstract commands to the user-mode format: lists, bindings, constants, limits.
#include "conformance/drivers/reference/client/tests/bench_client.h"

namespace wddm::reference_client {
namespace {

class BuildTest : public BenchClient {};

TEST_F(BuildTest, FirstListEntryNamesNothing) {
  ASSERT_EQ(build({bind(3, 1)}), 0);
  ASSERT_EQ(result.allocation_count, 2u);
  EXPECT_EQ(list[0].allocation, WDDM_CLIENT_NO_ALLOCATION);
  EXPECT_EQ(list[1].allocation, 1u);
}

TEST_F(BuildTest, AllocationIsListedOnceAndWrittenOnlyIfACommandWritesIt) {
  ASSERT_EQ(build({bind(0, 2), bind(1, 1), bind(2, 2),
                   command(WDDM_COMMAND_COPY, 2, 64, 0, /*source=*/1)}),
            0);
  ASSERT_EQ(result.allocation_count, 3u);
  EXPECT_EQ(list[1].allocation, 2u);
  EXPECT_EQ(list[1].write, 1u);
  EXPECT_EQ(list[2].allocation, 1u);
  EXPECT_EQ(list[2].write, 0u);
}

TEST_F(BuildTest, ConstantsAreLoadedOnceAtTheHead) {
  ASSERT_EQ(build({bind(0, 0), command(WDDM_COMMAND_FILL, 0, 64, 7),
                   command(WDDM_COMMAND_ADD, 0, 0, 9), command(WDDM_COMMAND_FILL, 0, 64, 7)}),
            0);
  EXPECT_EQ(opcodes(), (Opcodes{HW_OP_LOAD_CONSTANT, HW_OP_LOAD_CONSTANT, HW_OP_USER_BIND,
                                HW_OP_FILL, HW_OP_ADD, HW_OP_FILL, HW_OP_USER_UNBIND}));
}

TEST_F(BuildTest, ValuesBeyondTheRegistersAreLoadedWhenNeeded) {
  std::vector<WddmCommand> commands{bind(0, 0)};
  for (std::uint32_t v = 0; v < HW_CONSTANT_COUNT + 2; ++v) {
    commands.push_back(command(WDDM_COMMAND_ADD, 0, 0, 100 + v));
  }
  ASSERT_EQ(build(commands), 0);
  std::uint32_t registers[HW_CONSTANT_COUNT] = {};
  std::uint32_t expected = 100;
  for (std::uint32_t w = 0; w < result.command_bytes / 4; w += HW_COMMAND_WORDS(words[w])) {
    if (HW_COMMAND_OPCODE(words[w]) == HW_OP_LOAD_CONSTANT) {
      registers[HW_COMMAND_A(words[w])] = words[w + 1];
    } else if (HW_COMMAND_OPCODE(words[w]) == HW_OP_ADD) {
      EXPECT_EQ(registers[HW_COMMAND_B(words[w])], expected++);
    }
  }
  EXPECT_EQ(expected, 100 + HW_CONSTANT_COUNT + 2);
}

TEST_F(BuildTest, SlotsLeftBoundAreReleasedAtTheEnd) {
  ASSERT_EQ(build({bind(0, 0), bind(5, 1), command(WDDM_COMMAND_UNBIND, 0, 0, 0)}), 0);
  EXPECT_EQ(opcodes(),
            (Opcodes{HW_OP_USER_BIND, HW_OP_USER_BIND, HW_OP_USER_UNBIND, HW_OP_USER_UNBIND}));
}

TEST_F(BuildTest, HintsRepeatTheBinds) {
  ASSERT_EQ(build({bind(0, 0), bind(5, 1)}), 0);
  ASSERT_EQ(result.patch_count, 2u);
  EXPECT_EQ(patches[1].allocation_index, 2u);
  EXPECT_EQ(patches[1].slot, 5u);
  EXPECT_EQ(patches[1].split_offset, 12u);
  EXPECT_EQ(words[patches[1].patch_offset / 4], 2u);
}

TEST_F(BuildTest, ASlotBeginsCloseToTheFirstByteThatIsReached) {
  WddmCommand fill = command(WDDM_COMMAND_FILL, 0, 64, 7), add = command(WDDM_COMMAND_ADD, 0, 0, 7);
  fill.offset = 4096;
  add.offset = 1028;
  WddmCommand copy = command(WDDM_COMMAND_COPY, 0, 4, 0, /*source=*/0);
  copy.offset = 512;
  copy.source_offset = 256;
  ASSERT_EQ(build({bind(0, 1), fill, add, bind(0, 1), copy}), 0);
  ASSERT_EQ(opcodes(), (Opcodes{HW_OP_LOAD_CONSTANT, HW_OP_USER_BIND, HW_OP_FILL, HW_OP_ADD,
                                HW_OP_USER_BIND, HW_OP_COPY, HW_OP_USER_UNBIND}));
  const std::uint32_t* const first = words.data() + HW_WORDS_LOAD_CONSTANT;
  EXPECT_EQ(first[2], 1024u);
  EXPECT_EQ(first[HW_WORDS_USER_BIND + 1], 4096u - 1024u);
  EXPECT_EQ(first[HW_WORDS_USER_BIND + HW_WORDS_FILL + 1], 4u);
  const std::uint32_t* const second = first + HW_WORDS_USER_BIND + HW_WORDS_FILL + HW_WORDS_ADD;
  EXPECT_EQ(second[2], 256u);
  EXPECT_EQ(second[HW_WORDS_USER_BIND + 1], 512u - 256u);
  EXPECT_EQ(second[HW_WORDS_USER_BIND + 2], 0u);
  ASSERT_EQ(result.patch_count, 2u);
  EXPECT_EQ(patches[0].allocation_offset, 1024u);
  EXPECT_EQ(patches[1].allocation_offset, 256u);
}

TEST_F(BuildTest, WithoutRoomForHintsThereAreNone) {
  patch_capacity = 1;
  ASSERT_EQ(build({bind(0, 0), bind(5, 1)}), 0);
  EXPECT_EQ(result.patch_count, 0u);
}

TEST_F(BuildTest, RefusesWhatDoesNotFit) {
  words_capacity = 2;
  EXPECT_EQ(build({bind(0, 0)}), -1);
  words_capacity = 256;
  list_capacity = 1;
  EXPECT_EQ(build({bind(0, 0)}), -1);
}

TEST_F(BuildTest, RefusesWhatTheHardwareCannotDo) {
  EXPECT_EQ(build({bind(HW_SLOT_COUNT, 0)}), -1);
  EXPECT_EQ(build({bind(0, 3)}), -1) << "no such allocation";
  EXPECT_EQ(build({command(WDDM_COMMAND_FILL, 0, 64, 1)}), -1) << "slot is not bound";
  EXPECT_EQ(build({bind(0, 0), command(WDDM_COMMAND_FILL, 0, 4100, 1)}), -1) << "too long";
  EXPECT_EQ(build({bind(0, 0), command(WDDM_COMMAND_FILL, 0, 2, 1)}), -1) << "not whole words";
  EXPECT_EQ(build({command(WDDM_COMMAND_SIGNAL, HW_SEMAPHORE_COUNT, 0, 1)}), -1);
  EXPECT_EQ(build({command(99, 0, 0, 0)}), -1);
  EXPECT_EQ(build({bind(0, 0), command(WDDM_COMMAND_FILL, 0, 4096, 1)}), 0) << "the control case";
}

// As a host does that knows more of each element: what this client doesn't know stays as it was.
TEST_F(BuildTest, ElementsMayBeLargerThanTheClientKnows) {
  struct Command {
    WddmCommand known;
    std::uint64_t later;
  };
  struct Entry {
    WddmListAllocation known;
    std::uint64_t later;
  };
  struct Hint {
    WddmPatchLocation known;
    std::uint64_t later;
  };
  const std::vector<Command> commands{{bind(3, 1), 7}, {command(WDDM_COMMAND_ADD, 3, 0, 9), 7}};
  const WddmBuildRequest request{sizeof(request),
                                 sizeof(Command),
                                 &commands[0].known,
                                 2,
                                 3,
                                 sizes.data(),
                                 16,
                                 0,
                                 nullptr,
                                 0,
                                 0,
                                 0,
                                 0,
                                 0,
                                 0,
                                 0,
                                 0,
                                 0,
                                 nullptr,
                                 0,
                                 0};
  std::vector<std::uint32_t> buffer(64);
  std::vector<Entry> entries(4, Entry{{}, 5});
  std::vector<Hint> hints(4, Hint{{}, 5});
  WddmBuildResult made{sizeof(made),
                       256,
                       buffer.data(),
                       4,
                       sizeof(Entry),
                       &entries[0].known,
                       4,
                       sizeof(Hint),
                       &hints[0].known,
                       nullptr,
                       0,
                       0,
                       nullptr,
                       0,
                       0};

  ASSERT_EQ(client->build(self, &request, &made), 0);

  ASSERT_EQ(made.allocation_count, 2u);
  EXPECT_EQ(entries[1].known.allocation, 1u);
  EXPECT_EQ(entries[1].known.write, 1u);
  EXPECT_EQ(entries[0].later, 5u);
  ASSERT_EQ(made.patch_count, 1u);
  EXPECT_EQ(hints[0].known.slot, 3u);
  EXPECT_EQ(hints[0].later, 5u);
}

// As a host does that was built before an element's last member was added.
TEST_F(BuildTest, ElementsMayBeSmallerThanTheClientKnows) {
  const WddmCommand commands[] = {bind(3, 1)};
  const WddmBuildRequest request{sizeof(request),
                                 sizeof(WddmCommand),
                                 commands,
                                 1,
                                 3,
                                 sizes.data(),
                                 16,
                                 0,
                                 nullptr,
                                 0,
                                 0,
                                 0,
                                 0,
                                 0,
                                 0,
                                 0,
                                 0,
                                 0,
                                 nullptr,
                                 0,
                                 0};
  std::vector<std::uint32_t> buffer(64);
  std::uint32_t entries[4] = {9, 9, 9, 9};
  std::uint32_t hints[4] = {9, 9, 9, 9};
  WddmBuildResult made{sizeof(made),
                       256,
                       buffer.data(),
                       4,
                       4,
                       reinterpret_cast<WddmListAllocation*>(entries),
                       1,
                       8,
                       reinterpret_cast<WddmPatchLocation*>(hints),
                       nullptr,
                       0,
                       0,
                       nullptr,
                       0,
                       0};

  ASSERT_EQ(client->build(self, &request, &made), 0);

  EXPECT_EQ(entries[0], WDDM_CLIENT_NO_ALLOCATION);
  EXPECT_EQ(entries[1], 1u);
  EXPECT_EQ(entries[2], 9u);
  EXPECT_EQ(hints[1], 3u);
  EXPECT_EQ(hints[2], 9u);
}

TEST_F(BuildTest, AllocationDataCarriesTheRequest) {
  const WddmAllocationRequest request{sizeof(request), UMD_SEGMENT_APERTURE, 12288, 1, 1, 0, 0, 1};
  UmdAllocationData data{};
  ASSERT_EQ(client->allocation_data(self, &request, nullptr, 0), int{sizeof data});
  ASSERT_EQ(client->allocation_data(self, &request, &data, sizeof data), int{sizeof data});
  EXPECT_EQ(data.magic, UMD_ALLOCATION_MAGIC);
  EXPECT_EQ(data.size, 12288u);
  EXPECT_EQ(data.flags, UMD_ALLOCATION_CPU_VISIBLE | UMD_ALLOCATION_APERTURE_ONLY);
  EXPECT_EQ(data.gpu, 1u);
}

TEST_F(BuildTest, AllocationDataRefusesContradictions) {
  const WddmAllocationRequest empty{sizeof(empty), 0, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(client->allocation_data(self, &empty, nullptr, 0), -1);
  const WddmAllocationRequest both{sizeof(both), UMD_SEGMENT_LOCAL, 4096, 0, 1, 0, 0, 0};
  EXPECT_EQ(client->allocation_data(self, &both, nullptr, 0), -1);
}

// ---- State of the context ----

class KeptConstants : public BuildTest {
 protected:
  // The next buffer is of the same context.
  void goes_on() {
    context_state = WDDM_CONTEXT_STATE_KEPT;
    kept.assign(left.begin(), left.begin() + result.state_bytes);
    state_commands = 100;
  }
  static WddmCommand fill(std::uint32_t value) { return command(WDDM_COMMAND_FILL, 0, 64, value); }
};

TEST_F(KeptConstants, WhatIsLoadedIsNotLoadedAgain) {
  ASSERT_EQ(build({bind(0, 0), fill(7)}), 0);
  EXPECT_EQ(result.counts_on_state, 0u);
  goes_on();
  ASSERT_EQ(build({bind(0, 0), fill(7), fill(9)}), 0);
  EXPECT_EQ(opcodes(), (Opcodes{HW_OP_LOAD_CONSTANT, HW_OP_USER_BIND, HW_OP_FILL, HW_OP_FILL,
                                HW_OP_USER_UNBIND}));
  EXPECT_EQ(words[1], 9u);
  EXPECT_EQ(result.counts_on_state, 1u);
}

TEST_F(KeptConstants, CommandsBehindThoseThatMayCountOnItLoadTheirs) {
  ASSERT_EQ(build({bind(0, 0), fill(7)}), 0);
  goes_on();
  state_commands = 1;
  ASSERT_EQ(build({bind(0, 0), fill(7)}), 0);
  EXPECT_EQ(opcodes().front(), HW_OP_LOAD_CONSTANT);
  EXPECT_EQ(result.counts_on_state, 0u);
}

TEST_F(KeptConstants, ANewContextHasZeros) {
  context_state = WDDM_CONTEXT_STATE_INITIAL;
  state_commands = 100;
  ASSERT_EQ(build({bind(0, 0), fill(0)}), 0);
  EXPECT_EQ(opcodes(), (Opcodes{HW_OP_USER_BIND, HW_OP_FILL, HW_OP_USER_UNBIND}));
  EXPECT_EQ(HW_COMMAND_B(words[3]), HW_CONSTANT_COUNT - 1);
  EXPECT_EQ(result.counts_on_state, 1u);
}

}  // namespace
}  // namespace wddm::reference_client
