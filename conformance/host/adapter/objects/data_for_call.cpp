#include "conformance/host/adapter/objects/data_for_call.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

namespace wddm::host {
namespace {

constexpr std::uint8_t kGone = 0xDD;
// What one run leaves to the next: more than scenarios pass, and not the whole of a hostile one.
constexpr std::size_t kMostSpare = 64;

// Each is a block of its own, so that a sanitizer sees who reads or writes behind it.
struct DataPlace {
  std::size_t bytes = 0;
  std::unique_ptr<std::uint8_t[]> memory;
};
std::vector<DataPlace> g_taken;  // in this run: nobody else gets them
std::vector<DataPlace> g_spare;  // from runs before

DataPlace place_of(std::size_t bytes) {
  const auto found = std::find_if(g_spare.begin(), g_spare.end(),
                                  [bytes](const DataPlace& each) { return each.bytes == bytes; });
  if (found == g_spare.end()) return {bytes, std::make_unique<std::uint8_t[]>(bytes)};
  DataPlace place = std::move(*found);
  g_spare.erase(found);
  return place;
}

std::uint8_t* place_for(const std::vector<std::uint8_t>& data) {
  if (data.empty()) return nullptr;
  g_taken.push_back(place_of(data.size()));
  std::uint8_t* const memory = g_taken.back().memory.get();
  std::copy(data.begin(), data.end(), memory);
  return memory;
}

}  // namespace

DataForCall::DataForCall(std::vector<std::uint8_t>& data) : data_(data), place_(place_for(data)) {}

DataForCall::~DataForCall() {
  take_back();
}

void DataForCall::take_back() {
  if (back_) return;
  back_ = true;
  std::copy_n(place_, data_.size(), data_.begin());
  std::fill_n(place_, data_.size(), kGone);
}

void forget_data_of_calls() {
  for (DataPlace& place : g_taken) {
    if (g_spare.size() == kMostSpare) break;
    g_spare.push_back(std::move(place));
  }
  g_taken.clear();
}

}  // namespace wddm::host
