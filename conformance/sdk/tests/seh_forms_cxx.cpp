// The guarded bodies of seh_forms.inl, as a driver in C++ has them.
#define SEH_FORM(name) seh_cxx_##name
#include "seh_forms.inl"
