// A trace that a test writes itself, for the check of one rule.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "conformance/rules/rule.h"
#include "conformance/sdk/client.h"
#include "reference/trace/names.h"
#include "reference/trace/op.h"

namespace wddm {

/// A command of 16 bytes with an address at its third word.
inline WddmDecoded command_with(std::uint64_t address, std::uint32_t width) {
  WddmDecoded command{};
  command.length = 16;
  command.address_count = 1;
  command.address_offset[0] = 8;
  command.address_width[0] = width;
  command.address[0] = address;
  return command;
}

class TraceTest : public ::testing::Test {
 protected:
  explicit TraceTest(std::uint32_t events = 64, std::uint32_t blob_bytes = 64 << 10)
      : storage_(trace_storage_bytes(events, blob_bytes) / sizeof(Line) + 1),
        writer_(TraceWriter::create(storage_.data(), events, blob_bytes)) {}

  template <class Payload>
  void add(const Payload& payload) {
    writer_.add(payload, irql_, cpu_, thread_);
  }
  template <class Payload, class Record>
  void add(const Payload& payload, const std::vector<Record>& records) {
    writer_.add(payload, irql_, cpu_, thread_, records.data(), records.size() * sizeof(Record));
  }
  /// Begins an op: what is added after it belongs to it.
  void op(OpKind kind) {
    writer_.op = static_cast<std::uint16_t>(writer_.op + 1);
    add(ev::OpStarted{.kind = static_cast<std::uint32_t>(kind)});
  }
  /// Calls SubmitCommand; its Submitted is added when it returns.
  void enters(std::uint32_t packet) {
    add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::SubmitCommand), .object = packet});
  }
  void all_ops_ended() { writer_.op = kNoOp; }
  bool holds(const char* id) { return failures(id) == 0; }
  std::size_t failures(const char* id) { return judge(id).failures().size(); }
  std::uint32_t times_reached(const char* id) { return judge(id).times_reached(); }
  /// What its first failure says that it has seen; empty: it holds.
  std::string seen_by(const char* id) {
    const Judgement judgement = judge(id);
    return judgement.failures().empty() ? std::string() : judgement.failures().front().seen;
  }
  std::string last_seen_by(const char* id) {
    const Judgement judgement = judge(id);
    return judgement.failures().empty() ? std::string() : judgement.failures().back().seen;
  }
  /// The events that its first failure names as what led there.
  std::vector<std::uint32_t> named_by(const char* id) {
    const Judgement judgement = judge(id);
    return judgement.failures().empty() ? std::vector<std::uint32_t>()
                                        : judgement.failures().front().because;
  }
  /// The number of the event that was added last.
  std::uint32_t last_event() const {
    return static_cast<std::uint32_t>(Trace(storage_.data()).events().size()) - 1;
  }

  std::uint8_t irql_ = 0;
  std::uint8_t cpu_ = 0;
  std::uint16_t thread_ = 0;
  Platform platform_;

 private:
  Judgement judge(const char* id) {
    Judgement judgement;
    find_rule(id)->check(Trace(storage_.data()), platform_, judgement);
    return judgement;
  }

  struct alignas(64) Line {
    std::byte bytes[64];
  };
  std::vector<Line> storage_;
  TraceWriter writer_;
};

}  // namespace wddm
