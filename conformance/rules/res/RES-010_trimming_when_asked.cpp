// RES-010: a client that is asked to trim evicts what it has not used, and as much as is wanted.
#include <string>

#include "conformance/rules/res/client_history.h"

namespace wddm::res_010 {
namespace {

using gpuva::ClientFault;

struct Text {
  const char* expected;
  const char* seen;
  bool of_allocation = true;
};

// Null texts: no fault of this clause.
Text text_of(ClientFault what) {
  switch (what) {
    case ClientFault::TrimFlagsTogether:
      return {"PeriodicTrim or RestartPeriodicTrim, not both", "the callback has both", false};
    case ClientFault::KeptUnused:
      return {"PeriodicTrim evicts what no buffer has used since the one before",
              "it left one that none has used"};
    case ClientFault::TrimmedUsed:
      return {"PeriodicTrim leaves what buffers have used since the one before",
              "it evicted one that was used"};
    case ClientFault::TrimmedOnRestart:
      return {"RestartPeriodicTrim remembers the fence and evicts nothing", "it evicted one"};
    case ClientFault::TrimmedTooLittle:
      return {"TrimToBudget evicts NumBytesToTrim if it can",
              "fewer bytes were evicted, and something is left that no buffer uses any more",
              false};
    case ClientFault::NotRequired:
    case ClientFault::UsedAfterEvict:
    case ClientFault::UsedWhileOffered:
    case ClientFault::NotWaited:
    case ClientFault::MustSucceedAlone:
    case ClientFault::FinalAttemptFirst:
    case ClientFault::WrittenTo:
      break;  // of other clauses
  }
  return {nullptr, nullptr};
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  const auto& history = trace.ledger<res::ClientHistory>();
  for (const std::uint32_t index : history.trims()) judgement.reached(index);
  for (const res::ClientHistory::Fault& fault : history.faults()) {
    const Text text = text_of(fault.what);
    if (text.expected == nullptr) continue;
    std::string seen = text.seen;
    if (text.of_allocation) seen += ", allocation " + std::to_string(fault.allocation.value);
    judgement.fail(fault.event, text.expected, seen);
  }
}

const Rule kRule{
    .id = "RES-010",
    .title = "Trim callback reduces residency",
    .binds = Binds::Client,
    .rule =
        "Asked by PeriodicTrim, a client evicts the allocations that no buffer has used since it "
        "was "
        "asked so before, and remembers the last completed fence for the next time; by "
        "RestartPeriodicTrim it remembers the fence and no more; by TrimToBudget it evicts "
        "NumBytesToTrim if it can. The first two do not come together.",
    .sources =
        "ns-d3dukmdt-d3dddi_trimresidencyset_flags.md\n"
        "ns-d3dumddi-d3dddiarg_trimresidencyset.md\n"
        "residency-overview.md",
    .note =
        "What to evict the client plug-in says by trim(), or the client that this host plays. What "
        "was never used since it was made resident is neither used nor unused.",
    .applies = res::client_residency,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels},
    .scenario = R"(
about: one allocation is used by each frame, another one once, and a budget shrinks
ops:
- residency: {required_only: true}
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local, pages: 4}
- create_allocation: {allocation: 2, place: local, pages: 4}
- create_allocation: {allocation: 3, place: local, pages: 4}
- require: {allocation: 1, count: 3}
- trim_residency: {device: 0, periodic: 2}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- copy: {slot: 2, source: 1, offset: 0, source_offset: 0, size: 4096}
- idle
- trim_residency: {device: 0, periodic: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x22222222}
- idle
- trim_residency: {device: 0, periodic: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x33333333}
- idle
- trim_residency: {device: 0, periodic: 0, pages: 4}
- idle
)",
    .control = R"(
about: all that is required was used since the fence was set anew
ops:
- residency: {required_only: true}
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local, pages: 4}
- require: {allocation: 1}
- trim_residency: {device: 0, periodic: 2}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
- trim_residency: {device: 0, periodic: 1}
- idle
)",
    .fault = {.about = "PeriodicTrim evicts everything",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::TrimWhatIsInUse}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::res_010
