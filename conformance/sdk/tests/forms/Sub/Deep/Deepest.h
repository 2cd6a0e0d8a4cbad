#pragma once
#include "..\inner.H"
constexpr int kDeepest = kInner + 1;
