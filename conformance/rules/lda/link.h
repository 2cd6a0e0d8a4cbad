// What the clauses of linked adapters have in common.
#pragma once

#include "conformance/rules/rule.h"

namespace wddm::lda {

/// The driver's GPUs are linked.
[[nodiscard]] inline NotApplicable linked(const Platform& platform) {
  if (const NotApplicable reason = needs(platform, DdiId::LinkDevice)) return reason;
  return platform.linked_adapters > 1 ? nullptr : "no linked adapters: there is one GPU";
}
/// ... and have GPU virtual addresses.
[[nodiscard]] inline NotApplicable linked_gpu_mmu(const Platform& platform) {
  if (const NotApplicable reason = gpu_mmu(platform)) return reason;
  return linked(platform);
}

/// ... and page tables are written.
[[nodiscard]] inline NotApplicable linked_page_tables(const Platform& platform) {
  if (const NotApplicable reason = linked_gpu_mmu(platform)) return reason;
  return page_tables(platform);
}

[[nodiscard]] inline bool succeeded(std::uint32_t status) {
  return (status & 0x80000000u) == 0;
}

}  // namespace wddm::lda
