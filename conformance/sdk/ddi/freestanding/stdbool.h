// For drivers only.
#ifndef WDDM_DDI_FREESTANDING_STDBOOL_H
#define WDDM_DDI_FREESTANDING_STDBOOL_H
#ifndef __cplusplus
#define bool _Bool
#define true 1
#define false 0
#endif
#endif
