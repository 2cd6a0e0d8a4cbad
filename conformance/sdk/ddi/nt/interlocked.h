// Interlocked operations. They are imports under the names of the intrinsics, because each is a
// point where the host may switch fibers.
//
// Left out: bit tests on volatile words beyond set and reset, and the 128-bit compare-exchange.
#ifndef WDDM_DDI_NT_INTERLOCKED_H
#define WDDM_DDI_NT_INTERLOCKED_H

#include "../ntdef.h"

WDDM_EXTERN_C_BEGIN
LONG WddmInterlockedIncrement(LONG volatile* Addend) WDDM_IMPORT_AS(_InterlockedIncrement);
LONG WddmInterlockedDecrement(LONG volatile* Addend) WDDM_IMPORT_AS(_InterlockedDecrement);
LONG WddmInterlockedExchange(LONG volatile* Target, LONG Value)
    WDDM_IMPORT_AS(_InterlockedExchange);
LONG WddmInterlockedExchangeAdd(LONG volatile* Addend, LONG Value)
    WDDM_IMPORT_AS(_InterlockedExchangeAdd);
LONG WddmInterlockedCompareExchange(LONG volatile* Destination, LONG Exchange, LONG Comparand)
    WDDM_IMPORT_AS(_InterlockedCompareExchange);
LONG WddmInterlockedAnd(LONG volatile* Destination, LONG Value) WDDM_IMPORT_AS(_InterlockedAnd);
LONG WddmInterlockedOr(LONG volatile* Destination, LONG Value) WDDM_IMPORT_AS(_InterlockedOr);
LONG WddmInterlockedXor(LONG volatile* Destination, LONG Value) WDDM_IMPORT_AS(_InterlockedXor);
LONG64 WddmInterlockedIncrement64(LONG64 volatile* Addend) WDDM_IMPORT_AS(_InterlockedIncrement64);
LONG64 WddmInterlockedDecrement64(LONG64 volatile* Addend) WDDM_IMPORT_AS(_InterlockedDecrement64);
LONG64 WddmInterlockedExchange64(LONG64 volatile* Target, LONG64 Value)
    WDDM_IMPORT_AS(_InterlockedExchange64);
LONG64 WddmInterlockedExchangeAdd64(LONG64 volatile* Addend, LONG64 Value)
    WDDM_IMPORT_AS(_InterlockedExchangeAdd64);
LONG64 WddmInterlockedCompareExchange64(LONG64 volatile* Destination, LONG64 Exchange,
                                        LONG64 Comparand)
    WDDM_IMPORT_AS(_InterlockedCompareExchange64);
LONG64 WddmInterlockedAnd64(LONG64 volatile* Destination, LONG64 Value)
    WDDM_IMPORT_AS(_InterlockedAnd64);
LONG64 WddmInterlockedOr64(LONG64 volatile* Destination, LONG64 Value)
    WDDM_IMPORT_AS(_InterlockedOr64);
LONG64 WddmInterlockedXor64(LONG64 volatile* Destination, LONG64 Value)
    WDDM_IMPORT_AS(_InterlockedXor64);
SHORT WddmInterlockedIncrement16(SHORT volatile* Addend) WDDM_IMPORT_AS(_InterlockedIncrement16);
SHORT WddmInterlockedDecrement16(SHORT volatile* Addend) WDDM_IMPORT_AS(_InterlockedDecrement16);
SHORT WddmInterlockedExchange16(SHORT volatile* Target, SHORT Value)
    WDDM_IMPORT_AS(_InterlockedExchange16);
SHORT WddmInterlockedCompareExchange16(SHORT volatile* Destination, SHORT Exchange, SHORT Comparand)
    WDDM_IMPORT_AS(_InterlockedCompareExchange16);
SHORT WddmInterlockedAnd16(SHORT volatile* Destination, SHORT Value)
    WDDM_IMPORT_AS(_InterlockedAnd16);
