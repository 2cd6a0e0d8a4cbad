// PT-008: an update changes exactly the entries it names.

#include "conformance/rules/pt/altered_updates.h"
#include "conformance/rules/pt/table_scenarios.h"
#include "conformance/rules/pt/table_updates.h"

namespace wddm::pt_008 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  pt::for_each_carried_out(trace, [&](const pt::CarriedOut& one) {
    if (!one.read()) return;
    judgement.reached(one.event);
    if (one.compared.outside == 0) return;
    judgement.fail(one.event, "no byte of the table beside " + pt::text_of(one.update) + " changes",
                   std::to_string(one.compared.outside) + " bytes change, the first at byte " +
                       std::to_string(one.compared.first_outside),
                   {one.built});
  });
}

// A driver whose loop ends one entry late.
class OneMore final : public pt::AltersUpdates {
  bool alter(DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& update) override {
    constexpr UINT kFarFromTheEnd = 200;
    if (update.PageTableLevel == 0 &&
        update.StartIndex + update.NumPageTableEntries < kFarFromTheEnd) {
      ++update.NumPageTableEntries;
    }
    return true;
  }
};

const Rule kRule{
    .id = "PT-008",
    .title = "An update changes exactly the entries it names",
    .evidence = Evidence::Memory,
    .rule =
        "Element i of pPageTableEntries goes to entry StartIndex + i of the table, for each "
        "i below NumPageTableEntries, and no other byte of the table changes.",
    .sources =
        "ns-d3dkmddi-_dxgk_buildpagingbuffer_updatepagetable.md # pPageTableEntries, StartIndex, "
        "NumPageTableEntries",
    .note =
        "The list is the caller's again when BuildPagingBuffer has said that all is built: it has "
        "other elements then. No document has hardware that marks entries as used by itself; on "
        "one that does, marks "
        "count as changes here and in PT-012.",
    .applies = page_tables_and_decoder,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels, Configured::GpuVirtualUpdates},
    .scenario = pt::kPagesComeAndGo,
    .control = pt::kSystemProcessAlone,
    .fault = {.about = "one entry more than named is written",
              .interposer = [] { return std::unique_ptr<Interposer>(new OneMore); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::pt_008
