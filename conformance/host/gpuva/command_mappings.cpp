#include "conformance/host/gpuva/command_mappings.h"

#include <algorithm>

namespace wddm::host {

void CommandMappings::forget(ProcessId process) {
  std::erase_if(mappings_, [process](const Mapping& each) { return each.process == process; });
}

std::vector<CommandMappings::Mapping> CommandMappings::take_ended() {
  std::vector<Mapping> ended;
  std::erase_if(mappings_, [&ended](const Mapping& each) {
    if (!each.in_use.expired()) return false;
    ended.push_back(each);
    return true;
  });
  return ended;
}

bool CommandMappings::are_in(ProcessId process, const gpummu::VaRange& range) const {
  return std::any_of(mappings_.begin(), mappings_.end(), [&](const Mapping& each) {
    return each.process == process && each.range.first.value < range.end() &&
           range.first.value < each.range.end();
  });
}

bool CommandMappings::fault_in(ProcessId process) const {
  return std::any_of(mappings_.begin(), mappings_.end(), [&](const Mapping& each) {
    return each.process == process && each.faults && !each.in_use.expired();
  });
}

}  // namespace wddm::host
