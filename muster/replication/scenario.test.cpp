// Runs the scripts of tests/scenarios/replication: commands ("> …") and below each what came of it. With
// MUSTER_REWRITE=1 in the environment the scripts are written anew with what comes of them now, to be reviewed as a
// diff. tests/scenarios/replication/README.md lists the commands.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "muster/replication/test_cluster.hpp"

namespace muster::replication::testing {
namespace {

using std::chrono::milliseconds;

/// Replaces random ids by letters in the order in which they appear, so that a script can be read and stays the same.
class nicknames {
 public:
  std::string operator()(const std::string& sentence) {
    return named(
        named(sentence, 36, [](const std::string& word) { return uuid::parse(word).has_value(); }), 8,
        [&](const std::string& word) { return word.find_first_not_of("0123456789abcdef") == std::string::npos; });
  }

 private:
  template <typename Test>
  std::string named(const std::string& sentence, std::size_t length, const Test& is_id) {
    std::string out;
    for (std::size_t at = 0; at < sentence.size();) {
      const std::string word = sentence.substr(at, length);
      const bool begins = at == 0 || std::isalnum(static_cast<unsigned char>(sentence[at - 1])) == 0;
      const bool ends =
          at + length >= sentence.size() || std::isalnum(static_cast<unsigned char>(sentence[at + length])) == 0;
      if (word.size() == length && begins && ends && is_id(word)) {
        const auto known = letters_.try_emplace(word, std::string(1, static_cast<char>('A' + letters_.size()))).first;
        out += known->second;
        at += length;
      } else {
        out += sentence[at++];
      }
    }
    return out;
  }

  std::map<std::string, std::string> letters_;
};

class script {
 public:
  script() {
    g_.weather.delay_max = duration{1};  // no randomness on the way
    g_.on_send = [this](const std::string& from, const std::string& to, const message& what) {
      if (tracing_) {
        out_ += fmt::format("  {} -> {}: {}\n", from, to, describe_message(what));
      }
    };
    g_.on_answer = [this](cluster::node& one, const completion& done) {
      out_ += fmt::format(
          "{} answers {}: {}\n", one.name, asked_[done.of.value()],
          done.outcome ? fmt::format("done as {}", *done.outcome)
                       : fmt::format("{} ({})", to_string(done.outcome.error().code), done.outcome.error().message));
    };
    g_.after_turn = [this](cluster::node& one) {
      for (std::size_t& told = told_[one.name]; told < one.events.size(); ++told) {
        out_ += fmt::format("{} {}: {}\n", one.name, to_string(one.events[told].kind), one.events[told].sentence);
      }
    };
  }

  std::string run(const std::string& command) {
    out_.clear();
    std::istringstream words{command};
    std::vector<std::string> all;
    for (std::string word; words >> word;) {
      all.push_back(word);
    }
    obey(all);
    return names_(out_);
  }

 private:
  static std::string describe_message(const message& what) {
    struct visitor {
      std::string operator()(const describe&) { return "who are you?"; }
      std::string operator()(const description& d) {
        return fmt::format("{} {} at {}", to_string(d.from.role), to_string(d.from.phase), d.from.history.last);
      }
      std::string operator()(const open& o) {
        return fmt::format("open to {} from {}", o.purpose == open_purpose::follow ? "follow" : "copy",
                           o.from.history.last);
      }
      std::string operator()(const refused& r) { return fmt::format("refused, {}", to_string(r.reason)); }
      std::string operator()(const opened& o) {
        return fmt::format("opened, catch up by {}", o.plan == catch_up_plan::log ? "log" : "snapshot");
      }
      std::string operator()(const append& a) {
        return a.entries.empty() ? fmt::format("nothing after {}, acknowledged {}", a.previous, a.acknowledged)
                                 : fmt::format("changes {} to {}, acknowledged {}", a.entries.front().number,
                                               a.entries.back().number, a.acknowledged);
      }
      std::string operator()(const appended& a) { return fmt::format("have {}", a.last); }
      std::string operator()(const snapshot_chunk& c) {
        return fmt::format("chunk {}{}", c.index, c.is_last ? ", the last" : "");
      }
      std::string operator()(const snapshot_received& r) { return fmt::format("have chunks below {}", r.next_index); }
      std::string operator()(const closed& c) { return fmt::format("closed, {}", to_string(c.reason)); }
    };
    return std::visit(visitor{}, what);
  }

