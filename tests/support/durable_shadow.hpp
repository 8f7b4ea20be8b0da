#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace muster::tests {

/// What of a file survives a power cut: the content at its last sync, and the writes since, which may or may not have
/// reached the disk.
class shadow_file {
 public:
  explicit shadow_file(std::vector<std::uint8_t> durable);

  void write(std::uint64_t offset, std::span<const std::uint8_t> content);
  /// As by a file opened with O_DSYNC: on the disk when it returns, whatever else is pending.
  void write_durably(std::uint64_t offset, std::span<const std::uint8_t> content);
  void truncate(std::uint64_t length);
  /// Lengthens the file to at least `length`, and takes the blocks below it where asked to.
  void allocate(std::uint64_t length, bool takes_blocks);
  void sync();

  /// The content after a cut. Seed 0: exactly what was synced. Any other: of the writes since, an arbitrary part has
  /// arrived as well, in whole sectors.
  [[nodiscard]] std::vector<std::uint8_t> after_cut(std::uint64_t seed) const;

  /// Disk space, in blocks that were ever written or allocated; and how many more such a write would take.
  [[nodiscard]] std::uint64_t blocks() const noexcept { return blocks_taken_; }
  [[nodiscard]] std::uint64_t new_blocks(std::uint64_t offset, std::uint64_t length) const noexcept;

  static constexpr std::uint64_t block_bytes = 4096;

 private:
  struct pending {
    std::uint64_t offset = 0;
    std::vector<std::uint8_t> content;
    std::optional<std::uint64_t> new_length;  ///< a change of the length in place of a write
    bool only_longer = false;
  };
  static void apply(const pending& operation, std::vector<std::uint8_t>& to);
  void take_blocks(std::uint64_t offset, std::uint64_t length);

  std::vector<std::uint8_t> durable_;
  std::vector<pending> pending_;
  std::vector<bool> has_block_;
  std::uint64_t blocks_taken_ = 0;
};

/// What of a directory survives: which names, and of each its file. A name that was made, changed or removed is durable
/// when the directory has been synced.
class shadow_directory {
 public:
  /// Takes what is in the directory as durable. A directory that does not exist is an empty one.
  explicit shadow_directory(std::string path);

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] std::shared_ptr<shadow_file> find(const std::string& name) const;
  std::shared_ptr<shadow_file> create(const std::string& name);
  void rename(const std::string& from, const std::string& to);
  void remove(const std::string& name);
  void sync();
  [[nodiscard]] std::uint64_t blocks() const noexcept;

  /// Writes what survives a cut into the directory `to`, which is made.
  void write_after_cut(const std::string& to, std::uint64_t seed) const;

 private:
  using names = std::map<std::string, std::shared_ptr<shadow_file>>;
  /// A null file: the name was removed.
  struct renaming {
    std::string name;
    std::shared_ptr<shadow_file> file;
  };
  void change(renaming what);

  std::string path_;
  names now_;
  names durable_;
  std::vector<renaming> pending_;
};

}  // namespace muster::tests
