// Which segments and pages a transfer by role comes to, on drivers with other segment lists.
#include "conformance/host/run/interpreter.h"
#include "conformance/host/tests/host_fixture.h"

namespace wddm::host {
namespace {

constexpr std::uint8_t kAnyPlace = 0, kLocalPlace = 1, kAperturePlace = 2;

class TransferPlaces : public HostTest {
 protected:
  /// Adds a segment behind those there are.
  void add_segment(bool aperture, std::uint64_t pages) {
    DXGK_SEGMENTDESCRIPTOR4 segment{};
    segment.BaseAddress.QuadPart = base_of(driver.segments.size() + 1);
    segment.Size = segment.CommitLimit = pages * 4096;
    segment.Flags.Aperture = aperture;
    driver.segments.push_back(segment);
  }
  static LONGLONG base_of(std::size_t segment) {
    return static_cast<LONGLONG>(segment * 0x10000000);
  }
  /// One op from a source page to a page, two pages long: "segment.page > segment.page", or why
  /// not.
  std::string transfer(std::uint8_t source, std::uint32_t source_page, std::uint8_t destination,
                       std::uint32_t page, bool from_end = false) {
    std::vector<Op> ops;
    if (mapped != 0) ops.push_back({.kind = OpKind::MapAperture, .x = 0, .y = mapped});
    ops.push_back({.kind = OpKind::TransferPlaces,
                   .a = source,
                   .b = destination,
                   .c = from_end,
                   .x = source_page,
                   .y = page,
                   .z = 2});
    on_machine([&](World& world) { interpret(world, {}, ops); });
    for (const std::string& why : texts<ev::OpSkipped>()) return why;
    for (const DXGKARG_BUILDPAGINGBUFFER& build : driver.built) {
      if (build.Operation == DXGK_OPERATION_TRANSFER) {
        return place(build.Transfer.Source) + " > " + place(build.Transfer.Destination);
      }
    }
    return "nothing";
  }

  /// Pages of the first aperture that are mapped before.
  std::uint32_t mapped = 0;

 private:
  template <class Side>
  static std::string place(const Side& side) {
    const auto page = (side.SegmentAddress.QuadPart - base_of(side.SegmentId)) / 4096;
    return std::to_string(side.SegmentId) + "." + std::to_string(page);
  }
};

class TransferPlacesWithApertureFirst : public TransferPlaces {
 protected:
  TransferPlacesWithApertureFirst() {
    driver.segments.clear();
    add_segment(true, 16);
    add_segment(false, 32);
    add_segment(false, 64);
    add_segment(true, 64);
    mapped = 16;
  }
};

TEST_F(TransferPlacesWithApertureFirst, TakeTheFirstSegmentOfTheirRole) {
  EXPECT_EQ(transfer(kLocalPlace, 3, kAperturePlace, 5), "2.3 > 1.5");
}

TEST_F(TransferPlacesWithApertureFirst, TakeTheFirstOfAllForAny) {
  EXPECT_EQ(transfer(kAnyPlace, 3, kLocalPlace, 5), "1.3 > 2.5");
}

TEST_F(TransferPlacesWithApertureFirst, CountFromTheEndOfTheDestination) {
  EXPECT_EQ(transfer(kLocalPlace, 3, kAperturePlace, 0, true), "2.3 > 1.14");
}

TEST_F(TransferPlacesWithApertureFirst, CountBackToTheFirstPage) {
  EXPECT_EQ(transfer(kLocalPlace, 3, kAperturePlace, 14, true), "2.3 > 1.0");
}

TEST_F(TransferPlacesWithApertureFirst, DoNotCountBackBeyondTheFirstPage) {
  EXPECT_EQ(transfer(kLocalPlace, 3, kAperturePlace, 15, true),
            "the pages are not in the segments");
}

TEST_F(TransferPlacesWithApertureFirst, DoNotOverlapWhenCountedFromTheEnd) {
  EXPECT_EQ(transfer(kLocalPlace, 29, kLocalPlace, 0, true),
            "the places overlap: what a Transfer makes of that is not laid down");
}

// A GPU may fault there (SUBMIT-017), and no document says what it finds.
TEST_F(TransferPlacesWithApertureFirst, LeaveOutWhatWasNeverMapped) {
  mapped = 6;
  EXPECT_EQ(transfer(kLocalPlace, 3, kAperturePlace, 5),
            "where pages of an aperture lead that were never mapped, or unmapped before a loss of "
            "power, nobody knows");
}

TEST_F(TransferPlacesWithApertureFirst, ReachTheLastPageThatIsMapped) {
  mapped = 7;
  EXPECT_EQ(transfer(kLocalPlace, 3, kAperturePlace, 5), "2.3 > 1.5");
}

TEST_F(TransferPlaces, SayThatThereIsNoApertureSegment) {
  driver.segments.pop_back();

  EXPECT_EQ(transfer(kLocalPlace, 0, kAperturePlace, 0), "the driver has no aperture segment");
}

class TransferPlacesWithAperturesAlone : public TransferPlaces {
 protected:
  TransferPlacesWithAperturesAlone() {
    driver.segments.clear();
    add_segment(true, 16);
    add_segment(true, 64);
    mapped = 16;
  }
};

// Allocations that are asked to be local lie in an aperture there.
TEST_F(TransferPlacesWithAperturesAlone, TakeAnApertureForLocal) {
  EXPECT_EQ(transfer(kLocalPlace, 3, kAperturePlace, 5), "1.3 > 1.5");
}

TEST_F(TransferPlacesWithAperturesAlone, DoNotOverlapThere) {
  EXPECT_EQ(transfer(kLocalPlace, 3, kAperturePlace, 4),
            "the places overlap: what a Transfer makes of that is not laid down");
}

}  // namespace
}  // namespace wddm::host
