// A failure by what a packet has shown, with the page, the entry and the update behind it.
#include <algorithm>
#include <utility>
#include <vector>

#include "conformance/rules/va/blamed_entry.h"
#include "conformance/rules/va/space_history.h"

namespace wddm {
namespace {

va::Blame blame_for(const SpaceSign& sign) {
  // Addresses of paging are of its operation, which no packet knows.
  if (sign.trace == nullptr || sign.packet.process == kNone) return {};
  const va::UsedSpace used{.process = sign.packet.process,
                           .gpu = sign.packet.engine.physical_adapter,
                           .event = sign.packet.submitted};
  switch (sign.kind) {
    case SpaceSign::Kind::Memory:
      return va::blame_for(*sign.trace, sign.memory, used);
    case SpaceSign::Kind::Faulted:
      return va::blame_for(*sign.trace, sign.address, sign.level, used);
    case SpaceSign::Kind::Right:
    case SpaceSign::Kind::Walk:  // says itself which entry was read
      break;
  }
  return {};
}

}  // namespace

void fail_by(const SpaceSign& sign, Judgement& judgement, std::string expected,
             std::initializer_list<std::uint32_t> because) {
  if (!judgement.keeps_words()) return judgement.fail(sign.event, {}, {});
  const va::Blame blame = blame_for(sign);
  std::vector<std::uint32_t> events(because);
  events.insert(events.end(), blame.events.begin(), blame.events.end());
  // Oldest first; what a rule does not know comes last and is left out.
  std::ranges::sort(events);
  const auto repeated = std::ranges::unique(events);
  events.erase(repeated.begin(), repeated.end());
  std::erase(events, kNone);
  judgement.fail(sign.event, std::move(expected), sign.seen() + blame.text, std::move(events));
}

}  // namespace wddm
