// ALLOC-017: the driver knows of a primary what it was made as.

#include <string>
#include <utility>

#include "conformance/host/interposer.h"
#include "conformance/rules/alloc/shared_primary.h"
#include "conformance/rules/fails_on_purpose.h"
#include "conformance/rules/out_of_memory.h"

namespace wddm::alloc_017 {
namespace {

constexpr std::uint32_t kData = 2;  // StandardDataAnswered::call

// All that are asked for have the first. A display shows no alpha.
bool is_format(std::uint32_t format) {
  return format == D3DDDIFMT_A8R8G8B8 || format == D3DDDIFMT_X8R8G8B8;
}

class Descriptions {
 public:
  explicit Descriptions(Judgement& judgement) : judgement_(judgement) {}

  void on(const ev::OpStarted& op) {
    asked_ = kNone;
    disturbed_ = disturbed_ || fails_on_purpose(op.kind);
  }
  void on(std::uint32_t index, const ev::StandardDataAnswered& said) {
    const bool is_primary = said.type == D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE &&
                            said.call == kData && NT_SUCCESS(static_cast<NTSTATUS>(said.status));
    asked_ = is_primary ? index : kNone;
    width_ = said.width;
    height_ = said.height;
  }
  void on(std::uint32_t index, const ev::AllocationDescribed& said) {
    if (said.allocation != kNone || asked_ == kNone) return;
    if (!NT_SUCCESS(static_cast<NTSTATUS>(said.status))) {
      if (disturbed_ || is_out_of_memory(said.status)) return;
      judgement_.reached(index);
      return fail(index, "a description of the primary", status_name(said.status));
    }
    judgement_.reached(index);
    if (said.width != width_ || said.height != height_) {
      fail(index, "Width and Height " + size(width_, height_), size(said.width, said.height));
    }
    if (!is_format(said.format)) {
      fail(index, "D3DDDIFMT_A8R8G8B8 as Format", std::to_string(said.format));
    }
    if (said.behind != 0) {
      fail(index, "no byte behind the structure is written", std::to_string(said.behind));
    }
    if (said.altered != 0) fail(index, "hAllocation as it was given", "another handle");
  }

 private:
  static std::string size(std::uint32_t width, std::uint32_t height) {
    return std::to_string(width) + " x " + std::to_string(height);
  }
  void fail(std::uint32_t index, std::string expected, std::string seen) {
    judgement_.fail(index, std::move(expected), std::move(seen), {asked_});
  }

  Judgement& judgement_;
  std::uint32_t asked_ = kNone;  // where the primary's data were given
  std::uint32_t width_ = 0, height_ = 0;
  bool disturbed_ = false;
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  Descriptions descriptions(judgement);
  for (const std::uint32_t index :
       trace.of_any<ev::OpStarted, ev::StandardDataAnswered, ev::AllocationDescribed>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::OpStarted) {
      descriptions.on(Trace::as<ev::OpStarted>(event));
    } else if (event.kind == EventKind::StandardDataAnswered) {
      descriptions.on(index, Trace::as<ev::StandardDataAnswered>(event));
    } else {
      descriptions.on(index, Trace::as<ev::AllocationDescribed>(event));
    }
  }
}

NotApplicable describing_primaries(const Platform& platform) {
  if (const NotApplicable reason = with_shared_primary(platform)) return reason;
  return needs(platform, DdiId::DescribeAllocation);
}

// A driver that takes rows for columns.
class TurnsSurfaces final : public Interposer {
 public:
  NTSTATUS DescribeAllocation(HANDLE adapter, DXGKARG_DESCRIBEALLOCATION* describe) override {
    const NTSTATUS status = Interposer::DescribeAllocation(adapter, describe);
    std::swap(describe->Width, describe->Height);
    return status;
  }
};

const Rule kRule{
    .id = "ALLOC-017",
    .title = "Primaries are described as they were made",
    .rule =
        "DescribeAllocation succeeds for a primary, and says the Width, Height and Format that it "
        "was made with. It writes nothing behind the structure, and leaves hAllocation alone.",
    .sources =
        "nc-d3dkmddi-dxgkddi_describeallocation.md # Remarks\n"
        "ns-d3dkmddi-_dxgkarg_describeallocation.md # Width, Height, Format\n"
        "ns-d3dkmdt-_d3dkmdt_sharedprimarysurfacedata.md # Width, Height, Format",
    .note =
        "Judged is the shared primary, whose description Dxgkrnl gives to "
        "GetStandardAllocationDriverData; of two at once the data of the one that is meant are "
        "asked for last. A driver that has no use for alpha may call its format "
        "X8R8G8B8. The page asks for possible sources of presentations too, but what is one the "
        "driver alone knows here; refresh rate and the rest of the answer are its own.",
    .applies = describing_primaries,
    .check = check,
    .played_in = {Configured::Display},
    .scenario = R"(
about: a shared primary comes, is described and goes; then two of different sizes at once, where the driver has others
ops:
- requery: {allocations: 1, standard: 1}
)",
    .control = R"(
about: so do two of one resource, behind a surface that nobody presents
ops:
- requery: {allocations: 1, standard: 3}
- requery: {allocations: 2, standard: 1}
)",
    .fault = {.about = "Width and Height are exchanged",
              .interposer = [] { return std::unique_ptr<Interposer>(new TurnsSurfaces); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::alloc_017
