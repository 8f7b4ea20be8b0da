#pragma once

namespace muster::bench {

/// One end of the bare transport that carries a cluster: no membership, no registrations, no actors. Answers standard
/// input until it ends:
///
///     address       where it listens (a text)
///     shoot ADDRESS sends a frame of the size of one change; when that was
///     hit N         waits until so many frames have come; when the last of them did
int serve_as_raw_peer();

}  // namespace muster::bench
