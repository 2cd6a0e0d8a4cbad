// Whatever memory differs by, some clause reads it: each operation of paging, and commands of each
// way in which they come to run, with patch lists and with GPU virtual addresses.
#include "conformance/rules/rule_registry.h"
#include "conformance/rules/tests/paging_test.h"

namespace wddm::every_difference {
namespace {

class EveryDifference : public PagingTest {
 protected:
  static constexpr std::uint32_t kIncomplete = 0xC01E0001, kPacket = 1, kRender = 3;

  /// Failures of all clauses that bind drivers.
  std::size_t failures_of_all() {
    std::size_t all = 0;
    for (const Rule* const rule : all_rules()) {
      if (rule->binds == Binds::Driver) all += failures(rule->id);
    }
    return all;
  }
  void a_packet_runs(std::uint32_t packet, std::uint32_t start = 0) {
    add(ev::Submitted{.packet = packet, .render = kRender, .start = start, .end = start + 16});
    add(ev::PacketEnded{.packet = packet});
  }
  void rendered(std::uint32_t pass, std::uint32_t status) {
    add(ev::Rendered{.render = kRender, .status = status, .multipass_out = pass + 1, .pass = pass});
  }
  void expect_that_somebody_reads(MemoryCause cause, std::uint32_t operation) {
    const std::size_t before = failures_of_all();
    add(ev::MemoryChecked{.cause = static_cast<std::uint32_t>(cause),
                          .object = kPacket,
                          .operation = operation,
                          .differences = 1});
    add(ev::MemoryDiffers{.length = 4,
                          .cause = static_cast<std::uint32_t>(cause),
                          .cause_object = kPacket,
                          .operation = operation});
    EXPECT_GT(failures_of_all(), before);
  }
  void expect_that_somebody_reads_commands() {
    expect_that_somebody_reads(MemoryCause::Render, kNone);
  }
};

// -- commands

TEST_F(EveryDifference, OfABufferThatOneCallOfRenderMade) {
  rendered(0, 0);
  a_packet_runs(kPacket);
  expect_that_somebody_reads_commands();
}

TEST_F(EveryDifference, OfABufferThatUserModeBuilt) {
  add(ev::BufferBuilt{.render = kRender});
  a_packet_runs(kPacket);
  expect_that_somebody_reads_commands();
}

TEST_F(EveryDifference, OfABufferThatWasMadeInPasses) {
  rendered(0, kIncomplete);
  rendered(1, 0);
  a_packet_runs(kPacket - 1);
  a_packet_runs(kPacket);
  expect_that_somebody_reads_commands();
}

TEST_F(EveryDifference, OfABufferThatRanInPortions) {
  rendered(0, 0);
  a_packet_runs(kPacket - 1);
  a_packet_runs(kPacket, 16);
  expect_that_somebody_reads_commands();
}

// -- paging

class EveryOperation : public EveryDifference, public testing::WithParamInterface<std::uint32_t> {};

TEST_P(EveryOperation, IsReadBySomebody) {
  const std::uint32_t operation = GetParam();
  add(ev::ContextAllocationWritten{.operation = operation});
  built(operation, {}, ev::PagingBuilt{.used = 16});
  add(ev::PacketEnded{.packet = kPacket, .paging = 1});
  done(operation, kPacket);
  expect_that_somebody_reads(MemoryCause::Paging, operation);
}

INSTANTIATE_TEST_SUITE_P(
    PatchLists, EveryOperation,
    testing::Values(DXGK_OPERATION_TRANSFER, DXGK_OPERATION_FILL, DXGK_OPERATION_DISCARD_CONTENT,
                    DXGK_OPERATION_READ_PHYSICAL, DXGK_OPERATION_WRITE_PHYSICAL,
                    DXGK_OPERATION_MAP_APERTURE_SEGMENT, DXGK_OPERATION_UNMAP_APERTURE_SEGMENT,
                    DXGK_OPERATION_SPECIAL_LOCK_TRANSFER));
INSTANTIATE_TEST_SUITE_P(
    VirtualAddresses, EveryOperation,
    testing::Values(DXGK_OPERATION_VIRTUAL_TRANSFER, DXGK_OPERATION_VIRTUAL_FILL,
                    DXGK_OPERATION_INIT_CONTEXT_RESOURCE, DXGK_OPERATION_UPDATE_PAGE_TABLE,
                    DXGK_OPERATION_FLUSH_TLB, DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION,
                    DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES, DXGK_OPERATION_NOTIFY_RESIDENCY,
                    DXGK_OPERATION_SIGNAL_MONITORED_FENCE, DXGK_OPERATION_MAP_APERTURE_SEGMENT2));

}  // namespace
}  // namespace wddm::every_difference
