// Memory that a context allocation has left: overwritten, kept from others, and looked at for who
// still uses it.
//
// What no CPU sees is neither overwritten nor looked at.
#pragma once

#include <cstdint>

#include "conformance/host/gpuva/tables/table_places.h"

namespace wddm::host {

class FormerPlace {
 public:
  /// Its contents are elsewhere by now.
  FormerPlace(TablePlaces& places, TablePlace place, std::uint32_t physical_adapter);
  FormerPlace(const FormerPlace&) = delete;
  FormerPlace& operator=(const FormerPlace&) = delete;
  ~FormerPlace() { places_.give_back(place_); }

  /// FormerPlaceLooked::at
  enum class Occasion : std::uint32_t { WorkEnded, GivenBack };
  /// Tells what has changed there; `context`: whose it was, kNone: of all of a device.
  void look(std::uint32_t number, std::uint32_t context, Occasion occasion) const;

 private:
  TablePlaces& places_;
  TablePlace place_;
  std::uint32_t physical_adapter_;  // whose memory it is
};

}  // namespace wddm::host
