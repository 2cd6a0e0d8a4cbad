// For drivers only. `long` is what the host compiler says it is, which is not what Windows says.
#ifndef WDDM_DDI_FREESTANDING_LIMITS_H
#define WDDM_DDI_FREESTANDING_LIMITS_H
#define CHAR_BIT 8
#define UCHAR_MAX 255
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MAX 2147483647
#define INT_MIN (-INT_MAX - 1)
#define UINT_MAX 0xffffffffU
#define LONG_MAX __LONG_MAX__
#define ULONG_MAX (__LONG_MAX__ * 2UL + 1UL)
#define LLONG_MAX 9223372036854775807LL
#define ULLONG_MAX 0xffffffffffffffffULL
#endif
