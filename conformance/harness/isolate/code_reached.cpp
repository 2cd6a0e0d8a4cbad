#include "conformance/harness/isolate/code_reached.h"

#include <sys/mman.h>

#include <array>
#include <span>

#include "conformance/host/execute.h"
#include "reference/harness_assert.h"

namespace wddm::harness {
namespace {

struct Place {
  std::uintptr_t address;
  std::uintptr_t flags;
};
constexpr std::uintptr_t kFunctionEntry = 1;

struct Counted {
  std::span<std::uint8_t> counters;
  std::span<const Place> places;
  std::uint8_t* reached = nullptr;  // shared; a byte for each counter
};

// The driver, its plug-ins and their libraries.
constexpr std::size_t kMostImages = 16;
std::array<Counted, kMostImages> g_images;
std::size_t g_count = 0;

std::span<Counted> images() {
  return std::span(g_images).first(g_count);
}

void protect(const Counted& image, int protection) {
  ::mprotect(image.reached, image.counters.size(), protection);
}

}  // namespace

void note_code_counters(std::uint8_t* first, std::uint8_t* last) {
  const std::span<std::uint8_t> counters(first, last);
  if (counters.empty() || g_count == kMostImages) return;
  for (const Counted& image : images()) {
    if (image.counters.data() == first) return;  // each of its files tells
  }
  g_images[g_count++].counters = counters;
}

void note_code_places(const std::uintptr_t* first, const std::uintptr_t* last) {
  const auto places = static_cast<std::size_t>(last - first) / 2;
  if (g_count == 0 || places != g_images[g_count - 1].counters.size()) return;
  g_images[g_count - 1].places = {reinterpret_cast<const Place*>(first), places};
}

// A driver that writes wherever it can must not reach what others have counted.
void share_code_reached() {
  for (Counted& image : images()) {
    if (image.reached != nullptr) continue;
    void* const shared =
        ::mmap(nullptr, image.counters.size(), PROT_NONE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    HARNESS_ASSERT(shared != MAP_FAILED);
    image.reached = static_cast<std::uint8_t*>(shared);
  }
}

void gather_code_reached() {
  for (const Counted& image : images()) {
    if (image.reached == nullptr) continue;
    protect(image, PROT_READ | PROT_WRITE);
    for (std::size_t i = 0; i < image.counters.size(); ++i) {
      if (image.counters[i] != 0) image.reached[i] = 1;
    }
    protect(image, PROT_NONE);
  }
}

std::vector<FunctionReached> code_reached() {
  std::vector<FunctionReached> functions;
  for (const Counted& image : images()) {
    if (image.reached == nullptr) continue;
    protect(image, PROT_READ);
    bool of_driver = false;  // the function that the blocks belong to
    for (std::size_t i = 0; i < image.places.size(); ++i) {
      const Place& place = image.places[i];
      if ((place.flags & kFunctionEntry) != 0) {
        std::string name = host::driver_function(place.address);
        of_driver = !name.empty();
        if (of_driver) functions.push_back({std::move(name), host::driver_line(place.address)});
      }
      if (!of_driver) continue;
      ++functions.back().blocks;
      functions.back().reached += image.reached[i];
    }
    protect(image, PROT_NONE);
  }
  return functions;
}

}  // namespace wddm::harness
