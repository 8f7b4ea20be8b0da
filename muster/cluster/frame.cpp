#include "muster/cluster/frame.hpp"

#include "muster/base/codec.hpp"
#include "muster/membership/member.hpp"
#include "muster/membership/messages.hpp"

namespace muster::cluster {

std::string_view to_string(channel value) noexcept {
  switch (value) {
    case channel::membership: return "membership";
    case channel::gossip: return "gossip";
    case channel::actors: return "actors";
  }
  return "unknown";
}

std::uint64_t cluster_key(std::string_view name) noexcept { return membership::text_key(name); }

bytes encode_frame(const frame_header& header, byte_view payload) {
  byte_writer into;
  into.u8(frame_version);
  into.u8(static_cast<std::uint8_t>(header.about));
  into.u64(header.cluster);
  into.string(header.name);
  into.size(header.incarnation);
  bytes frame = std::move(into).take();
  frame.insert(frame.end(), payload.begin(), payload.end());
  return frame;
}

result<frame_view> decode_frame(byte_view frame) {
  byte_reader from{frame};
  if (const auto version = from.u8(); version != frame_version && !from.failed()) {
    return fail(errc::incompatible, "a frame has version {}; this build knows {}", version, frame_version);
  }
  frame_view out;
  const auto about = from.u8();
  out.header.about = static_cast<channel>(about);
  out.header.cluster = from.u64();
  out.header.name = from.string();
  out.header.incarnation = from.size();
  if (from.failed()) return fail(errc::corrupt, "a frame of {} bytes ends within its header", frame.size());
  if (about > static_cast<std::uint8_t>(channel::actors)) {
    return fail(errc::incompatible, "a frame is about {}, which this build does not know", about);
  }
  if (out.header.name.empty() || out.header.name.size() > membership::name_bytes_max || out.header.incarnation == 0) {
    return fail(errc::corrupt,
                "a frame names its sender with {} bytes and incarnation {}; allowed are 1 to {} bytes, "
                "and not 0",
                out.header.name.size(), out.header.incarnation, membership::name_bytes_max);
  }
  // What the reader has not read is the payload.
  byte_writer measure;
  measure.string(out.header.name);
  measure.size(out.header.incarnation);
  out.payload = frame.subspan(2 + 8 + measure.written_bytes());
  return out;
}

}  // namespace muster::cluster
