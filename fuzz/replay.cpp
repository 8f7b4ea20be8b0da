// Runs a fuzz target over given inputs once, without a fuzzer: a regression test with any compiler.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

// NOLINTNEXTLINE(readability-identifier-naming): the name that libFuzzer calls
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void replay(const std::filesystem::path& input) {
  std::ifstream file{input, std::ios::binary};
  const std::vector<char> content{std::istreambuf_iterator<char>{file}, {}};
  // A heap block of exactly this size, so that AddressSanitizer sees a read past its end.
  const std::vector<std::uint8_t> exact(content.begin(), content.end());
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t count = 0;
  for (int index = 1; index < argc; ++index) {
    const std::filesystem::path path{argv[index]};
    if (!std::filesystem::is_directory(path)) {
      replay(path);
      ++count;
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator{path}) {
      if (!entry.is_regular_file()) continue;
      replay(entry.path());
      ++count;
    }
  }
  if (count == 0) {
    std::fprintf(stderr, "no input was found; name files or folders of inputs\n");
    return 1;
  }
  std::printf("%zu inputs\n", count);
  return 0;
}
