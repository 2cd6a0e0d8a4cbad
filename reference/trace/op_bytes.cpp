// The byte form of a scenario: 16 bytes an op, little endian: kind, a, b, c, x, y, z.
//
// Any bytes are some scenario, and deleting 16 aligned bytes deletes one op. Both directions bring
// ops into canonical form, so that corpora never hold two spellings of one scenario.
#include <algorithm>

#include "reference/trace/op.h"

namespace wddm {
namespace {

constexpr std::size_t kOpBytes = 16;

void put_word(std::vector<std::uint8_t>& bytes, std::uint32_t word) {
  for (int shift = 0; shift < 32; shift += 8)
    bytes.push_back(static_cast<std::uint8_t>(word >> shift));
}

std::uint32_t word_at(const std::uint8_t* bytes) {
  return std::uint32_t{bytes[0]} | std::uint32_t{bytes[1]} << 8 | std::uint32_t{bytes[2]} << 16 |
         std::uint32_t{bytes[3]} << 24;
}

}  // namespace

std::vector<std::uint8_t> encode(std::span<const Op> ops) {
  std::vector<std::uint8_t> bytes;
  ops = ops.first(std::min(ops.size(), kMaxOps));
  bytes.reserve(ops.size() * kOpBytes);
  for (const Op& given : ops) {
    const Op op = canonical(given);
    bytes.insert(bytes.end(), {static_cast<std::uint8_t>(op.kind), op.a, op.b, op.c});
    for (const std::uint32_t word : {op.x, op.y, op.z}) put_word(bytes, word);
  }
  return bytes;
}

std::vector<Op> decode(std::span<const std::uint8_t> bytes) {
  std::vector<Op> ops;
  const std::size_t count = std::min(bytes.size() / kOpBytes, kMaxOps);
  ops.reserve(count);
  for (; ops.size() < count; bytes = bytes.subspan(kOpBytes)) {
    Op op;
    op.kind = static_cast<OpKind>(bytes[0]);
    op.a = bytes[1];
    op.b = bytes[2];
    op.c = bytes[3];
    op.x = word_at(&bytes[4]);
    op.y = word_at(&bytes[8]);
    op.z = word_at(&bytes[12]);
    ops.push_back(canonical(op));
  }
  return ops;
}

}  // namespace wddm
