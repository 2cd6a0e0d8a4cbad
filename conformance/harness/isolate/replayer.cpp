#include "conformance/harness/isolate/replayer.h"

#include "conformance/harness/judge/judge.h"
#include "conformance/host/execute.h"

namespace wddm::harness {

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
  if (judged_.crashed) {
    judged_.stopped.insert(place_of_crash(judged_.stopped).size(),
                           among(functions_at(host::survived_crash())));
  }
  return judged_;
}

}  // namespace wddm::harness
