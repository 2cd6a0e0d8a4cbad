// Names of numbers.
#include "reference/trace/names.h"

#include <gtest/gtest.h>

namespace wddm {
namespace {

TEST(DdiName, HasThePrefixOfTheDdi) {
  EXPECT_STREQ(ddi_name(static_cast<std::uint32_t>(DdiId::Render)), "DxgkDdiRender");
  EXPECT_STREQ(ddi_name(static_cast<std::uint32_t>(DdiId::QueryChildRelations)),
               "DxgkDdiQueryChildRelations");
}

TEST(DdiName, DriverEntryHasNone) {
  EXPECT_STREQ(ddi_name(static_cast<std::uint32_t>(DdiId::DriverEntry)), "DriverEntry");
}

TEST(DdiName, UnknownNumberIsAQuestionMark) {
  EXPECT_STREQ(ddi_name(kDdis), "?");
  EXPECT_STREQ(ddi_name(0xffffffff), "?");
}

TEST(CallbackName, HasThePrefixOfTheCallback) {
  EXPECT_STREQ(callback_name(static_cast<std::uint32_t>(CallbackId::QueueDpc)), "DxgkCbQueueDpc");
}

TEST(CallbackName, UnknownIsAQuestionMark) {
  EXPECT_STREQ(callback_name(static_cast<std::uint32_t>(CallbackId::Unknown)), "?");
  EXPECT_STREQ(callback_name(static_cast<std::uint32_t>(CallbackId::FreePagesFromMdl) + 1), "?");
}

TEST(StatusName, IsThatOfNtstatus) {
  EXPECT_EQ(status_name(0), "STATUS_SUCCESS");
  EXPECT_EQ(status_name(0xC000000D), "STATUS_INVALID_PARAMETER");
  EXPECT_EQ(status_name(0xC01E0001), "STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER");
  EXPECT_EQ(status_name(0xC01E0102), "STATUS_GRAPHICS_ALLOCATION_BUSY");
  EXPECT_EQ(status_name(0xC01E0200), "STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE");
}

TEST(StatusName, WithoutANameIsANumber) {
  EXPECT_EQ(status_name(0xC01EFFFF), "0xC01EFFFF");
  EXPECT_EQ(status_name(1), "0x00000001");
}

TEST(InterruptName, CoversFirstAndLast) {
  EXPECT_EQ(interrupt_name(1), "DXGK_INTERRUPT_DMA_COMPLETED");
  EXPECT_EQ(interrupt_name(2), "DXGK_INTERRUPT_DMA_PREEMPTED");
  EXPECT_EQ(interrupt_name(20), "DXGK_INTERRUPT_GPU_ENGINE_STATE_CHANGE");
}

TEST(InterruptName, UnknownTypeIsANumber) {
  EXPECT_EQ(interrupt_name(0), "0x00000000");
  EXPECT_EQ(interrupt_name(21), "0x00000015");
}

TEST(PagingOperationName, CoversFirstAndLast) {
  EXPECT_EQ(paging_operation_name(0), "DXGK_OPERATION_TRANSFER");
  EXPECT_EQ(paging_operation_name(5), "DXGK_OPERATION_MAP_APERTURE_SEGMENT");
  EXPECT_EQ(paging_operation_name(22), "DXGK_OPERATION_NOTIFY_ALLOC");
  EXPECT_EQ(paging_operation_name(23), "0x00000017");
}

}  // namespace
}  // namespace wddm
