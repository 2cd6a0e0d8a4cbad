#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/host/service_value.h"
#include "reference/trace/op.h"

namespace wddm::fuzz {

enum class Engine : std::uint8_t { LibFuzzer, Afl };

struct CampaignOptions {
  Engine engine = Engine::LibFuzzer;
  std::string program;   ///< the target
  std::string mutators;  ///< library of custom mutators, for AFL++
  std::string output;    ///< folder: corpus/ (unless given), work/, and what the caller writes
  std::string corpus;    ///< folder of scenarios that grows; either form is read, bytes are written
  std::vector<std::string> seeds;                                ///< the same, only read
  std::vector<std::pair<std::string, std::string>> environment;  ///< names the driver
  /// 0: no limit. What was found is looked at for a tenth longer, ten seconds at least, and
  /// minimized for the first half of that; a run that has begun by then comes to its end.
  double seconds = 0;
  /// Of all workers together, those that confirm and minimize not counted; 0: no limit.
  std::uint64_t runs = 0;
  unsigned jobs = 1;            ///< workers; no more than `runs` work
  std::uint64_t seed = 1;       ///< each worker makes one of its own of it
  double timeout_seconds = 10;  ///< CPU time of one scenario
  std::vector<Op> settings;     ///< that every scenario runs with; `environment` says them too
  /// Likewise, and no op names them: a finding shows itself with these alone.
  std::vector<host::ServiceValue> values;
  host::WindowsRelease windows = {};
  std::function<double()> clock;  ///< seconds since whenever; empty: the machine's
};

}  // namespace wddm::fuzz
