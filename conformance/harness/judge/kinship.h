// Whether two things that went wrong in one run are about the same: one event, or one packet or
// buffer, the same bytes of memory, one thread, or what the driver keeps of what is gone.
//
// Two failures of a run are not one because they stand in the same run: what a scenario begins
// with may go wrong in several ways. Judged is by the events that a verdict names, and the packets,
// Render calls and bytes that these are of; of findings of the kernel also by their words: a leak
// is told when the driver is unloaded, where no event says what it is of. How a run ended is about
// what went wrong inside of the call that it ended in; so is what was found behind an
// assertion of the driver's own that did not hold, before it was called again.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "conformance/harness/judge/result.h"
#include "reference/trace/trace_file.h"

namespace wddm::harness {

class Kinship {
 public:
  explicit Kinship(std::span<const RunRecord> records) : records_(records) {}

  /// Of two failures of that run.
  [[nodiscard]] bool are_kin(std::size_t run, const Failure& one, const Failure& other);
  /// The same, but not for an earlier event alone that both name, nor for one call of Render: what
  /// is wrong wherever a driver works stands behind everything, and in every call.
  [[nodiscard]] bool are_about_one(std::size_t run, const Failure& one, const Failure& other);
  /// Whether a failure names an earlier one, of another op: in the same op it may but stand near.
  [[nodiscard]] static bool names(const Failure& failure, const Failure& earlier);
  /// Whether what two failures of that run say of one event is one thing. Where it is an answer to
  /// what the driver is, which is the same in every run, they are if they name a member in common.
  [[nodiscard]] bool say_the_same(std::size_t run, const Failure& one, const Failure& other);
  /// Of a failure and the end of that run.
  [[nodiscard]] bool leads_to_end(std::size_t run, const Failure& failure);

 private:
  using Objects = std::vector<std::string>;  // "packet=3"
  /// Whether the driver asserted something, and the other was found before it was called again.
  [[nodiscard]] bool is_of_call(std::size_t run, const Failure& one, const Failure& other);
  [[nodiscard]] const StoredTrace& trace_of(std::size_t run);
  [[nodiscard]] Objects objects_of(std::size_t run, const Failure& failure);

  std::span<const RunRecord> records_;
  std::map<std::size_t, std::unique_ptr<StoredTrace>> traces_;  // read when first asked for
};

}  // namespace wddm::harness
