// What standard allocations are described by.
#include <ntddk.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::alloc_013 {
namespace {

constexpr std::uint32_t kSizes = 1, kData = 2, kStaging = 3;

class Alloc013 : public TraceTest {
 protected:
  void say(std::uint32_t call, std::uint32_t pitch, std::uint32_t bytes = 40) {
    add(ev::StandardDataAnswered{.type = kStaging,
                                 .call = call,
                                 .allocation_bytes = bytes,
                                 .width = 64,
                                 .height = 4,
                                 .pitch = pitch});
  }
  void refuse(std::uint32_t call, NTSTATUS status = STATUS_INVALID_PARAMETER) {
    add(ev::StandardDataAnswered{
        .type = kStaging, .call = call, .status = static_cast<std::uint32_t>(status)});
  }
  void create(std::uint64_t size) {
    add(ev::AllocationGroup{.size = size, .count = 1, .described = 1, .standard = kStaging});
  }
  bool holds() { return TraceTest::holds("ALLOC-013"); }
};

TEST_F(Alloc013, SizesThenData) {
  say(kSizes, 0);
  say(kData, 256);
  create(1024);
  EXPECT_TRUE(holds());
}

TEST_F(Alloc013, DataAreGivenWhereSizesWere) {
  say(kSizes, 0);
  refuse(kData, STATUS_NOT_IMPLEMENTED);
  EXPECT_FALSE(holds());
}

TEST_F(Alloc013, WhoOnlyComputesMayRefuseWithTheData) {
  platform_.compute_only = true;
  say(kSizes, 0);
  refuse(kData, STATUS_NOT_IMPLEMENTED);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("ALLOC-013"), 1u);
}

TEST_F(Alloc013, TheLastRowNeedsNoPadding) {
  say(kSizes, 0);
  say(kData, 512);
  create(3 * 512 + 256);
  EXPECT_TRUE(holds());
}

TEST_F(Alloc013, TooSmallForItsRows) {
  say(kSizes, 0);
  say(kData, 256);
  create(1023);
  EXPECT_FALSE(holds());
}

// Rows of 68 bytes, 128 apart.
TEST_F(Alloc013, ThePaddingOfRowsCounts) {
  constexpr std::uint32_t kWidth = 17, kRows = 2048, kPitch = 128;
  const auto describe = [this] {
    say(kSizes, 0);
    add(ev::StandardDataAnswered{.type = kStaging,
                                 .call = kData,
                                 .allocation_bytes = 40,
                                 .width = kWidth,
                                 .height = kRows,
                                 .pitch = kPitch});
  };
  describe();
  create(std::uint64_t{kPitch} * (kRows - 1) + kWidth * 4);
  EXPECT_TRUE(holds());
  describe();
  create(std::uint64_t{kWidth} * 4 * kRows + 65536);
  EXPECT_FALSE(holds());
}

TEST_F(Alloc013, NoPrivateDataAtAll) {
  say(kSizes, 0, 0);
  EXPECT_FALSE(holds());
}

TEST_F(Alloc013, APitchTooSoon) {
  say(kSizes, 256);
  EXPECT_FALSE(holds());
}

TEST_F(Alloc013, RowsThatOverlap) {
  say(kSizes, 0);
  say(kData, 255);
  EXPECT_FALSE(holds());
}

TEST_F(Alloc013, NoPitchOfWhatIsLocked) {
  say(kSizes, 0);
  say(kData, 0);
  EXPECT_FALSE(holds());
}

TEST_F(Alloc013, APrimaryHasNoPitch) {
  constexpr std::uint32_t kPrimary = 1;
  for (const std::uint32_t call : {kSizes, kData}) {
    add(ev::StandardDataAnswered{
        .type = kPrimary, .call = call, .allocation_bytes = 40, .width = 1024, .height = 768});
  }
  add(ev::AllocationGroup{.size = 4096, .count = 1, .described = 1, .standard = kPrimary});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("ALLOC-013"), 2u);
}

// Which mode it is a driver may have looked at only now.
TEST_F(Alloc013, ASecondPrimaryMayBeRefused) {
  constexpr std::uint32_t kPrimary = 1;
  const auto answer = [this](std::uint32_t call, std::uint32_t width, NTSTATUS status) {
    add(ev::StandardDataAnswered{.type = kPrimary,
                                 .call = call,
                                 .status = static_cast<std::uint32_t>(status),
                                 .allocation_bytes = 40,
                                 .width = width,
                                 .height = 600});
  };
  answer(kSizes, 1024, STATUS_SUCCESS);
  answer(kData, 1024, STATUS_SUCCESS);
  answer(kSizes, 800, STATUS_SUCCESS);
  answer(kData, 800, STATUS_INVALID_PARAMETER);
  EXPECT_TRUE(holds());
}

TEST_F(Alloc013, TheOnlyPrimaryMayNot) {
  constexpr std::uint32_t kPrimary = 1;
  add(ev::StandardDataAnswered{.type = kPrimary, .call = kSizes, .allocation_bytes = 40});
  add(ev::StandardDataAnswered{.type = kPrimary,
                               .call = kData,
                               .status = static_cast<std::uint32_t>(STATUS_INVALID_PARAMETER)});
  EXPECT_FALSE(holds());
}

