// Where command buffers are mapped in the spaces of their processes, until what is in them has
// ended.
#pragma once

#include <memory>
#include <vector>

#include "reference/gpummu/address.h"
#include "reference/types.h"

namespace wddm::host {

class CommandMappings {
 public:
  struct Mapping {
    ProcessId process;
    gpummu::VaRange range;
    std::weak_ptr<char> in_use;
    bool faults = false;  ///< what is mapped now is not to be mapped before they have
  };

  void clear() { mappings_.clear(); }
  void add(const Mapping& mapping) { mappings_.push_back(mapping); }
  void forget(ProcessId process);
  /// Takes out those whose commands have ended, in order.
  [[nodiscard]] std::vector<Mapping> take_ended();
  /// Whether some of the range has commands.
  [[nodiscard]] bool are_in(ProcessId process, const gpummu::VaRange& range) const;
  /// Whether commands of the process are to fault that have not ended.
  [[nodiscard]] bool fault_in(ProcessId process) const;

 private:
  std::vector<Mapping> mappings_;
};

}  // namespace wddm::host
