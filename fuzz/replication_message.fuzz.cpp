// What a replica takes from its peers and from its own files: messages, the frames they travel in, the description of
// its database, the file of a diverged tail. Whatever can be read can be written, and is then read as the same.
//
// The first byte of an input says which of them the rest is.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "muster/base/invariant.hpp"
#include "muster/replication/diverged_tail.hpp"
#include "muster/replication/durable_meta.hpp"
#include "muster/replication/framing.hpp"
#include "muster/replication/message_codec.hpp"

namespace {

using muster::byte_view;
using muster::bytes;
namespace replication = muster::replication;

void read_message(byte_view content) {
  const auto one = replication::decode(content);
  if (!one) {
    return;
  }
  const bytes encoded = replication::encode(*one, replication::supported_versions.max);
  const auto again = replication::decode(encoded);
  MUSTER_INVARIANT(again.has_value(), "what was encoded can be decoded");
  MUSTER_INVARIANT(*again == *one, "and is the same");
}

/// The input is cut into frames by length bytes, and they are put together.
void read_frames(byte_view content) {
  constexpr std::size_t bytes_max = 4096;
  replication::frame_assembly assembly{bytes_max};
  while (!content.empty()) {
    const std::size_t length = std::min<std::size_t>(content.front(), content.size() - 1);
    if (const auto whole = assembly.add(content.subspan(1, length)); whole && *whole) {
      MUSTER_INVARIANT((*whole)->size() <= bytes_max, "no message exceeds the bound");
      read_message(**whole);
    }
    content = content.subspan(1 + length);
  }
}

/// Any bytes, cut into frames, arrive whole.
void cut_and_assemble(byte_view content) {
  const bytes original{content.begin(), content.end()};
  replication::frame_assembly assembly;
  for (const bytes& frame : replication::to_frames(original, 1, 7)) {
    const auto whole = assembly.add(frame);
    MUSTER_INVARIANT(whole.has_value(), "a frame that was cut can be read");
    if (*whole) {
      MUSTER_INVARIANT(**whole == original, "what arrives is what was sent");
    }
  }
}

void read_meta(byte_view content) {
  const auto one = replication::decode_meta(content);
  if (!one) {
    return;
  }
  const auto again = replication::decode_meta(replication::encode(*one));
  MUSTER_INVARIANT(again.has_value() && *again == *one, "what was encoded is read as the same");
  MUSTER_INVARIANT(replication::mark_restored(content).has_value(), "whatever can be read can be restored");
}

void read_tail(byte_view content) {
  const auto one = replication::decode_tail(content);
  if (!one) {
    return;
  }
  const auto again = replication::decode_tail(replication::encode(*one));
  MUSTER_INVARIANT(again.has_value() && *again == *one, "what was encoded is read as the same");
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): the name that libFuzzer calls
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const byte_view content{data + 1, size - 1};
  switch (data[0] % 5) {
    case 0: read_message(content); break;
    case 1: read_frames(content); break;
    case 2: cut_and_assemble(content); break;
    case 3: read_meta(content); break;
    default: read_tail(content); break;
  }
  return 0;
}
