#include "muster/replication/diverged_tail.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "muster/base/codec.hpp"

namespace muster::replication {

namespace {

constexpr std::string_view magic = "muster diverged tail\n";
constexpr std::uint8_t format_version = 1;
constexpr std::size_t checksum_bytes = 8;

/// FNV-1a, 64 bits (Fowler, Noll, Vo): finds torn and edited files; no protection against malice is meant.
std::uint64_t checksum(byte_view content) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const std::uint8_t byte : content) {
    hash = (hash ^ byte) * 0x100000001b3U;
  }
  return hash;
}

}  // namespace

bytes encode(const diverged_tail& what) {
  byte_writer out;
  for (const char c : magic) {
    out.u8(static_cast<std::uint8_t>(c));
  }
  out.u8(format_version);
  out.string(what.replica);
  encode(out, what.dropped);
  encode(out, what.in_favour_of);
  out.size(what.entries.size());
  for (const auto& entry : what.entries) {
    out.size(entry.number.value());
    out.blob(entry.change.view());
  }
  bytes file = std::move(out).take();
  byte_writer end;
  end.u64(checksum(file));
  const bytes sum = std::move(end).take();
  file.insert(file.end(), sum.begin(), sum.end());
  return file;
}

result<diverged_tail> decode_tail(byte_view file) {
  const auto starts_so =
      file.size() >= magic.size() &&
      std::ranges::equal(magic, file.first(magic.size()), {}, [](char c) { return static_cast<std::uint8_t>(c); });
  if (!starts_so || file.size() < magic.size() + 1 + checksum_bytes) {
    return fail(errc::corrupt, "this is not a file of diverged changes");
  }
  if (file[magic.size()] != format_version) {
    return fail(errc::incompatible, "the file of diverged changes has format {}, this program reads {}",
                file[magic.size()], format_version);
  }
  const byte_view content = file.first(file.size() - checksum_bytes);
  byte_reader end{file.subspan(content.size())};
  if (end.u64() != checksum(content)) {
    return fail(errc::corrupt, "the file of diverged changes is damaged: its checksum does not fit");
  }

  byte_reader in{content.subspan(magic.size() + 1)};
  diverged_tail out;
  out.replica = std::string{in.string()};
  out.dropped = decode_history(in);
  out.in_favour_of = decode_term(in);
  const std::size_t count = in.count(2);
  for (std::size_t i = 0; i < count && !in.failed(); ++i) {
    const serial number{in.size()};
    const byte_view change = in.blob();
    if (!out.entries.empty() && number != next(out.entries.back().number)) {
      in.set_failed();
    }
    out.entries.push_back({number, shared_bytes{change}});
  }
  if (auto whole = in.finish("the file of diverged changes"); !whole) {
    return fail(whole.error());
  }
  return out;
}

std::string tail_file_name(const diverged_tail& what) {
  constexpr std::size_t name_length_max = 40;
  std::string safe;
  for (const char c : what.replica) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (safe.size() < name_length_max) {
      safe.push_back(plain ? c : '-');
    }
  }
  const serial first = what.entries.empty() ? next(what.dropped.last) : what.entries.front().number;
  const term wrote = what.dropped.terms.current();
  return fmt::format("diverged-{}-{}-{}-term{}-{}.tail", safe, first, what.dropped.last, wrote.number,
                     wrote.id.str().substr(0, 8));
}

}  // namespace muster::replication
