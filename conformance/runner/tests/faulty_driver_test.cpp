// minimize, repro and convert with the real host and a driver with a seeded fault.
#include <gtest/gtest.h>

#include "conformance/runner/tests/program.h"

namespace wddm::runner {
namespace {

const std::string kFolder = WDDM_BINARIES;

Ended wddmcheck(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), kFolder + "/wddmcheck");
  arguments.insert(arguments.end(), {"--driver", kFolder + "/reference_kmd_faulty.so", "--device",
                                     kFolder + "/reference_device.so", "--client",
                                     kFolder + "/reference_client.so"});
  return Program(arguments).wait();
}

TEST(FaultyDriver, IsMinimizedAndReproducedFromTheFile) {
  const std::string yaml = testing::TempDir() + "/faulty.yaml";
  std::ofstream(yaml) << contents(WDDM_SAMPLE);

  const Ended minimized = wddmcheck({"minimize", yaml});
  const Ended reproduced = wddmcheck({"repro", yaml + ".min.yaml"});

  ASSERT_EQ(minimized.code, 0) << minimized.out << minimized.err;
  EXPECT_EQ(reproduced.code, 1);
  EXPECT_EQ(reproduced.out.find("Found on"), std::string::npos) << reproduced.out;
  const std::string text = contents(yaml + ".min.yaml");
  const std::string clause =
      minimized.out.substr(0, minimized.out.rfind('-', minimized.out.find(':')));
  EXPECT_EQ(text.rfind("# " + clause + " does not hold", 0), 0u) << text;
  EXPECT_NE(reproduced.out.find("\n" + clause + " does not hold"), std::string::npos);
  EXPECT_NE(text.find("- configure: {setting: Variant, value: 3}\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("advance"), std::string::npos) << text;
}

}  // namespace
}  // namespace wddm::runner
