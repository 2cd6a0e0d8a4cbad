#include "conformance/host/nt/image/image.h"

#include <algorithm>
#include <array>
#include <fstream>

#include "conformance/host/nt/tests/memory_test_support.h"

namespace wddm::nt {
namespace {

using Images = MemoryServices;

std::string driver(const std::string& name) {
  return std::string(DRIVER_FOLDER) + "/image_test_" + name + ".so";
}

std::unique_ptr<Image> load(const std::string& name) {
  std::string error;
  std::unique_ptr<Image> image = Image::open(driver(name), error);
  EXPECT_EQ(error, "");
  return image;
}

int enter(const Image& image) {
  return reinterpret_cast<int (*)(void*, void*)>(image.driver_entry())(nullptr, nullptr);
}

std::string error_of(const std::string& path) {
  std::string error;
  EXPECT_EQ(Image::open(path, error), nullptr);
  return error;
}

TEST_F(Images, DriverRunsWithTheHostsServices) {
  const auto image = load("plain");
  ASSERT_NE(image, nullptr);
  EXPECT_TRUE(image->missing_imports().empty());
  EXPECT_EQ(enter(*image) % 10, 3);
  EXPECT_EQ(pool_usage().blocks, 0u);
  EXPECT_EQ(only_finding(), "");
}

TEST_F(Images, RestoringPutsStaticVariablesBack) {
  const auto image = load("plain");
  image->snapshot();
  const int first = enter(*image);
  EXPECT_EQ(enter(*image), first + 110);
  image->restore();
  EXPECT_EQ(enter(*image), first);
  image->restore();
}

TEST_F(Images, RestoringLeavesCoverageCountersAlone) {
  const auto image = load("counted");
  image->snapshot();
  EXPECT_EQ(enter(*image), 111);
  EXPECT_EQ(enter(*image), 222);
  image->restore();
  EXPECT_EQ(enter(*image), 131);
}

TEST_F(Images, KnowsItsOwnAddresses) {
  const auto image = load("plain");
  EXPECT_TRUE(image->contains(image->driver_entry()));
  EXPECT_FALSE(image->contains(this));
}

TEST_F(Images, DriversInCWork) {
  const auto image = load("c");
  ASSERT_NE(image, nullptr);
  EXPECT_EQ(enter(*image), 42);
}

TEST_F(Images, MissingImportsAreListed) {
  const auto image = load("missing");
  ASSERT_NE(image, nullptr);
  std::vector<std::string> missing = image->missing_imports();
  std::sort(missing.begin(), missing.end());
  EXPECT_EQ(missing, (std::vector<std::string>{"PoInventedToo", "ZwInventedService", "swprintf"}));
}

TEST_F(Images, CallingAMissingImportIsFoundWithItsCaller) {
  const auto image = load("missing");
  EXPECT_EQ(enter(*image), 0);
  ASSERT_EQ(findings(), 3u);
  EXPECT_EQ(observer_.findings[0].kind, FindingKind::MissingImport);
  EXPECT_EQ(observer_.findings[0].service, "ZwInventedService");
  EXPECT_EQ(observer_.findings[0].caller.substr(0, 14), "DriverEntry+0x");
  EXPECT_EQ(observer_.findings[1].service, "PoInventedToo");
  EXPECT_EQ(observer_.findings[2].service, "swprintf");
}

// Its first copy gets what was there, its second what came in place of it. Of 16, 32 and 64 bytes
// the C library's first and last vector of some size are one and the same, read twice.
TEST_F(Images, CopiesAreTheHostsAndReadOnce) {
  const auto image = load("copies");
  ASSERT_NE(image, nullptr);
  EXPECT_TRUE(image->missing_imports().empty());
  for (const std::uint8_t bytes : {16, 32, 64, 100}) {
    memory::UserBuffer buffer(bytes);
    const std::array<std::uint8_t, 4> replacement{1, 2, 3, 4};
    std::fill_n(buffer.data(), bytes, std::uint8_t{7});
    std::uint8_t* from = buffer.change_after_first_read(0, replacement);
    std::vector<std::uint8_t> to(2 * bytes + 1), expected(2 * bytes + 1);
    to[0] = bytes;
    std::fill_n(expected.begin(), 2 * bytes, std::uint8_t{7});
    std::copy(replacement.begin(), replacement.end(), expected.begin() + bytes);
    const auto entry = reinterpret_cast<int (*)(void*, void*)>(image->driver_entry());
    EXPECT_EQ(entry(from, to.data()), 2 * bytes);
    EXPECT_EQ(to, expected);
  }
}

// Of one tag: a block of a global operator, one of an array's that calls it, one of a class's own.
TEST_F(Images, LeaksOfOperatorNewNameWhoCalledIt) {
  const auto image = load("leaking");
  ASSERT_NE(image, nullptr);
  EXPECT_EQ(enter(*image), 0);
  report_memory_leaks();
  ASSERT_EQ(findings(), 1u);
  const std::string& detail = observer_.findings[0].detail;
  EXPECT_EQ(detail.find("operator new"), std::string::npos) << detail;
  for (const char* name : {", from keep_one", ", keep_many", ", keep_own", ", keep_without"})
    EXPECT_NE(detail.find(name), std::string::npos) << detail;
}

TEST_F(Images, TraceHeadersAreGenerated) {
  const auto image = load("traced");
  ASSERT_NE(image, nullptr);
  EXPECT_TRUE(image->missing_imports().empty());
}

TEST_F(Images, ExceptionsAreCaughtWhateverTheBuildType) {
  const auto image = load("traced");
  EXPECT_EQ(static_cast<unsigned>(enter(*image)), 0xc0000005u);
}

TEST_F(Images, RawLongsAreListedByPlace) {
  std::vector<RawLong> longs;
  std::string error;
  ASSERT_TRUE(list_raw_longs(driver("c"), longs, error)) << error;
  std::vector<std::string> names;
  for (const RawLong& entry : longs) {
    EXPECT_NE(entry.file.find("in_c.c"), std::string::npos) << entry.file;
    names.push_back(entry.name + ": " + entry.type);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"member: long int", "counter: long unsigned int",
                                             "parameter: long int *",
                                             "chosen: function: long int * parameter 1"}));
}

