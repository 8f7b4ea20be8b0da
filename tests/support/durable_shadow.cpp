#include "tests/support/durable_shadow.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace muster::tests {
namespace {

constexpr std::uint64_t sector_bytes = 512;

/// Splitmix64; this library is loaded into programs under test and uses none of theirs.
class dice {
 public:
  explicit dice(std::uint64_t seed) noexcept : state_{seed} {}
  std::uint64_t roll() noexcept {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }
  bool heads() noexcept { return (roll() & 1U) != 0; }

 private:
  std::uint64_t state_;
};

// Files are read and written by system calls of our own: the names open, read and write are the ones interposed here.

std::vector<std::uint8_t> read_whole(const std::string& path) {
  std::vector<std::uint8_t> out;
  const auto fd = static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path.c_str(), O_RDONLY | O_CLOEXEC, 0));
  if (fd < 0) {
    return out;
  }
  std::vector<std::uint8_t> part(1U << 16U);
  long got = 0;
  while ((got = ::syscall(SYS_read, fd, part.data(), part.size())) > 0) {
    out.insert(out.end(), part.begin(), part.begin() + got);
  }
  ::syscall(SYS_close, fd);
  return out;
}

void write_whole(const std::string& path, std::span<const std::uint8_t> content) {
  const auto fd =
      static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  while (fd >= 0 && !content.empty()) {
    const long written = ::syscall(SYS_write, fd, content.data(), content.size());
    if (written <= 0) {
      break;
    }
    content = content.subspan(static_cast<std::size_t>(written));
  }
  ::syscall(SYS_close, fd);
}

}  // namespace

shadow_file::shadow_file(std::vector<std::uint8_t> durable) : durable_{std::move(durable)} {
  take_blocks(0, durable_.size());
}

void shadow_file::apply(const pending& operation, std::vector<std::uint8_t>& to) {
  if (operation.new_length) {
    if (!operation.only_longer || *operation.new_length > to.size()) {
      to.resize(*operation.new_length);
    }
    return;
  }
  const std::uint64_t end = operation.offset + operation.content.size();
  if (to.size() < end) {
    to.resize(end);
  }
  std::copy(operation.content.begin(), operation.content.end(),
            to.begin() + static_cast<std::ptrdiff_t>(operation.offset));
}

void shadow_file::write(std::uint64_t offset, std::span<const std::uint8_t> content) {
  take_blocks(offset, content.size());
  pending_.push_back({.offset = offset, .content = {content.begin(), content.end()}, .new_length = {}});
}

void shadow_file::write_durably(std::uint64_t offset, std::span<const std::uint8_t> content) {
  // It stays in the sequence too: an older pending write of the same place, synced later, must not win over it.
  write(offset, content);
  apply(pending_.back(), durable_);
}

void shadow_file::truncate(std::uint64_t length) {
  pending_.push_back({.content = {}, .new_length = length});
  const std::uint64_t kept = (length + block_bytes - 1) / block_bytes;
  for (std::uint64_t block = kept; block < has_block_.size(); ++block) {
    blocks_taken_ -= has_block_[block] ? 1U : 0U;
  }
  has_block_.resize(std::min<std::uint64_t>(has_block_.size(), kept));
}

void shadow_file::allocate(std::uint64_t length, bool takes_blocks) {
  if (takes_blocks) {
    take_blocks(0, length);
  }
  pending_.push_back({.content = {}, .new_length = length, .only_longer = true});
}

void shadow_file::sync() {
  for (const pending& operation : pending_) {
    apply(operation, durable_);
  }
  pending_.clear();
}

std::vector<std::uint8_t> shadow_file::after_cut(std::uint64_t seed) const {
  std::vector<std::uint8_t> out = durable_;
  if (seed == 0) {
    return out;
  }
  dice die{seed};
  for (const pending& operation : pending_) {
    if (operation.new_length) {
      if (die.heads()) {
        apply(operation, out);
      }
      continue;
    }
    for (std::uint64_t done = 0; done < operation.content.size();) {
      const std::uint64_t at = operation.offset + done;
      const std::uint64_t step = std::min(sector_bytes - at % sector_bytes, operation.content.size() - done);
      if (die.heads()) {
        const auto first = operation.content.begin() + static_cast<std::ptrdiff_t>(done);
        apply({.offset = at, .content = {first, first + static_cast<std::ptrdiff_t>(step)}, .new_length = {}}, out);
      }
      done += step;
    }
  }
  return out;
}

std::uint64_t shadow_file::new_blocks(std::uint64_t offset, std::uint64_t length) const noexcept {
  std::uint64_t count = 0;
  for (std::uint64_t block = offset / block_bytes; block * block_bytes < offset + length; ++block) {
    count += block < has_block_.size() && has_block_[block] ? 0U : 1U;
  }
  return count;
}

void shadow_file::take_blocks(std::uint64_t offset, std::uint64_t length) {
  blocks_taken_ += new_blocks(offset, length);
  const std::uint64_t end = (offset + length + block_bytes - 1) / block_bytes;
  if (has_block_.size() < end) {
    has_block_.resize(end);
  }
  for (std::uint64_t block = offset / block_bytes; block < end; ++block) {
    has_block_[block] = true;
  }
}

shadow_directory::shadow_directory(std::string path) : path_{std::move(path)} {
  DIR* const listing = ::opendir(path_.c_str());
  while (listing != nullptr) {
    const dirent* const entry = ::readdir(listing);
    if (entry == nullptr) {
      ::closedir(listing);
      break;
    }
    if (entry->d_type == DT_REG) {
      const std::string name = entry->d_name;
      now_[name] = std::make_shared<shadow_file>(read_whole(path_ + "/" + name));
    }
  }
  durable_ = now_;
}

std::shared_ptr<shadow_file> shadow_directory::find(const std::string& name) const {
  const auto place = now_.find(name);
  return place == now_.end() ? nullptr : place->second;
}

void shadow_directory::change(renaming what) {
  if (what.file) {
    now_[what.name] = what.file;
  } else {
    now_.erase(what.name);
  }
  pending_.push_back(std::move(what));
}

std::shared_ptr<shadow_file> shadow_directory::create(const std::string& name) {
  auto made = std::make_shared<shadow_file>(std::vector<std::uint8_t>{});
  change({name, made});
  return made;
}

void shadow_directory::rename(const std::string& from, const std::string& to) {
  // One step of the file system's journal: after a cut both halves or none. The order lets a prefix hold both names.
  change({to, find(from)});
  change({from, nullptr});
}

void shadow_directory::remove(const std::string& name) { change({name, nullptr}); }

void shadow_directory::sync() {
  durable_ = now_;
  pending_.clear();
}

std::uint64_t shadow_directory::blocks() const noexcept {
  std::uint64_t sum = 0;
  for (const auto& [name, file] : now_) {
    sum += file->blocks();
  }
  return sum;
}

void shadow_directory::write_after_cut(const std::string& to, std::uint64_t seed) const {
  names left = durable_;
  if (seed != 0) {
    const std::uint64_t arrived = dice{seed}.roll() % (pending_.size() + 1);
    for (std::uint64_t i = 0; i < arrived; ++i) {
      if (pending_[i].file) {
        left[pending_[i].name] = pending_[i].file;
      } else {
        left.erase(pending_[i].name);
      }
    }
  }
  ::mkdir(to.c_str(), 0700);
  std::uint64_t number = 0;
  for (const auto& [name, file] : left) {
    std::string path = to;
    path.append("/").append(name);
    write_whole(path, file->after_cut(seed == 0 ? 0 : seed + ++number));
  }
}

}  // namespace muster::tests
