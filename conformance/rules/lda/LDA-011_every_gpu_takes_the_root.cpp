// LDA-011: contexts of every GPU of a link run with the root that they were told of. The other half
// of LDA-003.
//
// Judged are packets of contexts of all GPUs but the first, by the entries that they read of tables
// of the root's level, and by commands that are out of reach.

#include <set>

#include "conformance/host/interposer.h"
#include "conformance/rules/lda/link.h"
#include "conformance/rules/lda/link_scenarios.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/va/space_history.h"

namespace wddm::lda_011 {
namespace {

class OtherGpus final : public SpaceObserver {
 public:
  OtherGpus(const Platform& platform, Judgement& judgement)
      : judgement_(judgement), root_level_(root_level_of(platform)) {}

  void context_made(std::uint32_t, const ev::ContextCreated& created) override {
    contexts_.erase(created.context);
  }
  void root_set(std::uint32_t index, const ev::RootSet& set) override {
    contexts_[set.context] = {index, set.physical_adapter};
  }
  void shown(const SpaceSign& sign) override {
    const auto found = contexts_.find(sign.packet.context);
    if (found == contexts_.end() || found->second.physical_adapter == 0) return;
    if (sign.packet.submitted < found->second.root) return;
    const bool other_root = sign.walked(AstrayWalk::NoTable, root_level_) ||
                            sign.walked(AstrayWalk::OtherSpace, root_level_) ||
                            sign.walked(AstrayWalk::OtherLevel, root_level_) ||
                            sign.walked(AstrayWalk::FormerTable, root_level_);
    const bool no_root =
        sign.kind == SpaceSign::Kind::Faulted && sign.address == sign.packet.address;
    if (sign.kind == SpaceSign::Kind::Right || other_root || no_root) {
      judgement_.reached(sign.event);
    }
    if (!other_root && !no_root) return;
    judgement_.fail(sign.event,
                    "context " + std::to_string(sign.packet.context) + " of GPU " +
                        std::to_string(found->second.physical_adapter) +
                        " runs with the root at the Address of its SetRootPageTable",
                    sign.seen(), {found->second.root, sign.packet.submitted});
  }

 private:
  struct Context {
    std::uint32_t root = kNone;  // event
    std::uint32_t physical_adapter = 0;
  };
  Judgement& judgement_;
  std::uint32_t root_level_;
  ScratchMap<std::uint32_t, Context> contexts_;
};

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  OtherGpus contexts(platform, judgement);
  observe_spaces(trace, contexts);
}

// A driver that knows the roots of the GPU that leads alone. Those that page have theirs.
class RootsOfTheLead final : public Interposer {
 public:
  NTSTATUS CreateContext(HANDLE device, DXGKARG_CREATECONTEXT* create) override {
    const NTSTATUS status = Interposer::CreateContext(device, create);
    const bool other = (create->EngineAffinity & 1) == 0 && create->Flags.SystemContext == 0;
    if (NT_SUCCESS(status) && other) others_.insert(create->hContext);
    return status;
  }
  NTSTATUS DestroyContext(HANDLE context) override {
    others_.erase(context);
    return Interposer::DestroyContext(context);
  }
  VOID SetRootPageTable(HANDLE adapter, const DXGKARG_SETROOTPAGETABLE* set) override {
    if (!others_.contains(set->hContext)) Interposer::SetRootPageTable(adapter, set);
  }

 private:
  std::set<HANDLE> others_;
};

NotApplicable contexts_of_a_link(const Platform& platform) {
  if (const NotApplicable reason = lda::linked_page_tables(platform)) return reason;
  return virtual_rendering(platform);
}

const Rule kRule{
    .id = "LDA-011",
    .title = "Contexts of every GPU of a link run with the root that they were told of",
    .evidence = Evidence::DeviceLog,
    .rule =
        "SetRootPageTable names one Address for the contexts of all GPUs of a link. On each GPU it "
        "is that of the root in the GPU's own segment, as it stands: a driver adds nothing to it "
        "for GPUs behind the first, and takes it for contexts of all of them, also when the root "
        "has moved.",
    .sources =
        "gpu-virtual-address.md # Creation of page table allocations (LinkMirrored)\n"
        "nc-d3dkmddi-dxgkddi_setrootpagetable.md",
    .note =
        "What Windows has to see to, that the roots are alike, is LDA-003. The same of a GPU by "
        "itself is ROOT-004 and ROOT-010.",
    .applies = contexts_of_a_link,
    .check = check,
    .played_in = {Configured::Linked},
    .scenario =
        "about: contexts of both GPUs of a link use one address, before the root has moved and "
        "after it\n"
        "ops:\n" BOTH_READ_ONE_ADDRESS R"(
- move_table: {allocation: 1, level: 5}
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- copy: {slot: 2, source: 1, offset: 0, source_offset: 0, size: 4096}
- idle
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- copy: {slot: 1, source: 2, offset: 8192, source_offset: 0, size: 4096}
- idle
)",
    .control = lda::kLinkAlone,
    .fault = {.about = "contexts of the other GPU go without a root",
              .interposer = [] { return std::unique_ptr<Interposer>(new RootsOfTheLead); },
              .also_fires = "ROOT-004 VA-008"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::lda_011
