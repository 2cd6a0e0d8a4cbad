// Configurations in disguise: by name, so that journals and --config read them.
#include "conformance/harness/suite/disguises.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "conformance/harness/suite/configurations.h"

namespace wddm::harness {
namespace {

Configuration parsed(const std::string& text) {
  Configuration configuration;
  std::string error;
  EXPECT_TRUE(parse_configuration(text, configuration, error)) << error;
  return configuration;
}

TEST(Disguises, AreNamedAndReadByName) {
  for (const Disguise& one : disguises()) {
    const Configuration plain = parsed("Addressing=1");
    const Configuration other = disguised(plain, one);
    EXPECT_EQ(parsed(other.name).settings, other.settings) << one.name;
    EXPECT_TRUE(std::equal(plain.settings.begin(), plain.settings.end(), other.settings.begin()));
  }
}

TEST(Disguises, SayWhatIsUnknown) {
  Configuration configuration;
  std::string error;
  EXPECT_FALSE(parse_configuration("default as nobody", configuration, error));
  EXPECT_NE(error.find("'nobody'"), std::string::npos) << error;
  EXPECT_FALSE(parse_configuration("Nothing=1 as stranger", configuration, error));
  EXPECT_NE(error.find("'Nothing'"), std::string::npos) << error;
}

}  // namespace
}  // namespace wddm::harness
