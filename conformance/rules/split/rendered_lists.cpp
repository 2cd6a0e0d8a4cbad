#include "conformance/rules/split/rendered_lists.h"

#include <algorithm>

#include "conformance/rules/render/asked_by_contexts.h"

namespace wddm::split {

RenderedLists::RenderedLists(const Trace& trace) {
  constexpr std::uint32_t kInsufficientDmaBuffer = 0xC01E0001;
  const auto called = trace.of<ev::RenderCalled>();
  const auto decoded = trace.of<ev::Decoded>();
  const auto altered = trace.of<ev::ListAltered>();
  std::size_t call = 0, from = 0, alteration = 0;
  render::AskedByContexts asked;
  for (const std::uint32_t index :
       trace.of_any<ev::ContextCreated, ev::RenderCalled, ev::Rendered>()) {
    asked.follow(trace, index);
    if (trace.events()[index].kind != EventKind::Rendered) continue;
    while (call + 1 < called.size() && called[call + 1] < index) ++call;
    if (call >= called.size() || called[call] > index) continue;
    const auto rendered = trace.at<ev::Rendered>(index);
    const auto before = trace.at<ev::RenderCalled>(called[call]);
    if (before.render != rendered.render || before.pass != rendered.pass) continue;
    std::uint32_t list = called[call];
    while (alteration < altered.size() && altered[alteration] < index) {
      list = std::max(list, altered[alteration++]);
    }
    const bool made_output =
        rendered.status < 0x80000000 || rendered.status == kInsufficientDmaBuffer;
    if (!made_output || rendered.dma_used < 0) continue;
    if (static_cast<std::uint32_t>(rendered.dma_used) > rendered.dma_given) continue;
    const std::uint32_t next = call + 1 < called.size() ? called[call + 1] : kNone;
    while (from < decoded.size() && decoded[from] < index) ++from;
    std::size_t to = from;
    while (to < decoded.size() && decoded[to] < next) ++to;
    lists_.push_back({.rendered = index,
                      .render = rendered.render,
                      .pass = rendered.pass,
                      .bytes = static_cast<std::uint32_t>(rendered.dma_used),
                      .cramped = asked.more_than(rendered),
                      .elements = trace.blob<PatchRecord>(trace.events()[index]),
                      .entries = trace.blob<AllocationRecord>(trace.events()[list]),
                      .decoded = decoded.subspan(from, to - from)});
    from = to;
  }
}

}  // namespace wddm::split
