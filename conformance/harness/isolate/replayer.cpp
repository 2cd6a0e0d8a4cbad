#include "conformance/harness/isolate/replayer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <utility>
#include <vector>

#include "conformance/harness/judge/judge.h"
#include "conformance/host/execute.h"

namespace wddm::harness {
namespace {

// Behind the DDI, as where a process has died.
void name_functions(std::string& crash) {
  std::vector<std::string> functions;
  for (const std::uintptr_t frame : host::survived_crash()) {
    if (std::string function = host::driver_function(frame); !function.empty()) {
      functions.push_back(std::move(function));
    }
  }
  if (functions.empty()) return;
  crash.insert(place_of_crash(crash).size(), fmt::format(" ({})", fmt::join(functions, " < ")));
}

}  // namespace

Replayer::Replayer(const Capacity& capacity) : region_(capacity.events, capacity.blobs) {
  keep_what_is_freed();
}

void Replayer::survive_crashes() {
  host::survive_crashes();
}

const Judged& Replayer::run(const RunRequest& request) {
  execute(request);
  return judge(request);
}

void Replayer::execute(const RunRequest& request) {
  execute_into(request, region_, host::Process::ManyRuns);
  trace_.emplace(region_.trace_storage(), region_.events(), region_.blobs());
}

const Judged& Replayer::judge(const RunRequest& request) {
  JudgeOptions options;
  // Who replays has the trace itself.
  options.keep = request.keep == KeepTrace::Whole ? KeepTrace::Whole : KeepTrace::Never;
  const bool is_sound = sound(region_.trace_storage(), region_.events(), region_.blobs());
  judged_ = is_sound ? harness::judge(*trace_, platform_of(*trace_), *request.scenario, options)
                     : scribbled();
  if (judged_.crashed) name_functions(judged_.stopped);
  return judged_;
}

}  // namespace wddm::harness
