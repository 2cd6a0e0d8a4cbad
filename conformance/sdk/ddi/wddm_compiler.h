// What our headers ask of the compiler: linkage, packing, storage of enums.
//
// Left out: anything a driver may name. Drivers see only Windows names (sal.h, ntdef.h).
#ifndef WDDM_DDI_COMPILER_H
#define WDDM_DDI_COMPILER_H

#ifdef __cplusplus
#define WDDM_EXTERN_C_BEGIN extern "C" {
#define WDDM_EXTERN_C_END }
#else
#define WDDM_EXTERN_C_BEGIN
#define WDDM_EXTERN_C_END
#endif

// An enum stored in one byte, as the display structures declare it on Windows.
#define WDDM_ENUM8 __attribute__((packed))

// The intrinsics of Windows are imports here, so that the host can yield in them. The label keeps
// the Windows symbol although clang would expand a function of that name inline.
#define WDDM_IMPORT_AS(symbol) __asm__(#symbol)

#endif
