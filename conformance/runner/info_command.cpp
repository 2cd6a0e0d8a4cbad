// `wddmcheck info`: what a driver says of itself at bring-up, and what its image needs.
#include <fmt/format.h>

#include <iostream>

#include "conformance/harness/text_file.h"
#include "conformance/harness/verdict.h"
#include "conformance/host/nt/image.h"
#include "conformance/runner/commands.h"
#include "conformance/runner/driver.h"

namespace wddm::runner {
namespace {

void line(const char* key, const std::string& value) {
  std::cout << fmt::format("  {:<22} {}\n", key, value);
}
std::string yes_no(bool value) {
  return value ? "yes" : "no";
}

std::string names_of_flags(const SegmentFlags& flags) {
  std::string names;
  const auto add = [&names](bool on, const char* name) {
    if (on) names += std::string(names.empty() ? "" : ", ") + name;
  };
  add(flags.aperture(), "aperture");
  add(flags.agp(), "AGP");
  add(flags.cpu_visible(), "CPU visible");
  add(flags.use_banking(), "banks");
  add(flags.cache_coherent(), "cache coherent");
  add(flags.pitch_alignment(), "pitch alignment");
  return names.empty() ? "no flags" : names;
}

void print_platform(const Platform& platform) {
  std::cout << "\nCapabilities, as found at bring-up\n";
  line("interface version", fmt::format("0x{:x}", platform.interface_version));
  line("WDDM version", fmt::format("{} (1200 is 1.2)", platform.wddm_version));
  line("nodes", fmt::format("{}", platform.nodes));
  line("slots", fmt::format("{}", platform.slots));
  line("PreemptionAware", yes_no(platform.scheduling.preemption_aware()));
  line("MultiEngineAware", yes_no(platform.scheduling.multi_engine_aware()));
  line("NoDmaPatching", yes_no(platform.scheduling.no_dma_patching()));
  line("CancelCommandAware", yes_no(platform.scheduling.cancel_command_aware()));
  line("patch lists", yes_no(platform.patch_list_model));
  line("virtual addressing", yes_no(platform.virtual_addressing));
  line("device", platform.has_device
                     ? fmt::format("yes, {} log", platform.has_device_log ? "with a" : "no")
                     : "none");
  line("client", platform.has_client
                     ? fmt::format("yes, {} decoder", platform.has_decoder ? "with a" : "no")
                     : "none");
  for (std::size_t i = 0; i < platform.segments.size(); ++i) {
    const PlatformSegment& segment = platform.segments[i];
    line(fmt::format("segment {}", i + 1).c_str(),
         fmt::format("{} KiB at 0x{:x}, commit limit {} KiB, {}", segment.size / 1024, segment.base,
                     segment.commit_limit / 1024, names_of_flags(segment.flags)));
  }
}

// In a child, since it loads the image once more: names of the missing imports, one a line.
int print_missing_imports(const std::string& path) {
  std::string error;
  const auto image = nt::Image::open(path, error);
  if (!image) {
    std::cout << "cannot be told: " << error << '\n';
    return 0;
  }
  for (const std::string& name : image->missing_imports()) std::cout << name << '\n';
  std::cout << std::flush;
  return 0;
}

void print_imports(const std::string& path, double timeout_seconds) {
  harness::ProcessPool pool(1);
  harness::ProcessPool::Job job;
  job.timeout_seconds = timeout_seconds;
  std::string names;
  job.child = [&path] { return print_missing_imports(path); };
  job.done = [&names](const harness::ProcessEnd& end) { names = end.output; };
  pool.push_back(std::move(job));
  pool.run(nullptr);
  const std::vector<harness::Line> lines = harness::meaningful_lines(names);
  std::cout << fmt::format("\nImports that the host doesn't offer: {}\n", lines.size());
  for (const harness::Line& name : lines) std::cout << "  " << name.text << '\n';
}

void print_longs(const std::string& path) {
  std::vector<nt::RawLong> longs;
  std::string error;
  if (!list_raw_longs(path, longs, error)) {
    std::cout << fmt::format("\nRaw longs (8 bytes here, 4 on Windows): cannot be told: {}\n",
                             error);
    return;
  }
  std::cout << fmt::format("\nRaw longs (8 bytes here, 4 on Windows): {}\n", longs.size());
  for (const nt::RawLong& one : longs) {
    std::cout << fmt::format("  {}:{}: {} {}\n", one.file, one.line, one.type, one.name);
  }
}

}  // namespace

int info_command(const Options& options) {
  std::string error;
  host::DriverUnderTest driver;
  if (!locate(options.subject, driver, error)) return complain(error);
  if (!load_carefully(driver, options.timeout_seconds, error)) {
    complain(error);
    return kExitNothingJudged;
  }
  Scenario start;
  // What contexts are like is known only once there is one.
  start.ops = {{.kind = OpKind::Start}, {.kind = OpKind::CreateContext, .a = 1}};
  harness::RunRequest request;
  request.scenario = &start;
  harness::IsolatorOptions isolation;
  isolation.timeout_seconds = options.timeout_seconds;
  const harness::RunOutcome run = harness::Isolator(isolation).run_one(request);

  std::cout << (options.subject.driver.empty() ? "the built-in reference driver"
                                               : options.subject.driver)
            << '\n';
  if (run.outcome.kind != harness::OutcomeKind::Finished) {
    std::cout << fmt::format("Bring-up {}: {}\n", harness::name_of(run.outcome.kind),
                             run.outcome.about);
  } else if (!run.judged.start_trouble.empty()) {
    std::cout << fmt::format("It did not start: {}\n", run.judged.start_trouble);
  }
  for (const harness::Failure& failure : run.judged.failures) {
    std::cout << fmt::format("Already at bring-up: {}\n", harness::summary_of(failure));
  }
  print_platform(run.judged.platform);
  const std::string image = driver.driver.empty() ? built_in_driver_file() : driver.driver;
  print_imports(image, options.timeout_seconds);
  print_longs(image);
  if (run.outcome.kind == harness::OutcomeKind::Harness) return kExitHarness;
  return run.judged.platform.started ? kExitGood : kExitNothingJudged;
}

}  // namespace wddm::runner
