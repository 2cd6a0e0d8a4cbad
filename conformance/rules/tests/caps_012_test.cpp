// Types and names of nodes.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::caps_012 {
namespace {

constexpr std::uint32_t kEmpty = 0, kString = 1, kNoEnd = 2;
constexpr std::uint32_t kTypeLeft = 1, kNameLeft = 2;

class Caps012 : public TraceTest {
 protected:
  void node(std::uint32_t ordinal, std::uint32_t type, std::uint32_t name = kEmpty,
            std::uint32_t unwritten = 0, std::uint32_t status = 0) {
    add(ev::NodeAnswered{.ordinal = ordinal,
                         .status = status,
                         .type = type,
                         .name = name,
                         .unwritten = unwritten,
                         .nodes = 2});
  }
  bool holds_with(std::uint32_t flags, std::uint32_t version) {
    platform_.interface_version = version;
    add(ev::NodeAnswered{.type = DXGK_ENGINE_TYPE_COPY, .flags = flags, .nodes = 2});
    return holds();
  }
  bool holds() { return TraceTest::holds("CAPS-012"); }
};

TEST_F(Caps012, OneThatDrawsAndOneThatCopies) {
  node(0, DXGK_ENGINE_TYPE_3D, kString);
  node(1, DXGK_ENGINE_TYPE_COPY);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("CAPS-012"), 2u);
}

TEST_F(Caps012, TwoThatDraw) {
  node(0, DXGK_ENGINE_TYPE_3D);
  node(1, DXGK_ENGINE_TYPE_3D);
  EXPECT_FALSE(holds());
}

TEST_F(Caps012, OneThatDrawsAtEachTimeOfAsking) {
  node(0, DXGK_ENGINE_TYPE_3D);
  node(1, DXGK_ENGINE_TYPE_COPY);
  node(0, DXGK_ENGINE_TYPE_3D);
  node(1, DXGK_ENGINE_TYPE_COPY);
  EXPECT_TRUE(holds());
}

TEST_F(Caps012, ADeviceThatOnlyComputesMayHaveTwo) {
  platform_.compute_only = true;
  node(0, DXGK_ENGINE_TYPE_3D);
  node(1, DXGK_ENGINE_TYPE_3D);
  EXPECT_TRUE(holds());
}

TEST_F(Caps012, KindsThatThereAre) {
  for (const std::uint32_t type : {DXGK_ENGINE_TYPE_VIDEO_DECODE, DXGK_ENGINE_TYPE_OVERLAY,
                                   DXGK_ENGINE_TYPE_CRYPTO, DXGK_ENGINE_TYPE_VIDEO_CODEC}) {
    node(0, type);
  }
  EXPECT_TRUE(holds());
}

TEST_F(Caps012, AKindThatThereIsNot) {
  platform_.interface_version = DXGKDDI_INTERFACE_VERSION_WDDM3_2;
  node(0, DXGK_ENGINE_TYPE_VIDEO_CODEC + 1);
  EXPECT_FALSE(holds());
  ++platform_.interface_version;
  EXPECT_TRUE(holds()) << "a later interface may have it";
}

TEST_F(Caps012, OtherKindsHaveNames) {
  node(0, DXGK_ENGINE_TYPE_OTHER, kString);
  EXPECT_TRUE(holds());
  node(1, DXGK_ENGINE_TYPE_OTHER, kEmpty);
  EXPECT_FALSE(holds());
}

TEST_F(Caps012, OfKnownKindsANameMayBeLeftOut) {
  node(0, DXGK_ENGINE_TYPE_COPY, kEmpty, kNameLeft);
  EXPECT_TRUE(holds());
  node(1, DXGK_ENGINE_TYPE_OTHER, kString, kNameLeft);
  EXPECT_FALSE(holds());
}

TEST_F(Caps012, ANameEnds) {
  node(0, DXGK_ENGINE_TYPE_COPY, kNoEnd);
  EXPECT_FALSE(holds());
}

TEST_F(Caps012, AKindIsWritten) {
  node(0, 0, kEmpty, kTypeLeft);
  EXPECT_FALSE(holds());
}

TEST_F(Caps012, TestCommandsAreOfWddm3_2) {
  EXPECT_TRUE(holds_with(1u << 4, DXGKDDI_INTERFACE_VERSION_WDDM3_2));
  EXPECT_FALSE(holds_with(1u << 4, DXGKDDI_INTERFACE_VERSION_WDDM3_1));
}

TEST_F(Caps012, NeitherAreTheyThereInWddm1_3) {
  EXPECT_FALSE(holds_with(1u << 4, DXGKDDI_INTERFACE_VERSION_WDDM1_3));
}

TEST_F(Caps012, UserModeSubmissionIsOfWddm3_1) {
  EXPECT_TRUE(holds_with(1u << 3, DXGKDDI_INTERFACE_VERSION_WDDM3_1));
  EXPECT_FALSE(holds_with(1u << 3, DXGKDDI_INTERFACE_VERSION_WDDM3_0));
}

TEST_F(Caps012, FlagsThatAreReservedInEachVersion) {
  EXPECT_FALSE(holds_with(1u << 5, DXGKDDI_INTERFACE_VERSION_WDDM3_2));
}

// A later one may have given them a meaning.
TEST_F(Caps012, FlagsOfVersionsThatNobodyKnowsHere) {
  EXPECT_TRUE(holds_with(1u << 5, DXGKDDI_INTERFACE_VERSION_WDDM3_2 + 1));
}

TEST_F(Caps012, OlderFlagsAndTheUpperHalf) {
  EXPECT_TRUE(holds_with(7u | 0xFFFFu << 16, DXGKDDI_INTERFACE_VERSION_WDDM2_0));
}

TEST_F(Caps012, WhatWasRefusedAndWhatThereIsNotAreNotLookedAt) {
  node(0, DXGK_ENGINE_TYPE_COPY, kNoEnd, 0, 0xC000000D);
  node(2, DXGK_ENGINE_TYPE_COPY, kNoEnd);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("CAPS-012"), 0u);
}

// Node 0 of GPU 1 of a link.
constexpr std::uint32_t kOfTheSecond = 1u << 16;

TEST_F(Caps012, EachGpuOfALinkHasOneThatDraws) {
  platform_.linked_adapters = 2;
  node(0, DXGK_ENGINE_TYPE_3D);
  node(1, DXGK_ENGINE_TYPE_COPY);
  node(kOfTheSecond, DXGK_ENGINE_TYPE_3D);
  node(kOfTheSecond + 1, DXGK_ENGINE_TYPE_COPY);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("CAPS-012"), 4u);
  node(kOfTheSecond, DXGK_ENGINE_TYPE_3D);
  node(kOfTheSecond + 1, DXGK_ENGINE_TYPE_3D);
  EXPECT_FALSE(holds());
}

TEST_F(Caps012, NodesOfTheSecondGpuHaveNamesToo) {
  platform_.linked_adapters = 2;
  node(0, DXGK_ENGINE_TYPE_OTHER, kString);
  node(kOfTheSecond, DXGK_ENGINE_TYPE_OTHER, kEmpty);
  EXPECT_FALSE(holds());
}

TEST_F(Caps012, AGpuThatThereIsNotIsNotLookedAt) {
  node(0, DXGK_ENGINE_TYPE_3D);
  node(kOfTheSecond, DXGK_ENGINE_TYPE_OTHER, kEmpty);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::caps_012
