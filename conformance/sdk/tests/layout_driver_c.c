// The layout probes, compiled as a driver in C is.
#define LAYOUT_FUNCTION wddm_layout_driver_c
#include "layout_probes.inl"
