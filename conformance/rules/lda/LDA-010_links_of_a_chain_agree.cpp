// LDA-010: the adapters of a chain say the same of it, and one of them leads.

#include "conformance/host/interposer.h"
#include "conformance/rules/lda/link.h"

namespace wddm::lda_010 {
namespace {

// The adapters of a chain, as Dxgkrnl meets them one after the other.
class Chain {
 public:
  explicit Chain(Judgement& judgement) : judgement_(judgement) {}

  void on(std::uint32_t index, const ev::DeviceLinked& said) {
    if (said.physical_adapter == 0) begin();
    if (!lda::succeeded(said.status)) return;
    judgement_.reached(index);
    if (said.links == 0) {
      judgement_.fail(index, "the number of linked adapters to expect", "NumberOfLinksInChain 0");
    }
    if (said.physical_adapter != 0 && first_ == kNone) return;
    if (first_ == kNone) {
      first_ = index;
      said_ = said;
    } else {
      compare(index, said);
    }
    count_leads(index, said);
  }

 private:
  void begin() {
    first_ = lead_ = kNone;
    met_ = 0;
  }
  void compare(std::uint32_t index, const ev::DeviceLinked& said) {
    if (said.chain != said_.chain) {
      judgement_.fail(index, "ChainUid " + std::to_string(said_.chain) + ", as adapter 0 says",
                      std::to_string(said.chain), {first_});
    }
    if (said.links != said_.links) {
      judgement_.fail(index,
                      "NumberOfLinksInChain " + std::to_string(said_.links) + ", as adapter 0 says",
                      std::to_string(said.links), {first_});
    }
  }
  void count_leads(std::uint32_t index, const ev::DeviceLinked& said) {
    ++met_;
    if (said.lead != 0 && lead_ != kNone) {
      judgement_.fail(index, "one adapter of a chain with LeadLink", "a second one", {lead_});
    }
    if (said.lead != 0) lead_ = index;
    if (lead_ == kNone && met_ > 1 && met_ == said_.links) {
      judgement_.fail(index, "one adapter of a chain with LeadLink", "none of them", {first_});
    }
  }

  Judgement& judgement_;
  std::uint32_t first_ = kNone;  // what adapter 0 said
  std::uint32_t lead_ = kNone;
  std::uint32_t met_ = 0;
  ev::DeviceLinked said_{};
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  Chain chain(judgement);
  for (const std::uint32_t index : trace.of<ev::DeviceLinked>())
    chain.on(index, trace.at<ev::DeviceLinked>(index));
}

NotApplicable links(const Platform& platform) {
  return needs(platform, DdiId::LinkDevice);
}

// A driver of which every GPU thinks that it leads.
class AllLead final : public Interposer {
 public:
  NTSTATUS LinkDevice(PDEVICE_OBJECT physical, PVOID context, LINKED_DEVICE* link) override {
    const NTSTATUS status = Interposer::LinkDevice(physical, context, link);
    link->LeadLink = TRUE;
    return status;
  }
};

const Rule kRule{
    .id = "LDA-010",
    .title = "The adapters of a chain agree on it, and one leads",
    .rule =
        "Every adapter of a chain gives the same ChainUid and the same NumberOfLinksInChain, which "
        "is not 0. LeadLink is TRUE for one of them.",
    .sources =
        "ns-dispmprt-_linked_device.md # ChainUid, NumberOfLinksInChain, LeadLink\n"
        "nc-dispmprt-dxgkddi_link_device.md # Return value, Remarks",
    .note =
        "A driver that knows nothing of its links says so by an error. Dxgkrnl asks right after "
        "AddDevice, and a link with fewer adapters than were announced does not start. Which of "
        "them leads the driver says, in whatever order they were added: Dxgkrnl speaks to that "
        "one, which has PhysicalAdapterIndex 0.",
    .unreached = "no two adapters were linked",
    .applies = links,
    .check = check,
    .played_in = {Configured::Linked, Configured::LinkedUnlike, Configured::LinkedIoMmuAlone},
    .scenario = R"(
about: a link that has nothing to do
ops:
- idle
)",
    .control = R"(
about: the link comes anew
ops:
- cycle: {count: 1, depth: add}
- start
)",
    .fault = {.about = "LeadLink is TRUE for all",
              .interposer = [] { return std::unique_ptr<Interposer>(new AllLead); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::lda_010
