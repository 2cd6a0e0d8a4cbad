// Drivers that look at the size of one buffer and not of the other, or at a part of what they
// write: the clause that says how much there is room for fires in its own scenario.
#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "conformance/harness/tests/replay_support.h"
#include "conformance/rules/rule.h"

namespace wddm::harness {
namespace {

class ShortBuffers : public ReplayTest {};

// -- of BuildTestCommandBuffer

// Where there is private data at all, it is taken to be large enough.
struct AnyPrivateDataWillDo final : Interposer {
  NTSTATUS BuildTestCommandBuffer(PDXGKDDI_BUILDTESTCOMMANDBUFFER entry, HANDLE adapter,
                                  DXGKARG_BUILDTESTCOMMANDBUFFER* build) override {
    PVOID const asked = build->pDmaBufferPrivateData;
    const UINT size = build->DmaBufferPrivateDataSize;
    if (asked == nullptr) return Interposer::BuildTestCommandBuffer(entry, adapter, build);
    std::array<UCHAR, 1024> room{};
    build->pDmaBufferPrivateData = room.data();
    build->DmaBufferPrivateDataSize = room.size();
    const NTSTATUS status = Interposer::BuildTestCommandBuffer(entry, adapter, build);
    build->pDmaBufferPrivateData = asked;
    // What is behind the buffer is left alone here.
    std::memcpy(asked, room.data(), std::min(size, build->DmaBufferPrivateDataSize));
    return status;
  }
};

TEST_F(ShortBuffers, PrivateDataOfTestCommandsIsTakenToBeLargeEnough) {
  EXPECT_TRUE(fires<AnyPrivateDataWillDo>("MCDM-045"));
}

// The private data alone is asked for: commands go to a buffer that is taken to be there.
struct AnyCommandBufferWillDo final : Interposer {
  NTSTATUS BuildTestCommandBuffer(PDXGKDDI_BUILDTESTCOMMANDBUFFER entry, HANDLE adapter,
                                  DXGKARG_BUILDTESTCOMMANDBUFFER* build) override {
    PVOID const asked = build->pDmaBuffer;
    const UINT size = build->DmaBufferSize;
    if (build->pDmaBufferPrivateData == nullptr) {
      return Interposer::BuildTestCommandBuffer(entry, adapter, build);
    }
    std::array<UCHAR, 4096> room{};
    build->pDmaBuffer = room.data();
    build->DmaBufferSize = room.size();
    const NTSTATUS status = Interposer::BuildTestCommandBuffer(entry, adapter, build);
    build->pDmaBuffer = asked;
    if (asked != nullptr) std::memcpy(asked, room.data(), std::min(size, build->DmaBufferSize));
    return status;
  }
};

TEST_F(ShortBuffers, TheBufferOfTestCommandsIsTakenToBeThere) {
  EXPECT_TRUE(fires<AnyCommandBufferWillDo>("MCDM-045"));
}

// -- of Render

// The sum of what a command needs leaves out one word of it.
struct RoomForAWordMore final : Interposer {
  NTSTATUS Render(HANDLE context, DXGKARG_RENDER* render) override {
    auto* const start = static_cast<UCHAR*>(render->pDmaBuffer);
    const UINT size = render->DmaSize;
    std::vector<UCHAR> room(size + sizeof(ULONG));
    render->pDmaBuffer = room.data();
    render->DmaSize = size + sizeof(ULONG);
    const NTSTATUS status = Interposer::Render(context, render);
    const auto used = static_cast<UINT>(static_cast<UCHAR*>(render->pDmaBuffer) - room.data());
    // What is behind the buffer is left alone here.
    std::memcpy(start, room.data(), std::min(used, size));
    render->pDmaBuffer = start + used;
    render->DmaSize = size;
    return status;
  }
};

TEST_F(ShortBuffers, ACommandThatIsAWordTooLongIsPutIn) {
  EXPECT_TRUE(fires<RoomForAWordMore>("RENDER-004"));
  EXPECT_TRUE(fires<RoomForAWordMore>("RENDER-004", "CommandPadding=5"));
}

}  // namespace
}  // namespace wddm::harness
