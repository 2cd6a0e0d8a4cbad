// Private data that a driver is given for one call, from CreateAllocation to CreateContext.
//
// Dxgkrnl holds what user mode has passed as long as the call takes, and no page says that it is
// there any longer. Here other bytes stand in its place afterwards, to the end of the run: who has
// kept the address, and looks again, finds nothing that it knows.
#pragma once

#include <cstdint>
#include <vector>

namespace wddm::host {

class DataForCall {
 public:
  explicit DataForCall(std::vector<std::uint8_t>& data);
  ~DataForCall();
  DataForCall(const DataForCall&) = delete;
  DataForCall& operator=(const DataForCall&) = delete;

  /// Null if there are none.
  [[nodiscard]] void* place() const { return place_; }
  /// The call has returned: what the driver wrote is in the data it was made of.
  void take_back();

 private:
  std::vector<std::uint8_t>& data_;
  std::uint8_t* place_;
  bool back_ = false;
};

/// A run begins: nobody has any address, and the memory serves again.
void forget_data_of_calls();

}  // namespace wddm::host