  void obey(const std::vector<std::string>& words) {
    const auto& verb = words.at(0);
    if (verb == "start") {
      start(words);
    } else if (verb == "run") {
      g_.run(milliseconds{std::stoi(words.at(1))});
    } else if (verb == "until") {
      const bool reached = g_.run_until([&] { return phase_of(words.at(1)) == words.at(2); }, milliseconds{60'000});
      out_ += reached ? "" : fmt::format("{} is {}\n", words.at(1), phase_of(words.at(1)));
    } else if (verb == "propose") {
      propose(words.at(1), {words.begin() + 2, words.end()});
    } else if (verb == "barrier") {
      asked_[last_ticket_ + 1] = "barrier";
      last_ticket_ = g_.barrier(words.at(1));
    } else if (verb == "kill") {
      g_.crash(words.at(1));
    } else if (verb == "stop") {
      g_.stop(words.at(1));
    } else if (verb == "pause") {
      g_.pause(words.at(1));
    } else if (verb == "resume") {
      g_.resume(words.at(1));
    } else if (verb == "cut") {
      g_.cut(words.at(1), words.at(2));
    } else if (verb == "mend") {
      g_.mend_all();
    } else if (verb == "disk") {
      set_disk(words.at(1), words.at(2));
    } else if (verb == "trace") {
      tracing_ = words.at(1) == "on";
    } else if (verb == "show") {
      show();
    } else {
      out_ += fmt::format("there is no command '{}'\n", verb);
    }
  }

  void start(const std::vector<std::string>& words) {
    options how = cluster::defaults(words.at(1), words.at(2) == "master" ? role::master : role::slave);
    for (std::size_t i = 3; i < words.size(); ++i) {
      const auto value = [&] { return words[i].substr(words[i].find('=') + 1); };
      if (words[i] == "force") {
        how.force = true;
      } else if (words[i].starts_with("from=")) {
        how.initdb_from_replica = value();
      } else if (words[i].starts_with("slaves=")) {
        how.active_slaves_min = std::stoul(value());
      } else if (words[i].starts_with("log=")) {
        how.log_entries_max = std::stoul(value());
      } else if (words[i].starts_with("message=")) {
        how.message_bytes_max = std::stoul(value());
      } else if (words[i].starts_with("versions=")) {
        how.versions = {static_cast<std::uint8_t>(value()[0] - '0'), static_cast<std::uint8_t>(value()[2] - '0')};
      } else {
        out_ += fmt::format("there is no option '{}'\n", words[i]);
      }
    }
    told_[how.name] = g_.nodes().contains(how.name) ? g_.at(how.name).events.size() : 0;
    g_.start(how);
  }

  void propose(const std::string& name, const std::vector<std::string>& changes) {
    for (std::size_t i = 0; i < changes.size(); ++i) {
      asked_[last_ticket_ + 1 + i] = changes[i];
    }
    last_ticket_ = g_.propose_together(name, changes).back();
  }

  void set_disk(const std::string& name, const std::string& how) {
    auto& refuses = g_.at(name).disk.refuses;
    refuses.reset();
    if (how == "full") {
      refuses = error{errc::storage_full, "the disk is full"};
    } else if (how == "broken") {
      refuses = error{errc::io_error, "the disk does not answer"};
    }
  }

  std::string phase_of(const std::string& name) {
    const auto& one = g_.at(name);
    return one.core ? std::string{to_string(one.core->current_phase())} : "down";
  }

  void show() {
    for (auto& [name, one] : g_.nodes()) {
      if (!one.core) {
        out_ += fmt::format("{}: down\n", name);
        continue;
      }
      const history& own = one.core->history();
      std::string content;
      for (const auto& [key, value] : one.machine->published) {
        content += fmt::format(" {}={}", key, value.value);
      }
      out_ += fmt::format("{}: {} {}, term {}, changes {}, acknowledged {}:{}\n", name, to_string(one.core->own_role()),
                          phase_of(name), own.terms.current().number, own.last, own.acknowledged, content);
    }
  }

  cluster g_;
  nicknames names_;
  std::string out_;
  bool tracing_{false};
  std::uint64_t last_ticket_{0};
  std::map<std::uint64_t, std::string> asked_;
  std::map<std::string, std::size_t> told_;
};

/// The file as it should be: its comments and commands, each command followed by what comes of it.
std::string played(std::istream& file) {
  script stage;
  std::string out;
  bool in_output = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("> ")) {
      out += line + "\n" + stage.run(line.substr(2));
      in_output = true;
    } else if (line.empty() || line.starts_with("#")) {
      out += line + "\n";
      in_output = false;
    } else if (!in_output) {
      out += line + "\n";
    }
  }
  return out;
}

TEST(scenarios, come_out_as_written) {
  const bool rewrite = std::getenv("MUSTER_REWRITE") != nullptr;
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator{MUSTER_SCENARIOS}) {
    if (entry.path().extension() != ".txt") {
      continue;
    }
    ++count;
    SCOPED_TRACE(entry.path().filename().string());
    std::stringstream written;
    written << std::ifstream{entry.path()}.rdbuf();
    const std::string before = written.str();
    const std::string after = played(written);
    if (rewrite) {
      std::ofstream{entry.path()} << after;
    } else {
      EXPECT_EQ(after, before) << "MUSTER_REWRITE=1 writes the scripts anew";
    }
  }
  EXPECT_GT(count, 10U);
}

}  // namespace
}  // namespace muster::replication::testing
