// The table of services against what the executable exports.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include "conformance/host/nt/core/service.h"

namespace wddm::nt {
namespace {

TEST(Services, EveryListedOneIsOffered) {
  for (std::uint16_t id = 0; id < static_cast<std::uint16_t>(ServiceId::kCount); ++id) {
    const char* const name = range_of(ServiceId{id}).name;
    EXPECT_NE(dlsym(RTLD_DEFAULT, name), nullptr) << name;
  }
}

}  // namespace
}  // namespace wddm::nt
