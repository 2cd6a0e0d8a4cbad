// A SmallHost that has done nothing wrong when its test ends.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reference/gpummu/tests/small_host.h"
#include "reference/gpummu/tests/worlds.h"

namespace wddm::gpummu::testing {

class CheckedHost : public SmallHost {
 public:
  explicit CheckedHost(const Report& report, std::uint32_t gpus = 1, std::uint32_t root_entries = 4)
      : SmallHost(report.geometry(), gpus, root_entries) {}
  ~CheckedHost() {
    EXPECT_EQ(errors(), std::string());
    space().validate();
  }
  std::vector<Decision> map(std::uint64_t first, std::uint64_t count, const PhysicalAddress& to,
                            Map options = {}) {
    const PageRun run{to, count * kPageSize};
    options.range = pages(first, count);
    options.pages = {&run, 1};
    return ask(options);
  }
};

}  // namespace wddm::gpummu::testing
