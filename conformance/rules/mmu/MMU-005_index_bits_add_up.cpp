// MMU-005: index bits and page offset account for the whole virtual address.

#include "conformance/host/interposer.h"
#include "conformance/rules/mmu/reported_tables.h"

namespace wddm::mmu_005 {
namespace {

constexpr std::uint64_t kOffsetBits = 12;
constexpr std::uint64_t kMostBits = 63;

void judge(const mmu::ReportedTables& tables, Judgement& judgement) {
  if (!tables.complete()) return;
  const std::uint64_t bits = tables.caps().address_bits;
  const std::uint32_t levels = tables.caps().levels;
  judgement.reached(tables.event());
  if (bits > kMostBits) {
    judgement.fail(tables.event(), "VirtualAddressBitCount of at most 63", std::to_string(bits));
    return;
  }
  std::uint64_t below = kOffsetBits;  // the root
  for (std::uint32_t level = 0; level + 1 < levels; ++level) {
    below += tables.level(level)->said.index_bits;
  }
  // Of two levels the root takes what is left, whatever its descriptor says at first.
  const std::uint64_t all = levels == 2 ? bits : below + tables.level(levels - 1)->said.index_bits;
  const bool left_for_root = below < bits;
  if (left_for_root && all >= bits) return;
  judgement.fail(
      tables.event(),
      left_for_root ? "12 and the index bits of all levels are VirtualAddressBitCount or more"
                    : "bits left for the root beyond 12 and the index bits of all levels below it",
      std::to_string(left_for_root ? all : below) + " of " + std::to_string(bits) + " bits",
      {tables.level(0)->event});
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (std::uint32_t gpu = 0; gpu < mmu::gpus_asked(trace); ++gpu) {
    judge(mmu::ReportedTables(trace, gpu), judgement);
  }
}

// One address bit more than the levels have entries for.
class OneBitTooMany final : public Interposer {
 public:
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    const NTSTATUS status = Interposer::QueryAdapterInfo(adapter, query);
    if (query->Type != DXGKQAITYPE_GPUMMUCAPS) return status;
    ++static_cast<DXGK_GPUMMUCAPS*>(query->pOutputData)->VirtualAddressBitCount;
    return status;
  }
};

const Rule kRule{
    .id = "MMU-005",
    .title = "Index bits and page offset account for the whole virtual address",
    .rule =
        "With more than two levels VirtualAddressBitCount is 12 plus PageTableIndexBitCount of "
        "all levels, or less where the space is smaller than its tables could be, and one bit at "
        "least is the root's. With two, 12 plus those of the leaf are fewer, and the root has the "
        "rest, whatever its descriptor says.",
    .sources =
        "gpu-virtual-address.md # bits of an address with two levels\n"
        "ns-d3dkmddi-_dxgk_page_table_level_desc.md # PageTableIndexBitCount\n"
        "linked-display-adapter.md # GpuMmu support",
    .note =
        "The documents show the parts of an address for two levels only. Of more, tables of fixed "
        "size have entries for so many bits and no more; fewer a driver may have to say, as the "
        "space of a link is that of its smallest GPU, whatever the tables of the others cover.",
    .applies = gpu_mmu,
    .check = check,
    .played_in = {Configured::FourLevels, Configured::Pages64K, Configured::Pairs},
    .scenario = R"(
about: the adapter starts
ops:
- start
)",
    .control = R"(
about: the adapter starts twice
ops:
- cycle: {count: 2}
)",
    .fault = {.about = "VirtualAddressBitCount is one too large",
              .interposer = [] { return std::unique_ptr<Interposer>(new OneBitTooMany); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mmu_005
