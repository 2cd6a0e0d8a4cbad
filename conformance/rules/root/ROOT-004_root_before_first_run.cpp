// ROOT-004: the first packet of a context runs with the root that the context was given after it
// was made.

#include <map>

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/va/space_history.h"

namespace wddm::root_004 {
namespace {

class FirstPackets final : public SpaceObserver {
 public:
  FirstPackets(const Trace& trace, const Platform& platform, Judgement& judgement)
      : trace_(trace), judgement_(judgement), root_level_(root_level_of(platform)) {}

  void root_set(std::uint32_t index, const ev::RootSet& set) override {
    forget_former(index);
    contexts_.emplace(set.context, Context{index});
  }
  void submitted(const SpacePacket& packet, const SpacePacket&) override {
    const auto context = contexts_.find(packet.context);
    if (context != contexts_.end() && context->second.packet == kNone) {
      context->second.packet = packet.packet;
    }
  }
  void shown(const SpaceSign& sign) override {
    const auto found = contexts_.find(sign.packet.context);
    if (found == contexts_.end() || found->second.packet != sign.packet.packet) return;
    const bool other_root = sign.walked(AstrayWalk::NoTable, root_level_) ||
                            sign.walked(AstrayWalk::OtherSpace, root_level_) ||
                            sign.walked(AstrayWalk::OtherLevel, root_level_) ||
                            sign.walked(AstrayWalk::FormerTable, root_level_);
    // Without a root its commands are out of reach already.
    const bool no_root =
        sign.kind == SpaceSign::Kind::Faulted && sign.address == sign.packet.address;
    if (sign.kind == SpaceSign::Kind::Right || other_root || no_root) {
      judgement_.reached(sign.event);
    }
    if (!other_root && !no_root) return;
    fail_by(sign, judgement_, "the first packet of a context runs with the root it was given",
            {found->second.root, sign.packet.submitted});
  }

 private:
  struct Context {
    std::uint32_t root = kNone;    // event
    std::uint32_t packet = kNone;  // its first
  };

  // Those whose slot has another context by now.
  void forget_former(std::uint32_t before) {
    const auto created = trace_.of<ev::ContextCreated>();
    for (; created_ < created.size() && created[created_] < before; ++created_) {
      contexts_.erase(trace_.at<ev::ContextCreated>(created[created_]).context);
    }
  }

  const Trace& trace_;
  Judgement& judgement_;
  std::uint32_t root_level_;
  std::size_t created_ = 0;
  ScratchMap<std::uint32_t, Context> contexts_;
};

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  FirstPackets packets(trace, platform, judgement);
  observe_spaces(trace, packets);
}

// A driver that takes the root from its process object when a context is made, which has none yet.
class RootOfCreation final : public Interposer {
 public:
  NTSTATUS CreateContext(HANDLE device, DXGKARG_CREATECONTEXT* create) override {
    const NTSTATUS status = Interposer::CreateContext(device, create);
    if (create->Flags.SystemContext != 0) system_[create->hContext] = true;
    return status;
  }
  VOID SetRootPageTable(HANDLE adapter, const DXGKARG_SETROOTPAGETABLE* set) override {
    if (system_.contains(set->hContext)) Interposer::SetRootPageTable(adapter, set);
  }

 private:
  std::map<HANDLE, bool> system_;
};

const Rule kRule{
    .id = "ROOT-004",
    .title = "The root is set before a context may run",
    .evidence = Evidence::DeviceLog,
    .rule =
        "DxgkDdiSetRootPageTable is called for each context after DxgkDdiCreateContext and before "
        "its first submission, and that submission runs with this root: not with one that the "
        "driver took earlier from the process or the device.",
    .sources =
        "gpu-virtual-address.md # introduction\n"
        "gpu-virtual-address.md # Creation of page table allocations\n"
        "nc-d3dkmddi-dxgkddi_setrootpagetable.md",
    .applies = virtual_rendering,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels, Configured::GpuVirtualUpdates},
    .scenario = R"(
about: the first packet of a context reads and writes, also where the context comes in the place of another
ops:
- create_device: {device: 1, process: 1}
- create_context: {context: 1}
- create_context: {context: 2, device: 1}
- create_allocation: {allocation: 1, place: local}
- create_allocation: {allocation: 2, place: local, device: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- add: {slot: 1, offset: 0, value: 1}
- idle
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x22222222}
- idle
# One that goes and one that comes: of the same process, with the root that the other had, and of
# another; also on an engine that does nothing in between.
- create_context: {context: 3, node: 1}
- render: {context: 3}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 4, value: 1}
- idle
- destroy_context: {context: 1}
- destroy_context: {context: 3}
- create_context: {context: 1}
- create_context: {context: 3, node: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 8, value: 1}
- render: {context: 3}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 12, value: 1}
- idle
- destroy_context: {context: 1}
- destroy_context: {context: 3}
- create_context: {context: 1, device: 1}
- create_context: {context: 3, device: 1, node: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 2}
- add: {slot: 1, offset: 4, value: 1}
- render: {context: 3}
- bind: {slot: 1, allocation: 2}
- add: {slot: 1, offset: 8, value: 1}
- idle
)",
    .control = R"(
about: paging alone runs in contexts of the system process
ops:
- create_allocation: {allocation: 1, place: local}
- make_resident: {allocation: 1}
- idle
)",
    .fault = {.about = "contexts of clients go without a root",
              .interposer = [] { return std::unique_ptr<Interposer>(new RootOfCreation); },
              .also_fires = "MMU-015 VA-008"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::root_004
