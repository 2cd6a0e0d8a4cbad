// Driver images for the fake host: a "driver" is a text file, so there is little to say of it.
#include "conformance/host/nt/image/image.h"

namespace wddm::nt {

Image::~Image() = default;

std::unique_ptr<Image> Image::open(const std::string& path, std::string& error) {
  error = path + ": a fake";
  return nullptr;
}

bool list_raw_longs(const std::string&, std::vector<RawLong>& longs, std::string&) {
  longs = {{"driver.c", 7, "count", "long int"}};
  return true;
}

}  // namespace wddm::nt
