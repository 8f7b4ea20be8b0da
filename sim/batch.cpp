#include "sim/batch.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <map>
#include <new>
#include <string_view>

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "muster/base/invariant.hpp"

namespace muster::sim {

namespace {

constexpr std::size_t sentence_bytes_max = 2000;
constexpr std::size_t failures_kept_max = 256;
constexpr unsigned jobs_max = 256;

/// Lies in memory that all processes share; only plain values and atomics.
struct board {
  struct failure {
    std::atomic<bool> whole;
    std::uint64_t seed;
    std::array<char, sentence_bytes_max> what;
  };
  struct worker {
    std::atomic<std::uint64_t> seed;  ///< that it runs now
    std::atomic<std::uint64_t> done;
    std::atomic<std::uint64_t> events;
    std::atomic<std::uint64_t> achieved;
    std::atomic<std::uint64_t> virtual_ms;
    std::atomic<std::uint64_t> slowest_us;
    std::atomic<std::uint64_t> slowest;
  };
  std::atomic<std::uint64_t> next;
  std::atomic<std::uint64_t> failed;
  std::array<failure, failures_kept_max> failures;
  std::array<worker, jobs_max> workers;
};

std::uint64_t cpu_us() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000 + static_cast<std::uint64_t>(now.tv_nsec) / 1000;
}

void report(board& shared, std::uint64_t seed, std::string_view what) {
  const std::uint64_t slot = shared.failed.fetch_add(1);
  if (slot >= failures_kept_max) return;
  auto& place = shared.failures[slot];
  place.seed = seed;
  const std::size_t length = std::min(what.size(), sentence_bytes_max - 1);
  std::copy_n(what.data(), length, place.what.data());
  place.what[length] = '\0';
  place.whole.store(true);
}

void work(board& shared, board::worker& mine, const batch_options& options) {
  const std::uint64_t end = options.first + options.seeds;
  while (shared.failed.load() < options.failures_max) {
    const std::uint64_t seed = shared.next.fetch_add(1);
    if (seed >= end) return;
    if (options.shows_progress && seed > options.first && (seed - options.first) % 1000 == 0) {
      fmt::print(stderr, "{} of {} seeds\n", seed - options.first, options.seeds);
    }
    mine.seed.store(seed);
    const std::uint64_t before = cpu_us();
    const run_outcome out = options.run(seed);
    const std::uint64_t took = cpu_us() - before;
    if (took > mine.slowest_us.load()) {
      mine.slowest_us.store(took);
      mine.slowest.store(seed);
    }
    mine.events.fetch_add(out.events);
    mine.achieved.fetch_add(out.achieved);
    mine.virtual_ms.fetch_add(
        static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(out.virtual_time).count()));
    mine.done.fetch_add(1);
    if (!out.violation.empty()) report(shared, seed, out.violation);
  }
}

pid_t begin_worker(board& shared, unsigned index, const batch_options& options) {
  std::fflush(nullptr);
  const pid_t child = fork();
  MUSTER_INVARIANT(child >= 0, "the system lets us make a process for each job");
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // Who ends the parent means all of it.
    work(shared, shared.workers[index], options);
    // Not exit(): what the parent has in its buffers and handlers is the parent's.
    _exit(0);
  }
  return child;
}

batch_outcome collect(const board& shared) {
  batch_outcome out;
  for (const auto& one : shared.workers) {
    out.seeds_run += one.done.load();
    out.events += one.events.load();
    out.achieved += one.achieved.load();
    out.virtual_seconds += static_cast<double>(one.virtual_ms.load()) / 1000;
    const double slowest = static_cast<double>(one.slowest_us.load()) / 1'000'000;
    if (slowest > out.cpu_seconds_max) {
      out.cpu_seconds_max = slowest;
      out.slowest = one.slowest.load();
    }
  }
  for (const auto& one : shared.failures) {
    if (one.whole.load()) out.failures.push_back({one.seed, one.what.data()});
  }
  std::ranges::sort(out.failures, {}, &batch_failure::seed);
  return out;
}

}  // namespace

batch_outcome run_batch(const batch_options& options) {
  void* memory = mmap(nullptr, sizeof(board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  MUSTER_INVARIANT(memory != MAP_FAILED, "the system gives us memory that processes share");
  auto& shared = *::new (memory) board{};
  shared.next.store(options.first);

  std::map<pid_t, unsigned> running;
  const unsigned jobs = std::clamp(options.jobs, 1U, jobs_max);
  for (unsigned index = 0; index < jobs; ++index) running.emplace(begin_worker(shared, index, options), index);
  while (!running.empty()) {
    int status = 0;
    const pid_t ended = waitpid(-1, &status, 0);
    if (ended < 0) {
      if (errno == EINTR) continue;
      break;
    }
    const auto found = running.find(ended);
    if (found == running.end()) continue;
    const unsigned index = found->second;
    running.erase(found);
    if (WIFSIGNALED(status) || WEXITSTATUS(status) != 0) {
      board::worker& mine = shared.workers[index];
      report(shared, mine.seed.load(),
             WIFSIGNALED(status)
                 ? fmt::format("the process was ended by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))
                 : fmt::format("the process ended with exit code {}", WEXITSTATUS(status)));
      mine.done.fetch_add(1);
      running.emplace(begin_worker(shared, index, options), index);
    }
  }
  batch_outcome out = collect(shared);
  munmap(memory, sizeof(board));
  return out;
}

}  // namespace muster::sim
