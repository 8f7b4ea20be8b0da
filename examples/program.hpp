// What the examples need besides muster: a command line, a line on the terminal, an end.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "muster/muster.hpp"

namespace example {

/// The words that come before the options are the example's own. The first node of a cluster needs no --seed; the
/// others name a node that is there already, by the address that it has printed.
struct arguments {
  std::vector<std::string> words;
  std::string name;  ///< of this node, unique in the cluster
  std::string listen{"tcp -h 127.0.0.1"};
  std::vector<std::string> seeds;
};

[[nodiscard]] inline arguments read_arguments(int argc, char** argv, std::string_view usage) {
  const auto wrong = [&] {
    fmt::print(stderr, "usage: {} --name NAME [--listen ENDPOINT] [--seed ENDPOINT]...\n", usage);
    std::exit(2);
  };
  arguments read;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (!word.starts_with("--")) {
      read.words.push_back(word);
      continue;
    }
    if (++i == argc) wrong();
    if (word == "--name") {
      read.name = argv[i];
    } else if (word == "--listen") {
      read.listen = argv[i];
    } else if (word == "--seed") {
      read.seeds.emplace_back(argv[i]);
    } else {
      wrong();
    }
  }
  if (read.name.empty()) wrong();
  return read;
}

/// One line, whole: actors print from several threads.
template <typename... Args>
void say(fmt::format_string<Args...> text, Args&&... args) {
  const auto line = fmt::format(text, std::forward<Args>(args)...) + '\n';
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fflush(stdout);
}

/// Until somebody closes the input, with Ctrl-D on a terminal.
inline void wait_for_end_of_input() {
  std::string line;
  while (std::getline(std::cin, line)) {
  }
}

}  // namespace example
