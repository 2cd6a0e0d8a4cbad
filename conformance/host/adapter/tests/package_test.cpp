// What is read of an INF, and what is refused as none.
#include "conformance/host/adapter/package.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace wddm::host {
namespace {

std::string read(std::string_view bytes) {
  std::string entries, error;
  return parse_package(bytes, "p.inf", entries, error) ? entries : "refused: " + error;
}

std::string utf16(std::string_view text) {
  std::string bytes = "\xff\xfe";
  for (const char c : text) {
    bytes += c;
    bytes += '\0';
  }
  return bytes;
}

TEST(Package, ClassAndGuid) {
  EXPECT_EQ(read("[Version]\nClass=Display\nClassGuid={1}\n"), "Class=Display\nClassGuid={1}\n");
}

TEST(Package, NamesInAnyCaseWithBlanksAndQuotes) {
  EXPECT_EQ(read("[ VERSION ]\r\n  class =  \"Display\" \r\n"), "Class=Display\n");
}

TEST(Package, Comments) {
  EXPECT_EQ(read("; about\n[Version] ; it\nClass=A;B\n;Class=C\nClassGuid=\"x;y\"\n"),
            "Class=A\nClassGuid=x;y\n");
}

TEST(Package, OtherSectionsAreNoneOfIt) {
  EXPECT_EQ(read("[Class]\nClass=A\n[Version]\nClass=B\n[Version.1]\nClass=C\n"), "Class=B\n");
}

TEST(Package, ASectionInTwoParts) {
  EXPECT_EQ(read("[Version]\nClass=A\n[Other]\n[Version]\nClass=B\n"), "Class=A\nClass=B\n");
}

TEST(Package, Tokens) {
  EXPECT_EQ(read("[Version]\nClass=%Name%\nClassGuid=%None%%%\n[Strings]\nname=\"A\"\n"),
            "Class=A\nClassGuid=%None%%\n");
}

TEST(Package, LinesThatGoOn) {
  EXPECT_EQ(read("[Version]\nClass=\\\n  Display\n"), "Class=Display\n");
}

TEST(Package, WithoutAClass) {
  EXPECT_EQ(read("[Version]\nSignature=x"), "");
}

TEST(Package, Encodings) {
  const std::string_view text = "[Version]\nClass=A\n";
  EXPECT_EQ(read(std::string("\xef\xbb\xbf").append(text)), "Class=A\n");
  EXPECT_EQ(read(utf16(text)), "Class=A\n");
  EXPECT_EQ(read("[Version]\nClass=\xc3\xa4\x07\n"), "Class=???\n");
}

TEST(Package, WhatIsNoInf) {
  EXPECT_EQ(read(""), "refused: p.inf:1: the end; expected a [Version] section");
  EXPECT_EQ(read("[Other]\na=b\n"), "refused: p.inf:2: the end; expected a [Version] section");
  EXPECT_EQ(read("\n[Version\n"), "refused: p.inf:2: a section name without its end; expected ]");
  EXPECT_EQ(read("Class=A\n"),
            "refused: p.inf:1: an entry before the first section; expected [Version] or another "
            "section");
  EXPECT_EQ(read(std::string_view("[Version]\n\0", 11)),
            "refused: p.inf:2: a zero byte; expected text in UTF-8, or in UTF-16LE with a byte "
            "order mark");
  EXPECT_EQ(read(utf16("[Version]\n") + "x"),
            "refused: p.inf:2: half a UTF-16 character at the end; expected an even number of "
            "bytes");
  EXPECT_EQ(read("\xfe\xff"),
            "refused: p.inf:1: UTF-16BE; expected UTF-8, or UTF-16LE with a byte order mark");
  EXPECT_EQ(read("[Version]\nClass=" + std::string(5000, 'a')),
            "refused: p.inf:2: a line of more than 4096 characters; expected shorter ones");
}

TEST(Package, NoMoreThanASectionHas) {
  std::string text = "[Version]\n";
  for (int i = 0; i < 1000; ++i) text += "Class=A\n";
  EXPECT_EQ(read(text).size(), 64 * std::string("Class=A\n").size());
}

TEST(Package, FilesThatAreNot) {
  std::string entries, error;
  EXPECT_FALSE(read_package("/no/such/file.inf", entries, error));
  EXPECT_EQ(error, "/no/such/file.inf: No such file or directory");
  EXPECT_FALSE(read_package("/", entries, error));
  EXPECT_EQ(error, "/: not a file; expected an INF");
}

}  // namespace
}  // namespace wddm::host
