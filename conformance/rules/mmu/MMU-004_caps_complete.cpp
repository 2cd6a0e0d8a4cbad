// MMU-004: DXGK_GPUMMUCAPS is complete and within bounds.

#include <cstring>

#include "conformance/host/interposer.h"
#include "conformance/rules/mmu/answers_repeat.h"
#include "conformance/rules/mmu/reported_tables.h"

namespace wddm::mmu_004 {
namespace {

constexpr std::uint32_t kPage = 4096;

// Bits of DXGK_GPUMMUCAPS that came with a later version than the structure did.
struct LaterBit {
  std::uint32_t bit;
  std::uint32_t interface_version;
  const char* too_early;
};
constexpr LaterBit kLaterBits[] = {
    {8, 0x6003, "AllowNonAlignedLargePageAddress, which is of WDDM 2.1"},
    {9, 0x6003, "SysMem64KBPageSupported, which is of WDDM 2.1"},
    {10, 0xB004, "InvalidTlbEntriesNotCached, which is of WDDM 2.6"},
    {11, 0xE003, "SysMemLargePageSupported, which is of WDDM 2.9"},
    {12, 0x10004, "CachedPageTables, which is of WDDM 3.1"}};
constexpr std::uint32_t kInterfaceWddm3_2 = 0x11007;

// Headers from WDDM 3.2 on have two more bits, which no page describes, and what later ones have is
// not known.
std::uint32_t reserved_bits(const Platform& platform) {
  if (platform.interface_version > kInterfaceWddm3_2) return 0;
  return platform.interface_version == kInterfaceWddm3_2 ? 0xffff8000 : 0xffffe000;
}

const char* wrong(const ev::GpuMmuReported& said, const Platform& platform) {
  if (!mmu::answered(said.status)) return "the query fails";
  if (said.levels < 2 || said.levels > mmu::kMostLevels) return "PageTableLevelCount";
  if (said.update_mode > update_mode::kGpuPhysical) return "PageTableUpdateMode";
  if (said.leaf_64kb_bytes % kPage != 0) return "LeafPageTableSizeFor64KPagesInBytes";
  if ((said.legacy & ~1u) != 0) return "LegacyBehaviors.Reserved";
  if ((said.caps & reserved_bits(platform)) != 0) return "Reserved";
  for (const LaterBit& later : kLaterBits) {
    const bool is_set = (said.caps >> later.bit & 1) != 0;
    if (is_set && platform.interface_version < later.interface_version) return later.too_early;
  }
  return nullptr;
}

bool same(const ev::GpuMmuReported& one, const ev::GpuMmuReported& other) {
  return one.caps == other.caps && one.update_mode == other.update_mode &&
         one.address_bits == other.address_bits && one.leaf_64kb_bytes == other.leaf_64kb_bytes &&
         one.levels == other.levels && one.legacy == other.legacy;
}

void judge(const Trace& trace, std::uint32_t gpu, const Platform& platform, Judgement& judgement) {
  mmu::AnswersRepeat repeat(trace);
  std::uint32_t first = kNone;  // event
  for (const std::uint32_t index :
       trace.of_any<ev::OpStarted, ev::EntryReturned, ev::SurpriseRemoved, ev::GpuMmuReported>()) {
    if (trace.events()[index].kind != EventKind::GpuMmuReported) {
      if (repeat.begin_anew(index)) first = kNone;
      continue;
    }
    const auto said = trace.at<ev::GpuMmuReported>(index);
    if (said.physical_adapter != gpu) continue;
    // That another GPU of the link than the lead refuses is LDA-002.
    if (gpu != 0 && !mmu::answered(said.status)) continue;
    judgement.reached(index);
    if (mmu::answered(said.status) && (first == kNone || repeat.has_less())) first = index;
    if (mmu::answered(said.status) && !same(said, trace.at<ev::GpuMmuReported>(first))) {
      judgement.fail(index, "every member written, the same each time",
                     "another answer than the first, to a buffer with other bytes in it", {first});
    } else if (const char* const what = wrong(said, platform)) {
      judgement.fail(index, "members of DXGK_GPUMMUCAPS within their bounds, reserved bits 0",
                     std::string("out of bounds: ") + what);
    }
  }
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  for (std::uint32_t gpu = 0; gpu < mmu::gpus_asked(trace); ++gpu) {
    if (mmu::says_it_has_none(trace, gpu)) continue;
    judge(trace, gpu, platform, judgement);
  }
}

// Fills in what it knows and clears nothing.
class ClearsNothing final : public Interposer {
 public:
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    if (query->Type != DXGKQAITYPE_GPUMMUCAPS) return Interposer::QueryAdapterInfo(adapter, query);
    auto& out = *static_cast<DXGK_GPUMMUCAPS*>(query->pOutputData);
    const auto before = out.LegacyBehaviors;
    const NTSTATUS status = Interposer::QueryAdapterInfo(adapter, query);
    out.LegacyBehaviors = before;
    return status;
  }
};

const Rule kRule{
    .id = "MMU-004",
    .title = "DXGK_GPUMMUCAPS is complete and within bounds",
    .rule =
        "DXGKQAITYPE_GPUMMUCAPS succeeds and writes every member, the same each time: "
        "PageTableLevelCount from 2 to 6, PageTableUpdateMode one of the three "
        "modes, "
        "LeafPageTableSizeFor64KPagesInBytes a multiple of 4096, reserved bits 0. Bits of later "
        "versions than the driver's own are 0. So does every GPU of a link.",
    .sources =
        "gpu-virtual-address.md # introduction\n"
        "ns-d3dkmddi-_dxgk_gpummucaps.md",
    .note =
        "The documents name DXGK_MAX_PAGE_TABLE_LEVEL_COUNT without its value, which the headers "
        "have as 6. That answers repeat is not written anywhere: tables that live depend on it. "
        "Compared are those of one device with the same resources, until calls of the driver are "
        "made to fail. "
        "Bits 13 and 14, which the newest headers have and no page describes, are not judged from "
        "WDDM 3.2 on.",
    .applies = gpu_mmu,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::Pairs},
    .scenario = R"(
about: the capabilities are asked for twice, with other bytes in the buffer
ops:
- start
)",
    .control = R"(
about: asked again, the answers are the same
ops:
- requery
)",
    .fault = {.about = "LegacyBehaviors keeps what the buffer held",
              .interposer = [] { return std::unique_ptr<Interposer>(new ClearsNothing); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mmu_004
