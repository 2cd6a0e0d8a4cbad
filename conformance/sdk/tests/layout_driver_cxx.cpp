// The layout probes, compiled as a driver in C++ is.
#define LAYOUT_FUNCTION wddm_layout_driver_cxx
#include "layout_probes.inl"
