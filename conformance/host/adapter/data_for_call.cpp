#include "conformance/host/adapter/data_for_call.h"

#include <algorithm>
#include <memory>

namespace wddm::host {
namespace {

constexpr std::uint8_t kGone = 0xDD;

std::vector<std::unique_ptr<std::uint8_t[]>> g_places;

std::uint8_t* place_for(const std::vector<std::uint8_t>& data) {
  if (data.empty()) return nullptr;
  g_places.push_back(std::make_unique<std::uint8_t[]>(data.size()));
  std::copy(data.begin(), data.end(), g_places.back().get());
  return g_places.back().get();
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
  g_places.clear();
}

}  // namespace wddm::host
