// What clients did with residency, judged by the oracle for clients, call by call: what the clauses
// that bind clients read.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "conformance/rules/rule.h"
#include "reference/gpuva/residency_client.h"

namespace wddm::res {

class ClientHistory {
 public:
  explicit ClientHistory(const Trace& trace);

  struct Fault {
    std::uint32_t event = kNone;
    gpuva::ClientFault what{};
    AllocationId allocation{};
  };
  [[nodiscard]] std::span<const Fault> faults() const { return faults_; }
  /// Buffers that use something, and requests: those that there is something to judge about.
  [[nodiscard]] std::span<const std::uint32_t> buffers() const { return buffers_; }
  [[nodiscard]] std::span<const std::uint32_t> requests() const { return requests_; }
  [[nodiscard]] std::span<const std::uint32_t> evictions() const { return evictions_; }
  [[nodiscard]] std::span<const std::uint32_t> trims() const { return trims_; }

 private:
  std::vector<Fault> faults_;
  std::vector<std::uint32_t> buffers_, requests_, evictions_, trims_;
};

/// Fails at every fault of these kinds.
void judge_client(const Trace& trace, Judgement& judgement, std::span<const std::uint32_t> reached,
                  std::initializer_list<gpuva::ClientFault> kinds, const char* expected,
                  const char* seen);

[[nodiscard]] NotApplicable client_residency(const Platform& platform);

}  // namespace wddm::res
