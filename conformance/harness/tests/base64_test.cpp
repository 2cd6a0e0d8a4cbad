// Base64: the examples of RFC 4648 section 10, all bytes, and what is none.
#include "conformance/harness/judge/base64.h"

#include <gtest/gtest.h>

namespace wddm::harness {
namespace {

TEST(Base64, IsThatOfTheDocument) {
  EXPECT_EQ(to_base64(""), "");
  EXPECT_EQ(to_base64("f"), "Zg==");
  EXPECT_EQ(to_base64("fo"), "Zm8=");
  EXPECT_EQ(to_base64("foo"), "Zm9v");
  EXPECT_EQ(to_base64("foob"), "Zm9vYg==");
  EXPECT_EQ(to_base64("fooba"), "Zm9vYmE=");
  EXPECT_EQ(to_base64("foobar"), "Zm9vYmFy");
}

TEST(Base64, AllBytesComeBack) {
  std::string all;
  for (int i = 0; i < 256; ++i) {
    std::string bytes;
    EXPECT_TRUE(from_base64(to_base64(all), bytes));
    EXPECT_EQ(bytes, all);
    all += static_cast<char>(255 - i);
  }
}

TEST(Base64, OtherTextIsRefused) {
  std::string bytes;
  for (const char* text :
       {"Z", "Zg=", "Zg", "Z===", "====", "Zh==", "Zm9=", "Zg==Zg==", "Z!==", "Zm 9v", "Zg==\n"}) {
    EXPECT_FALSE(from_base64(text, bytes)) << text;
  }
}

}  // namespace
}  // namespace wddm::harness
