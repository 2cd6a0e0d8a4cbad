// Packets of what a driver has built for kernel-mode testing.
#pragma once

#include "conformance/rules/scratch.h"
#include "reference/is_any_of.h"
#include "reference/trace/op.h"
#include "reference/trace/trace.h"

namespace wddm {

struct TestPacket {
  std::uint32_t submitted = kNone;  ///< Submitted, the first
  std::uint32_t status = 0;         ///< of it
  std::uint32_t changed = 0;        ///< bytes that user mode has altered
};

/// By the ordinal of the packet.
[[nodiscard]] inline ScratchMap<std::uint32_t, TestPacket> test_packets(const Trace& trace) {
  ScratchMap<std::uint32_t, std::uint32_t> changed;  // by render
  for (const std::uint32_t index : trace.of<ev::TestSubmitted>()) {
    const auto test = trace.at<ev::TestSubmitted>(index);
    changed[test.render] = test.changed;
  }
  ScratchMap<std::uint32_t, TestPacket> packets;
  if (changed.empty()) return packets;
  for (const std::uint32_t index : trace.of<ev::Submitted>()) {
    const auto submitted = trace.at<ev::Submitted>(index);
    const auto test = changed.find(submitted.render);
    if (submitted.paging != 0 || test == changed.end()) continue;
    packets.try_emplace(submitted.packet, TestPacket{index, submitted.status, test->second});
  }
  return packets;
}

/// Whether what memory holds is put down to commands, and not to paging.
[[nodiscard]] inline bool of_commands(std::uint32_t cause) {
  return cause == static_cast<std::uint32_t>(MemoryCause::Render);
}

/// Whether addresses of allocations may lead nowhere while commands use them, or a fault be another
/// packet's: the scenario takes mappings away, brings nothing in, or has user mode lie.
[[nodiscard]] inline bool addresses_may_fault(const Trace& trace) {
  for (const std::uint32_t index : trace.of<ev::OpStarted>()) {
    const auto kind = static_cast<OpKind>(trace.at<ev::OpStarted>(index).kind);
    if (is_any_of(kind, OpKind::MapAddress, OpKind::FreeAddress, OpKind::MapRange,
                  OpKind::UpdateAddress, OpKind::TileUpdates, OpKind::ReserveAddress,
                  OpKind::Residency, OpKind::Hurry, OpKind::EvictTables, OpKind::MoveTable,
                  OpKind::TamperCommand, OpKind::TamperPrivate, OpKind::StrayCommands,
                  OpKind::Privileged, OpKind::FailPool, OpKind::FailCallback, OpKind::TimeOut,
                  OpKind::SurpriseRemove)) {
      return true;
    }
  }
  return false;
}

}  // namespace wddm
