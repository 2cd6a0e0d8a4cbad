// MCDM-001: the INF of a device that only computes names its class, by name and by GUID.

#include <algorithm>

#include "conformance/rules/mcdm/compute_only.h"

namespace wddm::mcdm_001 {
namespace {

constexpr std::string_view kClass = "ComputeAccelerator";
constexpr std::string_view kGuid = "{F01A9D53-3FF6-48D2-9F97-C8A7004BE10C}";

bool same(std::string_view one, std::string_view other) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [lower](char a, char b) { return lower(a) == lower(b); });
}

// What the section says under one key.
struct Said {
  std::uint32_t times = 0;
  std::string_view last;
  bool right = true;
};

Said said(std::string_view entries, std::string_view key, std::string_view expected) {
  Said result;
  while (!entries.empty()) {
    const std::size_t end = std::min(entries.find('\n'), entries.size());
    const std::string_view line = entries.substr(0, end);
    entries.remove_prefix(std::min(end + 1, entries.size()));
    if (line.size() <= key.size() || !same(line.substr(0, key.size()), key) ||
        line[key.size()] != '=') {
      continue;
    }
    ++result.times;
    result.last = line.substr(key.size() + 1);
    result.right = result.right && same(result.last, expected);
  }
  return result;
}

void judge(std::uint32_t index, std::string_view entries, std::string_view key,
           std::string_view expected, Judgement& judgement) {
  judgement.reached(index);
  const Said found = said(entries, key, expected);
  if (found.times == 1 && found.right) return;
  judgement.fail(index, std::string(key) + "=" + std::string(expected) + " in [Version], once",
                 found.times == 0   ? "no " + std::string(key)
                 : found.times == 1 ? std::string(key) + "=" + std::string(found.last)
                                    : std::to_string(found.times) + " times " + std::string(key));
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::PackageRead>()) {
    const std::string_view entries = trace.blob_text(trace.events()[index]);
    judge(index, entries, "Class", kClass, judgement);
    judge(index, entries, "ClassGuid", kGuid, judgement);
  }
}

// An INF that was copied from that of a display driver.
class IsOfDisplays final : public Interposer {
 public:
  void Package(std::string& entries) override {
    entries = "Class=Display\nClassGuid={4D36E968-E325-11CE-BFC1-08002BE10318}\n";
  }
};

NotApplicable with_package(const Platform& platform) {
  if (const NotApplicable reason = compute::only(platform)) return reason;
  return platform.has_package ? nullptr : "no INF of the driver's package: see --inf";
}

const Rule kRule{
    .id = "MCDM-001",
    .title = "The INF names the class of compute accelerators",
    .rule =
        "The [Version] section of the INF has Class=ComputeAccelerator and ClassGuid="
        "{F01A9D53-3FF6-48D2-9F97-C8A7004BE10C}, each once and in any case.",
    .sources = "mcdm-implementation-guidelines.md # Driver INF file",
    .note =
        "About the package, and not about the binary beside it. %tokens% count as what [Strings] "
        "has for them.",
    .applies = with_package,
    .check = check,
    .played_in = compute::kPlayedIn,
    .scenario = R"(
about: the adapter starts, and its package is read
ops:
- start
)",
    .control = R"(
about: the adapter starts, and stops
ops:
- start
- stop
)",
    .fault = {.about = "the INF is of the class Display",
              .interposer = [] { return std::unique_ptr<Interposer>(new IsOfDisplays); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mcdm_001
