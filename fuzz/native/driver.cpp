// Stands in for libFuzzer where the compiler has none (GCC): reads the files or folders that it is
// given, then tries random changes of them for a while. Coverage does not guide it.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

extern "C" void __sanitizer_set_death_callback(void (*callback)()) __attribute__((weak));
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes read(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

// What the run at hand reads, and where it is written if that run crashes. A file for each run would take
// longer than most runs.
struct Current {
  Bytes bytes;
  std::string path;
};
Current current;

// Called when a sanitizer ends the process, and by signals: only system calls.
void keep() {
  const int file = ::open(current.path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file < 0) return;
  for (std::size_t done = 0; done < current.bytes.size();) {
    const auto written = ::write(file, current.bytes.data() + done, current.bytes.size() - done);
    if (written <= 0) break;
    done += static_cast<std::size_t>(written);
  }
  ::close(file);
}

void keep_on_signal(int number) {
  keep();
  std::signal(number, SIG_DFL);
  std::raise(number);
}

void run(Bytes bytes) {
  current.bytes = std::move(bytes);
  LLVMFuzzerTestOneInput(current.bytes.data(), current.bytes.size());
}

void change(Bytes& bytes, const std::vector<Bytes>& seeds, std::mt19937_64& random) {
  for (std::size_t changes = 1 + random() % 4; changes > 0; --changes) {
    const std::size_t place = bytes.empty() ? 0 : random() % bytes.size();
    const auto at = bytes.begin() + static_cast<std::ptrdiff_t>(place);
    switch (random() % 6) {
      case 0: bytes.insert(at, static_cast<std::uint8_t>(random())); break;
      case 1: if (!bytes.empty()) bytes.erase(at); break;
      case 2: if (!bytes.empty()) *at = static_cast<std::uint8_t>(*at ^ (1U << (random() % 8))); break;
      case 3: bytes.resize(place); break;
      case 4: {
        const Bytes& other = seeds[random() % seeds.size()];
        bytes.insert(at, other.begin(),
                     other.begin() + static_cast<std::ptrdiff_t>(other.empty() ? 0 : random() % other.size()));
        break;
      }
      default: if (!bytes.empty()) *at = static_cast<std::uint8_t>(random());
    }
  }
  bytes.resize(std::min<std::size_t>(bytes.size(), 4096));
}

}  // namespace

int main(int count, char** arguments) {
  double seconds = 60;
  std::uint64_t runs = 0;
  std::uint64_t most_runs = ~std::uint64_t{0};
  std::uint64_t seed = 0;
  std::string prefix;
  std::vector<Bytes> seeds;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    const auto value = [&](const char* name) -> const char* {
      const std::string start = std::string("-") + name + "=";
      return argument.rfind(start, 0) == 0 ? argument.c_str() + start.size() : nullptr;
    };
    if (const char* text = value("max_total_time")) { seconds = std::atof(text); continue; }
    if (const char* text = value("runs")) { most_runs = std::strtoull(text, nullptr, 10); continue; }
    if (const char* text = value("seed")) { seed = std::strtoull(text, nullptr, 10); continue; }
    if (const char* text = value("artifact_prefix")) { prefix = text; continue; }
    if (argument[0] == '-') continue;  // other options of libFuzzer
    if (std::filesystem::is_directory(argument)) {
      for (const auto& entry : std::filesystem::directory_iterator(argument)) {
        seeds.push_back(read(entry.path()));
      }
    } else if (std::filesystem::exists(argument)) {
      seeds.push_back(read(argument));
    }
  }
  if (seeds.empty()) seeds.emplace_back();
  current.path = prefix + "last-input";
  for (const int number : {SIGABRT, SIGTERM, SIGALRM, SIGINT}) std::signal(number, keep_on_signal);
  if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(keep);
  for (const Bytes& bytes : seeds) {
    run(bytes);
    ++runs;
  }
  std::mt19937_64 random(seed);
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  for (; runs < most_runs && elapsed() < seconds; ++runs) {
    Bytes bytes = seeds[random() % seeds.size()];
    change(bytes, seeds, random);
    run(std::move(bytes));
  }
  std::fprintf(stderr, "Done %llu runs in %.0f second(s)\n", static_cast<unsigned long long>(runs),
               elapsed());
}
