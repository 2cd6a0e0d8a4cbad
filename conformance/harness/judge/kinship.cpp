#include "conformance/harness/judge/kinship.h"

#include <algorithm>
#include <string_view>

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

// The packets and Render calls that an event names by their ordinals, which are of one each.
void add_objects(std::string_view line, std::vector<std::string>& objects) {
  while (!line.empty()) {
    const std::string_view word = line.substr(0, line.find(' '));
    line.remove_prefix(std::min(word.size() + 1, line.size()));
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos || !is_number(word.substr(equals + 1))) continue;
    const std::string_view name = word.substr(0, equals);
    const bool is_packet = name == "packet" || name == "cause_object";
    if (!is_packet && name != "render") continue;
    objects.push_back((is_packet ? "packet=" : "render=") + std::string(word.substr(equals + 1)));
  }
}

}  // namespace

bool Kinship::are_kin(std::size_t run, const Failure& one, const Failure& other) {
  if (one.event == other.event || meet(one.chain, other.chain)) return true;
  return meet(objects_of(run, one), objects_of(run, other));
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
  return objects;
}

// "... (Adapter::start+0x46)" at its end.
std::string site_of(const Failure& finding) {
  const std::string& seen = finding.seen;
  if (seen.empty() || seen.back() != ')') return {};
  const std::size_t open = seen.rfind('(');
  if (open == std::string::npos) return {};
  return seen.substr(open + 1, seen.size() - open - 2);
}

}  // namespace wddm::harness
