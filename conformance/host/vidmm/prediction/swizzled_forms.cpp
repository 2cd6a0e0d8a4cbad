#include "conformance/host/vidmm/prediction/swizzled_forms.h"

#include "conformance/host/boundary/session.h"

namespace wddm::host {
namespace {

// False where somebody cannot see it.
bool add_page(std::vector<std::uint8_t>& bytes, const std::uint8_t* page) {
  if (page != nullptr) bytes.insert(bytes.end(), page, page + kPageSize);
  return page != nullptr;
}

}  // namespace

void convert(const Converted& what, const ActualMemory& actual, gpu::ShadowMemory& shadow) {
  const vidmm::PagingStep& step = what.step;
  const bool in = brings_into_memory(step.kind);
  const gpu::Place stored{.segment = step.segment, .offset = step.page * kPageSize};
  const gpu::Place linear{.offset = 0, .frames = what.system_pages};
  SwizzledForms now{.linear = {}, .stored = {}, .segment = step.segment, .page = step.page};
  bool seen = true;
  for (std::uint32_t i = 0; i < step.pages; ++i) {
    seen = seen && add_page(now.linear, actual.page(kNoSegment, what.system_pages[i])) &&
           add_page(now.stored, actual.page(step.segment, step.page + i));
  }
  const gpu::Place& made = in ? stored : linear;
  const std::optional<SwizzledForms>& before = what.allocation.forms;
  const bool is_there =
      seen && before && before->segment == now.segment && before->page == now.page;
  const bool by_range = !in && !what.allocation.seen.empty();
  if (by_range) {
    shadow.write(made, std::as_bytes(std::span(what.allocation.seen)));
    session().tap(ev::ConversionForetold{.allocation = step.allocation.value, .seen = 1});
    if (seen) what.allocation.forms = std::move(now);
    return;
  }
  if (is_there && (in ? before->linear == now.linear : before->stored == now.stored)) {
    shadow.write(made, std::as_bytes(std::span(in ? before->stored : before->linear)));
    session().tap(ev::ConversionForetold{.allocation = step.allocation.value, .in = in});
    return;
  }
  if (!seen || in) return shadow.forget(made, what.allocation.bytes);
  shadow.write(made, std::as_bytes(std::span(now.linear)));
  what.allocation.forms = std::move(now);
}

}  // namespace wddm::host
