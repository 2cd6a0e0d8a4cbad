#include "conformance/runner/commands.h"

int main(int argc, char** argv) {
  return wddm::runner::wddmcheck(argc, argv);
}
