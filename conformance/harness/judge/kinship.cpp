#include "conformance/harness/judge/kinship.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "conformance/harness/judge/findings.h"

namespace wddm::harness {
namespace {

template <class Values>
bool meet(const Values& one, const Values& other) {
  return std::any_of(one.begin(), one.end(), [&other](const auto& value) {
    return std::find(other.begin(), other.end(), value) != other.end();
  });
}

bool is_number(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

constexpr std::string_view kRender = "render=";

// What is left of something, and what is left when the driver is unloaded.
constexpr const char* kLeft = "left";
constexpr const char* kLeftThread = "left thread";

// What stands behind "where=" in the line of an event.
std::string_view value_in(std::string_view line, std::string_view name) {
  const std::string field = " " + std::string(name) + "=";
  const std::size_t at = line.find(field);
  if (at == std::string_view::npos) return {};
  line.remove_prefix(at + field.size());
  return line.substr(0, line.find(' '));
}

// Bytes that are not as predicted.
void add_bytes(std::string_view line, std::vector<std::string>& objects) {
  if (line.find(" MemoryDiffers ") == std::string_view::npos) return;
  std::string bytes = "bytes";
  for (const char* const part : {"where", "object", "offset", "physical_adapter"}) {
    bytes.append("/").append(value_in(line, part));
  }
  objects.push_back(std::move(bytes));
}

// What the driver holds more than before.
void add_left(std::string_view line, std::vector<std::string>& objects) {
  const std::string_view blocks = value_in(line, "left_blocks");
  const bool grew = is_number(blocks) && blocks != "0";
  if (grew || line.find(" PoolBalance ") != std::string_view::npos) objects.emplace_back(kLeft);
}

// The packets and Render calls that an event names by their ordinals, which are of one each, and
// what it says of memory.
void add_objects(std::string_view line, std::vector<std::string>& objects) {
  add_bytes(line, objects);
  add_left(line, objects);
  while (!line.empty()) {
    const std::string_view word = line.substr(0, line.find(' '));
    line.remove_prefix(std::min(word.size() + 1, line.size()));
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos || !is_number(word.substr(equals + 1))) continue;
    const std::string_view name = word.substr(0, equals);
    const bool is_packet = name == "packet" || name == "cause_object";
    if (!is_packet && name != "render") continue;
    objects.push_back((is_packet ? "packet=" : std::string(kRender)) +
                      std::string(word.substr(equals + 1)));
  }
}

// What a finding of the kernel says in words: the thread it is about, and what is left at the end.
void add_words(const Failure& finding, std::vector<std::string>& objects) {
  if (!finding.id.starts_with("NT-")) return;
  constexpr std::string_view kThread = " thread ";
  const std::string& seen = finding.seen;
  const std::size_t thread = seen.find(kThread);
  if (thread != std::string::npos) {
    const std::string behind = seen.substr(thread + kThread.size());
    const std::string number = behind.substr(0, behind.find_first_not_of("0123456789"));
    if (!number.empty()) objects.push_back("thread=" + number);
  }
  if (finding.id == "NT-PoolLeak") objects.emplace_back(kLeft);
  const bool names_thread = is_leak(finding) && thread != std::string::npos;
  if (names_thread || finding.id == "NT-ThreadAliveAtUnload") objects.emplace_back(kLeftThread);
  if (const std::string asker = asker_of(finding); !asker.empty()) {
    objects.push_back("from=" + asker);
  }
}

// What the driver says of itself while it starts: many members that have nothing to do with each
// other stand in one event.
bool describes_the_driver(EventKind kind) {
  return kind == EventKind::CapsReported || kind == EventKind::CapsAnswered ||
         kind == EventKind::SegmentsReported || kind == EventKind::SegmentReported ||
         kind == EventKind::GpuMmuReported || kind == EventKind::PageTableLevelReported ||
         kind == EventKind::NodeAnswered || kind == EventKind::PhysicalAdapterReported;
}

// The names of members in a text, "LowIrqlPreemptCommand": words with a capital letter inside.
std::vector<std::string> members_in(std::string_view text) {
  const auto is_capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  std::vector<std::string> members;
  for (auto at = text.begin(); at != text.end();) {
    const auto begin = std::find_if(at, text.end(), is_letter);
    at = std::find_if_not(begin, text.end(), is_letter);
    if (begin == at) break;
    const bool has_small = std::any_of(begin, at, [](char c) { return c >= 'a' && c <= 'z'; });
    if (has_small && std::any_of(begin + 1, at, is_capital)) members.emplace_back(begin, at);
  }
  return members;
}

// The driver itself: that it cannot go on as it was called.
bool says_what_is_wrong(const Failure& finding) {
  return finding.id == "NT-Assertion" || finding.id == "NT-Breakpoint";
}

}  // namespace

bool Kinship::say_the_same(std::size_t run, const Failure& one, const Failure& other) {
  const StoredTrace& stored = trace_of(run);
  const auto at = std::ranges::lower_bound(stored.numbers(), one.event);
  if (at == stored.numbers().end() || *at != one.event) return true;  // nobody kept it
  const auto index = static_cast<std::size_t>(at - stored.numbers().begin());
  if (!describes_the_driver(stored.trace().events()[index].kind)) return true;
  return meet(members_in(one.seen), members_in(other.seen));
}

bool Kinship::is_of_call(std::size_t run, const Failure& one, const Failure& other) {
  if (one.op != other.op || one.event > other.event || !says_what_is_wrong(one)) return false;
  const StoredTrace& stored = trace_of(run);
  const std::span<const std::uint32_t> numbers = stored.numbers();
  const auto first = std::ranges::upper_bound(numbers, one.event);
  const auto end = std::ranges::upper_bound(numbers, other.event);
  return std::none_of(first, end, [&](const std::uint32_t& number) {
    const auto index = static_cast<std::size_t>(&number - numbers.data());
    return stored.trace().events()[index].kind == EventKind::DdiEntered;
  });
}

bool Kinship::are_kin(std::size_t run, const Failure& one, const Failure& other) {
  return one.event == other.event || meet(one.chain, other.chain) || is_of_call(run, one, other) ||
         meet(objects_of(run, one), objects_of(run, other));
}

bool Kinship::are_about_one(std::size_t run, const Failure& one, const Failure& other) {
  if (one.event == other.event) return true;
  Objects objects = objects_of(run, one);
  std::erase_if(objects, [](const std::string& object) { return object.starts_with(kRender); });
  return meet(objects, objects_of(run, other));
}

bool Kinship::names(const Failure& failure, const Failure& earlier) {
  const auto& chain = failure.chain;
  return failure.op != earlier.op &&
         std::find(chain.begin(), chain.end(), earlier.event) != chain.end();
}

bool Kinship::leads_to_end(std::size_t run, const Failure& failure) {
  const Failure& end = records_[run].run.judged.broken_off;
  if (meet(failure.chain, end.chain)) return true;
  if (failure.op != end.op) return false;
  const StoredTrace& stored = trace_of(run);
  const std::span<const std::uint32_t> numbers = stored.numbers();
  for (std::size_t i = numbers.size(); i-- > 0;) {
    if (stored.trace().events()[i].kind != EventKind::DdiReturned) continue;
    return failure.event > numbers[i];
  }
  return true;  // the first call, or nobody kept what was called
}

const StoredTrace& Kinship::trace_of(std::size_t run) {
  std::unique_ptr<StoredTrace>& trace = traces_[run];
  if (trace == nullptr) trace = std::make_unique<StoredTrace>(records_[run].run.judged.trace);
  return *trace;
}

Kinship::Objects Kinship::objects_of(std::size_t run, const Failure& failure) {
  Objects objects;
  for (const std::uint32_t index : failure.chain) {
    if (const auto line = trace_of(run).line(index)) add_objects(*line, objects);
  }
  add_words(failure, objects);
  return objects;
}

}  // namespace wddm::harness
