// What the tests of pool, MDLs, registry, Rtl and debug share: a booted machine whose findings are
// kept as text.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "conformance/host/memory/memory.h"
#include "conformance/host/nt/core/kernel.h"
#include "conformance/host/nt/memory/memory_services.h"
#include "conformance/host/nt/core/fiber_scheduler.h"
#include "conformance/host/nt/tests/nt_test_support.h"

namespace wddm::nt {

class LineRecorder final : public test::Recorder {
 public:
  void debug_print(std::string_view line) override { lines.emplace_back(line); }
  std::vector<std::string> lines;
};

class MemoryServices : public testing::Test {
 protected:
  MemoryServices() {
    memory::map();
    boot(observer_, nullptr);
    clear_registry();
  }

  /// The one finding so far, as "Kind: detail"; "" if there is none.
  std::string only_finding() const {
    if (observer_.findings.empty()) return "";
    EXPECT_EQ(observer_.findings.size(), 1u);
    const auto& finding = observer_.findings.front();
    return std::string(name_of(finding.kind)) + ": " + finding.detail;
  }
  std::size_t findings() const { return observer_.findings.size(); }
  const std::vector<std::string>& lines() const { return observer_.lines; }

  LineRecorder observer_;
};

/// Raises the IRQL for one test.
class AtIrql {
 public:
  explicit AtIrql(std::uint8_t irql) : before_(nt::irql()) { irql_raise(irql); }
  ~AtIrql() { irql_raise(before_); }

 private:
  std::uint8_t before_;
};

}  // namespace wddm::nt
