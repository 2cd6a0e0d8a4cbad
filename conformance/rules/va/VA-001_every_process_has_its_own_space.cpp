// VA-001: the same address in two processes leads each to its own memory.
//
// Judged are packets of contexts whose engine another process used before them.

#include <array>
#include <map>
#include <string>

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/va/space_history.h"

namespace wddm::va_001 {
namespace {

class Turns final : public SpaceObserver {
 public:
  explicit Turns(Judgement& judgement) : judgement_(judgement) {}

  void submitted(const SpacePacket& packet, const SpacePacket&) override {
    if (packet.process == kNone) return;
    const auto [last, is_first] = last_.emplace(packet.engine, packet);
    if (is_first) return;
    if (last->second.process != packet.process) after_[packet.packet] = last->second.submitted;
    last->second = packet;
  }
  void ran_through(const SpaceSign&) override {}  // MMU-012
  void shown(const SpaceSign& sign) override {
    const auto after = after_.find(sign.packet.packet);
    if (after == after_.end()) return;
    const bool other_space = sign.kind == SpaceSign::Kind::Walk &&
                             sign.walk.why == static_cast<std::uint32_t>(AstrayWalk::OtherSpace);
    const bool wrong = other_space || sign.kind == SpaceSign::Kind::Memory;
    if (wrong || sign.kind == SpaceSign::Kind::Right) judgement_.reached(sign.event);
    if (!wrong) return;
    fail_by(sign, judgement_, "addresses of the packet lead to memory of its own process",
            {after->second, sign.packet.submitted});
  }

 private:
  Judgement& judgement_;
  ScratchMap<EngineId, SpacePacket> last_;          // of client processes
  ScratchMap<std::uint32_t, std::uint32_t> after_;  // by packet: the one of another process before
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  Turns turns(judgement);
  observe_spaces(trace, turns);
}

// A driver that has one address space for all that is not Windows' own.
class OneSpaceForAll final : public Interposer {
 public:
  NTSTATUS CreateContext(HANDLE device, DXGKARG_CREATECONTEXT* create) override {
    const NTSTATUS status = Interposer::CreateContext(device, create);
    if (create->Flags.SystemContext != 0) system_[create->hContext] = true;
    return status;
  }
  VOID SetRootPageTable(HANDLE adapter, const DXGKARG_SETROOTPAGETABLE* set) override {
    DXGKARG_SETROOTPAGETABLE shared = *set;
    if (!system_.contains(set->hContext)) {
      if (root_.NumEntries == 0) root_ = *set;
      shared.Address = root_.Address;
      shared.NumEntries = root_.NumEntries;
    }
    Interposer::SetRootPageTable(adapter, &shared);
  }

 private:
  std::map<HANDLE, bool> system_;
  DXGKARG_SETROOTPAGETABLE root_{};
};

// Hardware may have numbers for 16 processes, or for 64 with that of the system, and a driver that
// runs out of them may refuse the rest. The first and the last have something to do, and those
// beside what such tables hold; some go and others come.
const std::string& many_processes() {
  static const std::string text = [] {
    constexpr int kProcesses = 66;
    static constexpr std::array<int, 10> kWorking = {1, 2, 15, 16, 17, 62, 63, 64, 65, 66};
    const auto device = [](int process) {
      const std::string name = std::to_string(process);
      return "- create_device: {device: " + name + ", process: " + name + "}\n";
    };
    const auto objects = [](std::size_t i) {
      const std::string name = std::to_string(i), of = std::to_string(kWorking[i]);
      return "- create_context: {context: " + name + ", device: " + of +
             "}\n- create_allocation: {allocation: " + name + ", device: " + of +
             ", place: local}\n";
    };
    const auto fills = [](int offset) {
      std::string ops;
      for (std::size_t i = 0; i < kWorking.size(); ++i) {
        const std::string name = std::to_string(i);
        ops += "- render: {context: " + name + "}\n- bind: {slot: 1, allocation: " + name +
               "}\n- fill: {slot: 1, offset: " + std::to_string(offset) +
               ", size: 64, value: " + std::to_string(0x01010101 * (offset / 64 + i + 1)) + "}\n";
      }
      return ops;
    };
    std::string ops =
        "about: two contexts of one process share its addresses; and processes, more than tables "
        "of hardware may hold\nops:\n"
        "- create_context: {context: 101}\n"
        "- create_context: {context: 102}\n"
        "- create_allocation: {allocation: 101, place: local}\n"
        "- render: {context: 101}\n"
        "- bind: {slot: 1, allocation: 101}\n"
        "- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}\n"
        "- render: {context: 102}\n"
        "- bind: {slot: 1, allocation: 101}\n"
        "- add: {slot: 1, offset: 0, value: 1}\n"
        "- idle\n";
    for (int process = 1; process <= kProcesses; ++process) ops += device(process);
    for (std::size_t i = 0; i < kWorking.size(); ++i) ops += objects(i);
    ops += fills(0) + fills(64) + "- idle\n";
    for (std::size_t i = 1; i < kWorking.size(); i += 2) {
      ops += "- destroy_device: {device: " + std::to_string(kWorking[i]) + "}\n";
    }
    for (std::size_t i = 1; i < kWorking.size(); i += 2) ops += device(kWorking[i]) + objects(i);
    return ops + fills(128) + "- idle\n";
  }();
  return text;
}

const Rule kRule{
    .id = "VA-001",
    .title = "Each process has its own GPU address space",
    .evidence = Evidence::Memory,
    .rule =
        "An address is translated by the tables of the packet's own process, also where the same "
        "address means something else to another process, and contexts of both take turns on one "
        "engine: nothing that a TLB, a walk or the driver keeps of one is used for the other.",
    .sources =
        "gpu-virtual-address.md # introduction\n"
        "gpummu-model.md\n"
        "per-process-gpu-virtual-address-spaces.md",
    .unreached = kNoSpaceSeen,
    .applies = virtual_rendering,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels, Configured::GpuVirtualUpdates},
    .scenario = R"(
about: two processes with the same addresses take turns on an engine; then both open all of one resource, of which each allocation has addresses of its own
ops:
- create_device: {device: 1, process: 1}
- create_context: {context: 1}
- create_context: {context: 2, device: 1}
- create_allocation: {allocation: 1, place: local}
- create_allocation: {allocation: 2, place: local, device: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x22222222}
- idle
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 0, value: 1}
- idle
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- add: {slot: 1, offset: 4, value: 1}
- idle
- share: {more: 1}
- create_allocation: {allocation: 4, place: local}
- open_allocation: {allocation: 4, device: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 4}
- fill: {slot: 1, size: 256, value: 0x22222222}
- bind: {slot: 2, allocation: 5}
- fill: {slot: 2, size: 256, value: 0x33333333}
- idle
- render: {context: 2}
- bind: {slot: 1, allocation: 5}
- bind: {slot: 2, allocation: 4}
- copy: {slot: 1, source: 2, offset: 256, size: 256}
- idle
- destroy_allocation: {allocation: 4}
# Their addresses lead to others now.
- create_allocation: {allocation: 4, place: local}
- open_allocation: {allocation: 5, device: 1}
- render: {context: 2}
- bind: {slot: 1, allocation: 5}
- fill: {slot: 1, size: 256, value: 0x44444444}
- idle
)",
    .control = many_processes().c_str(),
    .fault = {.about = "all processes get the root of the first",
              .interposer = [] { return std::unique_ptr<Interposer>(new OneSpaceForAll); },
              .also_fires = "PROC-008 ROOT-004 ROOT-005 VA-008"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::va_001
