// What a use of a buffer finds in its private data.
#include "conformance/host/adapter/left_private_data.h"

#include <gtest/gtest.h>

namespace wddm::host {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes begun(LeftPrivateData& left, std::size_t size) {
  Bytes data(size, 0xCC);
  left.begin(data);
  return data;
}

TEST(LeftPrivateData, ZerosInANewBuffer) {
  LeftPrivateData left;
  EXPECT_EQ(begun(left, 3), Bytes(3));
}

TEST(LeftPrivateData, WhatTheLastUseHasLeftOnce) {
  LeftPrivateData left;
  left.leave(Bytes{1, 2, 3});
  EXPECT_EQ(begun(left, 3), (Bytes{1, 2, 3}));
  EXPECT_EQ(begun(left, 3), Bytes(3)) << "two at a time are two buffers";
}

TEST(LeftPrivateData, TheLatestFirst) {
  LeftPrivateData left;
  left.leave(Bytes{1});
  left.leave(Bytes{2});
  EXPECT_EQ(begun(left, 1), Bytes{2});
  EXPECT_EQ(begun(left, 1), Bytes{1});
}

TEST(LeftPrivateData, OfAnotherSize) {
  LeftPrivateData left;
  left.leave(Bytes{1, 2, 3});
  EXPECT_EQ(begun(left, 2), (Bytes{1, 2}));
  left.leave(Bytes{4});
  EXPECT_EQ(begun(left, 2), (Bytes{4, 0}));
}

}  // namespace
}  // namespace wddm::host
