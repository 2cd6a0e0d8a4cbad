#include <vector>
#include <string>
#include <algorithm>
#include <memory>
#include <functional>
#include <cstdint>
#include <dispmprt.h>
