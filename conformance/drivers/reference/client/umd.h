/* What the user-mode side of the reference GPU hands to its kernel-mode driver, besides commands.
 *
 * Plain C, shared by client and driver. A command buffer is a sequence of the commands of hw.h that
 * user mode may write, with USER_BIND and USER_UNBIND where the hardware has SET_BASE and
 * CLEAR_BASE. Constants last for the whole context, and are 0 in a new one; slots must be bound
 * again in each command buffer. An input patch location is a hint that is checked and not needed:
 * it repeats one USER_BIND (AllocationIndex, SlotId, AllocationOffset), with PatchOffset = offset
 * of the command's index word in the command buffer and SplitOffset = offset of the command.
 *
 * With GPU virtual addresses a command buffer is what the GPU fetches: SET_BASE with the address of
 * the allocation, and CLEAR_BASE. The private data of a submission tells how long it is.
 */
#ifndef REFERENCE_GPU_UMD_H
#define REFERENCE_GPU_UMD_H

#include "../device/hw.h"

#define UMD_ALLOCATION_MAGIC 0x41444d55u /* "UMDA" */
#define UMD_CONTEXT_MAGIC 0x43444d55u    /* "UMDC" */
#define UMD_SUBMISSION_MAGIC 0x53444d55u /* "UMDS" */
#define UMD_ESCAPE_MAGIC 0x45444d55u     /* "UMDE" */
#define UMD_VERSION 1u

/* Segments by what they are; which SegmentIds they are reported under is the driver's affair. */
#define UMD_SEGMENT_LOCAL 1u
#define UMD_SEGMENT_APERTURE 2u
#define UMD_SEGMENT_HIGH 3u  /* the driver may report it or not */
#define UMD_SEGMENT_SPARE 4u /* likewise: the end of local memory, where no allocation lies */

#define UMD_ALLOCATION_CPU_VISIBLE 0x1u
#define UMD_ALLOCATION_APERTURE_ONLY 0x2u /* never in video memory */
#define UMD_ALLOCATION_PRIMARY 0x4u       /* what a display shows: Dxgkrnl's own */

/* Private data of an allocation. */
typedef struct UmdAllocationData {
  HwUint32 magic;
  HwUint32 version;
  HwUint64 size;    /* bytes, not 0 */
  HwUint32 segment; /* preferred: UMD_SEGMENT_* or 0 = driver's choice */
  HwUint32 flags;   /* UMD_ALLOCATION_* */
  HwUint32 width;   /* of a surface, in texels; 0 = a buffer */
  HwUint32 height;
  HwUint32 format; /* D3DDDIFORMAT */
  HwUint32 gpu;    /* of the link, whose memory it lives in */
} UmdAllocationData;

/* Private data of a context. Contexts that Dxgkrnl makes for itself come without. */
typedef struct UmdContextData {
  HwUint32 magic;
  HwUint32 version;
  HwUint32 node;
  HwUint32 reserved;
} UmdContextData;

/* Private data of a submission with GPU virtual addresses; may be left out. */
typedef struct UmdSubmissionData {
  HwUint32 magic;
  HwUint32 version;
  HwUint32 command_bytes; /* of the command buffer */
  HwUint32 reserved;      /* 0 */
} UmdSubmissionData;

/* An escape: what kind of engine each of `count` nodes from `first` on is. Behind it stands the
 * answer, as many DXGK_ENGINE_TYPE. */
typedef struct UmdEscapeData {
  HwUint32 magic;
  HwUint32 version;
  HwUint32 first;
  HwUint32 count;
} UmdEscapeData;

/* Room for private data of a submission that the driver asks for. */
#define UMD_SUBMISSION_ROOM 64u

#endif