class Alloc013Gdi : public Alloc013 {
 protected:
  static constexpr std::uint32_t kGdi = 4, kTexture = 1, kVisible = 2, kHidden = 3, kExisting = 5;
  void answer(std::uint32_t gdi_type, std::uint32_t call, std::uint32_t pitch,
              NTSTATUS status = STATUS_SUCCESS) {
    add(ev::StandardDataAnswered{.type = kGdi,
                                 .call = call,
                                 .status = static_cast<std::uint32_t>(status),
                                 .allocation_bytes = 40,
                                 .width = 64,
                                 .height = 4,
                                 .pitch = pitch,
                                 .gdi_type = gdi_type});
  }
  void make(std::uint64_t size, NTSTATUS status = STATUS_SUCCESS) {
    add(ev::AllocationGroup{.size = size,
                            .count = 1,
                            .status = static_cast<std::uint32_t>(status),
                            .described = 1,
                            .standard = kGdi});
  }
};

TEST_F(Alloc013Gdi, WhatTheCpuSeesHasAPitch) {
  answer(kVisible, kSizes, 0);
  answer(kVisible, kData, 0);
  EXPECT_FALSE(holds());
}

TEST_F(Alloc013Gdi, SoHaveSurfacesOfPagesThatAreThereAlready) {
  answer(kExisting, kSizes, 0);
  answer(kExisting, kData, 256);
  EXPECT_TRUE(holds());
  answer(kExisting, kSizes, 0);
  answer(kExisting, kData, 0);
  EXPECT_FALSE(holds());
}

TEST_F(Alloc013Gdi, WhatItDoesNotSeeNeedsNone) {
  for (const std::uint32_t type : {kTexture, kHidden}) {
    answer(type, kSizes, 0);
    answer(type, kData, 0);
    make(1024);
  }
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("ALLOC-013"), 6u);
}

TEST_F(Alloc013Gdi, ATextureThatHoldsThreeRows) {
  answer(kTexture, kSizes, 0);
  answer(kTexture, kData, 0);
  make(768);
  EXPECT_FALSE(holds());
}

TEST_F(Alloc013Gdi, ATextureOfItsOwnDataIsMade) {
  answer(kTexture, kSizes, 0);
  answer(kTexture, kData, 0);
  make(0, STATUS_INVALID_PARAMETER);
  EXPECT_FALSE(holds());
}

// Which of them it is a driver may have looked at only now.
TEST_F(Alloc013Gdi, OneKindMayBeRefused) {
  answer(kVisible, kSizes, 0);
  answer(kVisible, kData, 256);
  for (const std::uint32_t type : {kHidden, kExisting}) {
    answer(type, kSizes, 0);
    answer(type, kData, 0, STATUS_NOT_SUPPORTED);
  }
  EXPECT_TRUE(holds());
}

TEST_F(Alloc013, OneOfTheTypesMayBeRefused) {
  refuse(kSizes);
  say(kSizes, 0);
  say(kData, 256);
  EXPECT_TRUE(holds());
}

TEST_F(Alloc013, AllOfThemMayNot) {
  refuse(kSizes);
  refuse(kSizes);
  EXPECT_EQ(failures("ALLOC-013"), 1u);
}

TEST_F(Alloc013, WhoOnlyComputesIsAskedForOneWithoutAUse) {
  platform_.compute_only = true;
  refuse(kSizes);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("ALLOC-013"), 0u);
  say(kSizes, 256);
  EXPECT_FALSE(holds());
}

TEST_F(Alloc013, MemoryMayBeShort) {
  refuse(kSizes, STATUS_NO_MEMORY);
  say(kSizes, 0);
  refuse(kData, STATUS_NO_MEMORY);
  say(kSizes, 0);
  say(kData, 256);
  add(ev::AllocationGroup{.count = 1,
                          .status = static_cast<std::uint32_t>(STATUS_INSUFFICIENT_RESOURCES),
                          .standard = kStaging});
  EXPECT_TRUE(holds());
}

TEST_F(Alloc013, ScenariosThatMakeCallsFailSayNothingOfRefusals) {
  op(OpKind::FailPool);
  refuse(kSizes);
  EXPECT_TRUE(holds());
}

TEST_F(Alloc013, DataAreRefusedAfterTheirSizes) {
  say(kSizes, 0);
  refuse(kData);
  EXPECT_FALSE(holds());
}

TEST_F(Alloc013, ItsOwnDataAreRefused) {
  say(kSizes, 0);
  say(kData, 256);
  add(ev::AllocationGroup{.count = 1,
                          .status = static_cast<std::uint32_t>(STATUS_INVALID_PARAMETER),
                          .standard = kStaging});
  EXPECT_FALSE(holds());
}

TEST_F(Alloc013, ASurfaceThatWasNotDescribedIsNobodys) {
  refuse(kSizes);
  say(kSizes, 0);
  add(ev::AllocationGroup{.count = 1,
                          .status = static_cast<std::uint32_t>(STATUS_INVALID_PARAMETER),
                          .standard = kStaging});
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::alloc_013