TEST_F(Images, CleanDriverHasNoRawLongs) {
  std::vector<RawLong> longs;
  std::string error;
  ASSERT_TRUE(list_raw_longs(driver("plain"), longs, error)) << error;
  EXPECT_TRUE(longs.empty());
}

TEST_F(Images, AbsentFileIsRefused) {
  EXPECT_EQ(error_of("/nowhere/driver.so"), "/nowhere/driver.so: No such file or directory");
}

TEST_F(Images, TextFileIsRefused) {
  const std::string path = testing::TempDir() + "/not_a_driver.so";
  std::ofstream(path) << "hello, this is text and long enough for a header of sixty-four bytes";
  EXPECT_EQ(error_of(path), path + ": not an ELF file");
}

TEST_F(Images, ProgramIsRefused) {
  EXPECT_EQ(error_of("/proc/self/exe"), "/proc/self/exe: not a shared object but a program");
}

TEST_F(Images, LibraryWithoutDriverEntryIsRefused) {
  EXPECT_EQ(error_of(driver("no_entry")), driver("no_entry") + ": exports no DriverEntry");
}

TEST_F(Images, WhatASanitizerInstrumentedIsRefusedByItsName) {
  const std::string error = error_of(driver("sanitized"));
  EXPECT_TRUE(error.starts_with(driver("sanitized") + ": compiled with AddressSanitizer, "));
  EXPECT_NE(error.find("undefined symbol: __asan_invented"), std::string::npos) << error;
}

TEST_F(Images, TruncatedDriverIsRefused) {
  const std::string path = testing::TempDir() + "/truncated.so";
  std::ifstream whole(driver("plain"), std::ios::binary);
  std::string bytes(600, '\0');
  whole.read(bytes.data(), 600);
  std::ofstream(path, std::ios::binary) << bytes;
  EXPECT_EQ(error_of(path).substr(0, path.size() + 2), path + ": ");
}

}  // namespace
}  // namespace wddm::nt
