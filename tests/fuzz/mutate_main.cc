// SPDX-License-Identifier: Apache-2.0

// Runs each target on its seeds and on texts made from them by chance: the same ones each time, in
// seconds, by any compiler. More texts and other seeds look further.
//
//   fuzz_mutate COUNT [TARGET [SEED]]    COUNT texts for each target, or for one
//   fuzz_mutate --write FOLDER           seeds and dictionaries for libFuzzer (seed_words.h)
//
// Names the target, the seed and the number of the text at which a target ended the process.
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <unistd.h>
#include <vector>

#include "tests/fuzz/seed_words.h"
#include "tests/fuzz/targets.h"

namespace lockbench::fuzz {
namespace {

char where[200];

extern "C" void tell(int) {
  static_cast<void>(!write(STDERR_FILENO, where, std::strlen(where)));
  _exit(1);
}

class Mutator {
 public:
  Mutator(std::uint64_t seed, std::vector<std::string> seeds)
      : random_(seed), seeds_(std::move(seeds)) {
    for (const std::string& word : words_of(seeds_)) words_.push_back(word);
  }

  std::string next() {
    std::string text = pick(seeds_);
    for (std::size_t left = 1 + below(6); left > 0; --left) change(text);
    return text;
  }

 private:
  std::size_t below(std::size_t end) { return end == 0 ? 0 : random_() % end; }
  const std::string& pick(const std::vector<std::string>& from) { return from[below(from.size())]; }

  void change(std::string& text) {
    const std::size_t at = below(text.size() + 1);
    const std::size_t bytes = std::min(below(20), text.size() - at);
    switch (below(6)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(random_());
        return;
      case 1:
        text.erase(at, bytes);
        return;
      case 2:
        text.insert(at, std::string(text, below(text.size() + 1), below(40)));
        return;
      case 3:
        text.resize(at);
        return;
      case 4:
        text.replace(at, bytes, pick(seeds_), 0, below(60));
        return;
      default:
        text.insert(at, pick(words_));
    }
  }

  std::mt19937_64 random_;
  std::vector<std::string> seeds_;
  std::vector<std::string> words_;
};

void run_mutations(const Target& target, std::uint64_t count, std::uint64_t seed) {
  for (const std::string& text : target.seeds()) target.run(text);
  Mutator mutator(seed, target.seeds());
  for (std::uint64_t number = 0; number < count; ++number) {
    std::snprintf(where, sizeof where, "target %s, seed %llu, text %llu\n",
                  std::string(target.name).c_str(), static_cast<unsigned long long>(seed),
                  static_cast<unsigned long long>(number));
    target.run(mutator.next());
  }
  std::printf("%s: %llu texts\n", std::string(target.name).c_str(),
              static_cast<unsigned long long>(count));
}

}  // namespace
}  // namespace lockbench::fuzz

int main(int words, char** word) {
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
    std::signal(signal, lockbench::fuzz::tell);
  }
  using namespace lockbench::fuzz;
  if (words == 3 && std::string_view(word[1]) == "--write") {
    write_seeds(word[2]);
    return 0;
  }
  const std::uint64_t count = words > 1 ? std::strtoull(word[1], nullptr, 10) : 1000;
  const std::uint64_t seed = words > 3 ? std::strtoull(word[3], nullptr, 10) : 1;
  for (const Target& target : all_targets()) {
    if (words <= 2 || target.name == word[2]) run_mutations(target, count, seed);
  }
  return 0;
}
