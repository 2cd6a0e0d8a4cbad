#include "conformance/host/render/presents.h"

#include <algorithm>
#include <memory>

#include "conformance/host/boundary/session.h"

namespace wddm::host {
namespace {

// Slots of the abstract commands, which name no slot of the driver's.
constexpr std::uint16_t kTo = 0, kFrom = 1;

// DMA buffers are as large as contexts ask for.
constexpr Op kNoSizes{};

struct Size {
  std::uint32_t width = 0, height = 0;
};

// What lies behind the corner, if any does.
Size behind(const SurfaceShape& surface, const Presentation::Corner& corner) {
  if (corner.left >= surface.width || corner.top >= surface.rows) return {};
  return {surface.width - corner.left, surface.rows - corner.top};
}

RECT rect_at(const Presentation::Corner& corner, const Size& size) {
  return {.left = static_cast<LONG>(corner.left),
          .top = static_cast<LONG>(corner.top),
          .right = static_cast<LONG>(corner.left + size.width),
          .bottom = static_cast<LONG>(corner.top + size.height)};
}

// Bands of columns, with a gap behind each and below, where there is room for one: what is written
// there shows. Fewer, if there are not so many texels.
std::vector<RECT> cut(const RECT& whole, std::uint32_t count) {
  const auto width = static_cast<std::uint32_t>(whole.right - whole.left);
  const auto height = static_cast<std::uint32_t>(whole.bottom - whole.top);
  const std::uint32_t bands = std::min(count, height);
  const std::uint32_t columns = std::min((count + bands - 1) / bands, width);
  const std::uint32_t wide = width / columns, high = height / bands;
  std::vector<RECT> rects;
  for (std::uint32_t i = 0; i < std::min(count, bands * columns); ++i) {
    const Presentation::Corner corner{static_cast<std::uint32_t>(whole.left) + i % columns * wide,
                                      static_cast<std::uint32_t>(whole.top) + i / columns * high};
    rects.push_back(rect_at(corner, {std::max(wide - 1, 1u), std::max(high - 1, 1u)}));
  }
  return rects;
}

std::uint32_t offset_in(const SurfaceShape& surface, LONG left, LONG top) {
  return static_cast<std::uint32_t>(top) * surface.pitch +
         static_cast<std::uint32_t>(left) * kTexelBytes;
}

}  // namespace

const char* Presents::unfit(const Presentation& what) const {
  if (!by_patch_lists(addressing_)) return "the driver has GPU virtual addresses";
  for (const AllocationId id : {what.destination, what.source.value_or(what.destination)}) {
    if (!objects_.allocation(id).surface) return "the allocation is no surface of Dxgkrnl's";
    if (const char* const why = addressing_.cannot_bind(what.context, id)) return why;
  }
  if (what.source == what.destination) return "nothing is copied inside of one surface";
  return nullptr;
}

const char* Presents::run(const Presentation& what, std::uint32_t ordinal) const {
  if (const char* const why = unfit(what)) return why;
  const SurfaceShape to = *objects_.allocation(what.destination).surface;
  const SurfaceShape from = *objects_.allocation(what.source.value_or(what.destination)).surface;
  Size size = behind(to, what.to);
  if (what.source) {
    const Size there = behind(from, what.from);
    size = {std::min(size.width, there.width), std::min(size.height, there.height)};
  }
  if (size.width == 0 || size.height == 0) return "the rectangle is empty";

  PresentCall call{.what = what, .to = rect_at(what.to, size)};
  if (what.source) call.from = rect_at(what.from, size);
  call.rects = what.rects == 0 ? std::vector{call.to} : cut(call.to, what.rects);

  const auto stream = std::make_shared<CommandStream>();
  stream->commands.push_back(gpu::bind(kTo, what.destination));
  if (what.source) stream->commands.push_back(gpu::bind(kFrom, *what.source));
  for (const RECT& rect : call.rects) {
    const auto bytes = static_cast<std::uint32_t>(rect.right - rect.left) * kTexelBytes;
    for (LONG row = rect.top; row < rect.bottom; ++row) {
      const std::uint32_t at = offset_in(to, rect.left, row);
      const std::uint32_t source_at = offset_in(from, rect.left - call.to.left + call.from.left,
                                                row - call.to.top + call.from.top);
      stream->commands.push_back(what.source ? gpu::copy(kTo, at, kFrom, source_at, bytes)
                                             : gpu::fill(kTo, at, bytes, what.color));
    }
  }

  UserInput input;
  input.context = what.context;
  input.allocations = {kNoAllocation, what.source.value_or(kNoAllocation), what.destination};
  for (std::uint32_t index = 0; index < input.allocations.size(); ++index) {
    input.list.push_back({.allocation = index, .write = index == DXGK_PRESENT_DESTINATION_INDEX});
  }
  session().tap(ev::PresentAsked{.render = ordinal,
                                 .context = what.context.value,
                                 .destination = what.destination.value,
                                 .source = what.source.value_or(kNoAllocation).value,
                                 .color = what.color,
                                 .rects = static_cast<std::uint32_t>(call.rects.size()),
                                 .width = size.width,
                                 .height = size.height,
                                 .left = what.to.left,
                                 .top = what.to.top,
                                 .from_left = what.from.left,
                                 .from_top = what.from.top},
                call.rects.data(), call.rects.size() * sizeof(RECT));
  addressing_.prepare({.ordinal = ordinal,
                       .context = what.context,
                       .op = kNoSizes,
                       .stream = stream,
                       .marker_offset = kNone,
                       .marker_is_ladder = false,
                       .hostile = {},
                       .private_data = std::nullopt,
                       .present = &call},
                      input, vidmm_);
  return nullptr;
}

}  // namespace wddm::host
