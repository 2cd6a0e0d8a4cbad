// Runs a scenario on the driver of this process and tells what its memory came to.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "conformance/harness/isolate/replayer.h"
#include "conformance/rules/rule.h"
#include "reference/trace/op.h"
#include "reference/trace/trace.h"

namespace wddm::fuzz {

/// What one allocation held when it went.
struct Contents {
  std::uint32_t allocation;
  std::uint32_t pages;
  std::uint64_t digest;
  friend bool operator==(const Contents&, const Contents&) = default;
};

struct MemoryRun {
  /// It came to its end, nothing got stuck and no paging was given up.
  bool ended = false;
  /// Of every allocation there was, in order of slots, then of time.
  std::vector<Contents> contents;
  /// Work that was left out, with reasons, in sorted order: two runs that left out different work
  /// need not agree.
  std::vector<std::string> left_out;
  /// Bytes of DMA buffers that came out otherwise when patched again. The host runs the buffer that
  /// was patched once, so that memory does not show it.
  std::uint64_t patched_otherwise = 0;
  /// Contexts in the order their portions went to the GPU.
  std::vector<std::uint32_t> contexts;

  // How often something happened.
  std::uint32_t chosen_cuts = 0;  ///< portions that end where memory did not force them to
  std::uint32_t paging = 0;       ///< paging operations
  std::uint32_t repatched = 0;    ///< portions patched more than once
  std::uint32_t preempted = 0;    ///< packets taken off the engine
};

/// `fault`: of a clause, null for none.
[[nodiscard]] MemoryRun run_for_memory(std::span<const Op> ops, const Fault* fault);

}  // namespace wddm::fuzz
