// Writes what the NT kernel caught into the trace.
#pragma once

#include "conformance/host/boundary/session.h"

namespace wddm::host {

/// Ends a run that cannot go on; the trace has said why.
[[noreturn]] void end_run();

class Witness final : public nt::Observer {
 public:
  /// Also hears of faults, so that a wild access to a register or a stack's guard page is told.
  explicit Witness(const Tap& tap);

  void finding(nt::FindingKind kind, std::string_view service, std::string_view detail,
               std::string_view caller) override;
  void debug_print(std::string_view line) override;
  [[noreturn]] void bug_check(std::uint32_t code, const std::uint64_t parameters[4]) override;
  [[noreturn]] void hang(std::string_view who_waits) override;
  void switched(std::uint8_t cpu, std::uint32_t thread_ordinal) override;

 private:
  const Tap& tap_;
};

}  // namespace wddm::host
