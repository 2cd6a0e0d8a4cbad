#pragma once
constexpr int kInner = 1;