SHORT WddmInterlockedOr16(SHORT volatile* Destination, SHORT Value)
    WDDM_IMPORT_AS(_InterlockedOr16);
SHORT WddmInterlockedXor16(SHORT volatile* Destination, SHORT Value)
    WDDM_IMPORT_AS(_InterlockedXor16);
PVOID WddmInterlockedExchangePointer(PVOID volatile* Target, PVOID Value)
    WDDM_IMPORT_AS(_InterlockedExchangePointer);
PVOID WddmInterlockedCompareExchangePointer(PVOID volatile* Destination, PVOID Exchange,
                                            PVOID Comparand)
    WDDM_IMPORT_AS(_InterlockedCompareExchangePointer);
UCHAR WddmInterlockedbittestandset(LONG volatile* Base, LONG Offset)
    WDDM_IMPORT_AS(_interlockedbittestandset);
UCHAR WddmInterlockedbittestandreset(LONG volatile* Base, LONG Offset)
    WDDM_IMPORT_AS(_interlockedbittestandreset);
WDDM_EXTERN_C_END

#define InterlockedIncrement WddmInterlockedIncrement
#define _InterlockedIncrement WddmInterlockedIncrement
#define InterlockedDecrement WddmInterlockedDecrement
#define _InterlockedDecrement WddmInterlockedDecrement
#define InterlockedExchange WddmInterlockedExchange
#define _InterlockedExchange WddmInterlockedExchange
#define InterlockedExchangeAdd WddmInterlockedExchangeAdd
#define _InterlockedExchangeAdd WddmInterlockedExchangeAdd
#define InterlockedCompareExchange WddmInterlockedCompareExchange
#define _InterlockedCompareExchange WddmInterlockedCompareExchange
#define InterlockedAnd WddmInterlockedAnd
#define _InterlockedAnd WddmInterlockedAnd
#define InterlockedOr WddmInterlockedOr
#define _InterlockedOr WddmInterlockedOr
#define InterlockedXor WddmInterlockedXor
#define _InterlockedXor WddmInterlockedXor
#define InterlockedIncrement64 WddmInterlockedIncrement64
#define _InterlockedIncrement64 WddmInterlockedIncrement64
#define InterlockedDecrement64 WddmInterlockedDecrement64
#define _InterlockedDecrement64 WddmInterlockedDecrement64
#define InterlockedExchange64 WddmInterlockedExchange64
#define _InterlockedExchange64 WddmInterlockedExchange64
#define InterlockedExchangeAdd64 WddmInterlockedExchangeAdd64
#define _InterlockedExchangeAdd64 WddmInterlockedExchangeAdd64
#define InterlockedCompareExchange64 WddmInterlockedCompareExchange64
#define _InterlockedCompareExchange64 WddmInterlockedCompareExchange64
#define InterlockedAnd64 WddmInterlockedAnd64
#define _InterlockedAnd64 WddmInterlockedAnd64
#define InterlockedOr64 WddmInterlockedOr64
#define _InterlockedOr64 WddmInterlockedOr64
#define InterlockedXor64 WddmInterlockedXor64
#define _InterlockedXor64 WddmInterlockedXor64
#define InterlockedIncrement16 WddmInterlockedIncrement16
#define _InterlockedIncrement16 WddmInterlockedIncrement16
#define InterlockedDecrement16 WddmInterlockedDecrement16
#define _InterlockedDecrement16 WddmInterlockedDecrement16
#define InterlockedExchange16 WddmInterlockedExchange16
#define _InterlockedExchange16 WddmInterlockedExchange16
#define InterlockedCompareExchange16 WddmInterlockedCompareExchange16
#define _InterlockedCompareExchange16 WddmInterlockedCompareExchange16
#define InterlockedAnd16 WddmInterlockedAnd16
#define _InterlockedAnd16 WddmInterlockedAnd16
#define InterlockedOr16 WddmInterlockedOr16
#define _InterlockedOr16 WddmInterlockedOr16
#define InterlockedXor16 WddmInterlockedXor16
#define _InterlockedXor16 WddmInterlockedXor16
#define InterlockedExchangePointer WddmInterlockedExchangePointer
#define _InterlockedExchangePointer WddmInterlockedExchangePointer
#define InterlockedCompareExchangePointer WddmInterlockedCompareExchangePointer
#define _InterlockedCompareExchangePointer WddmInterlockedCompareExchangePointer
#define InterlockedAdd(addend, value) (WddmInterlockedExchangeAdd((addend), (value)) + (value))
#define InterlockedAdd64(addend, value) (WddmInterlockedExchangeAdd64((addend), (value)) + (value))
#define InterlockedBitTestAndSet WddmInterlockedbittestandset
#define InterlockedBitTestAndReset WddmInterlockedbittestandreset
// x64 orders these like the plain ones.
#define InterlockedIncrementAcquire InterlockedIncrement
#define InterlockedIncrementRelease InterlockedIncrement
#define InterlockedIncrementNoFence InterlockedIncrement
#define InterlockedDecrementAcquire InterlockedDecrement
#define InterlockedDecrementRelease InterlockedDecrement
#define InterlockedDecrementNoFence InterlockedDecrement
#define InterlockedExchangeAcquire InterlockedExchange
#define InterlockedExchangeRelease InterlockedExchange
#define InterlockedExchangeNoFence InterlockedExchange
#define InterlockedCompareExchangeAcquire InterlockedCompareExchange
#define InterlockedCompareExchangeRelease InterlockedCompareExchange
#define InterlockedCompareExchangeNoFence InterlockedCompareExchange
#define InterlockedExchangeAddAcquire InterlockedExchangeAdd
#define InterlockedExchangeAddRelease InterlockedExchangeAdd
#define InterlockedExchangeAddNoFence InterlockedExchangeAdd
#define InterlockedAndAcquire InterlockedAnd
#define InterlockedAndRelease InterlockedAnd
#define InterlockedAndNoFence InterlockedAnd
#define InterlockedOrAcquire InterlockedOr
#define InterlockedOrRelease InterlockedOr
#define InterlockedOrNoFence InterlockedOr
#define InterlockedXorAcquire InterlockedXor
#define InterlockedXorRelease InterlockedXor
#define InterlockedXorNoFence InterlockedXor
#define InterlockedIncrementSizeT(p) InterlockedIncrement64((LONG64 volatile*)(p))
#define InterlockedDecrementSizeT(p) InterlockedDecrement64((LONG64 volatile*)(p))
#define ReadAcquire(p) (*(LONG const volatile*)(p))
#define ReadNoFence(p) (*(LONG const volatile*)(p))
#define ReadRaw(p) (*(LONG const volatile*)(p))
#define WriteRelease(p, v) (*(LONG volatile*)(p) = (v))
#define WriteNoFence(p, v) (*(LONG volatile*)(p) = (v))
#define ReadULongAcquire(p) (*(ULONG const volatile*)(p))
#define ReadULongNoFence(p) (*(ULONG const volatile*)(p))
#define ReadULong64NoFence(p) (*(ULONG64 const volatile*)(p))
#define WriteULong64NoFence(p, v) (*(ULONG64 volatile*)(p) = (v))

WDDM_EXTERN_C_BEGIN
VOID KeMemoryBarrier(void);
/// A point where another thread may run: YieldProcessor() in a spinning loop.
VOID WddmYieldProcessor(void);
WDDM_EXTERN_C_END
#define KeMemoryBarrierWithoutFence() __asm__ volatile("" ::: "memory")
#define MemoryBarrier() KeMemoryBarrier()
#define _ReadWriteBarrier() __asm__ volatile("" ::: "memory")
#define _ReadBarrier() __asm__ volatile("" ::: "memory")
#define _WriteBarrier() __asm__ volatile("" ::: "memory")
#define YieldProcessor() WddmYieldProcessor()

#endif
