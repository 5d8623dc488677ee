// How fast TFRecord files are scanned, checksums and all, from the page cache; beside it what
// reading alone takes, and what becomes of the records in training: a random crop of each JPEG
// file, decoded and resized to 224 x 224. By one core, in one interleaved run.
//
//   bench/records [--rounds R]
//
// With $LOCKSTEP_BENCH_TENSORFLOW_PYTHON, a Python that has TensorFlow, also against its reader.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/clock.h"
#include "base/error.h"
#include "base/files.h"
#include "bench/bootstrap.h"
#include "bench/positive.h"
#include "data/formats.h"
#include "data/input_file.h"
#include "data/make.h"
#include "data/output.h"
#include "data/preprocess.h"
#include "data/source.h"

namespace {

namespace fs = std::filesystem;
using namespace lockstep;

constexpr std::uint64_t kPictures = 32;
constexpr std::uint64_t kBytes = 256'000'000;
constexpr const char* kShard = "train-00000-of-00001";

// A shard of about kBytes: a few pictures of 500 x 375 and the like, again and again.
struct Dataset {
  fs::path directory;
  std::uint64_t few_bytes = 0;  // of the pictures once

  explicit Dataset(fs::path place) : directory(std::move(place)) {
    fs::remove_all(directory);
    const fs::path few = directory / "few";
    data::make_dataset(few, {.format = "tfrecord",
                             .train = kPictures,
                             .validation = 1,
                             .image_size = 375,
                             .shards = 1});
    const std::string records = read_file(few / kShard);
    few_bytes = records.size();
    data::OutputFile shard(directory / kShard);
    for (std::uint64_t bytes = 0; bytes < kBytes; bytes += records.size()) shard.append(records);
    shard.finish();
    fs::remove_all(few);
  }
  ~Dataset() {
    std::error_code ignored;
    fs::remove_all(directory, ignored);
  }
  Dataset(const Dataset&) = delete;
  Dataset& operator=(const Dataset&) = delete;
};

void read_alone(const fs::path& directory) {
  const data::InputFile file(directory / kShard);
  data::ForwardReader reader(file);
  constexpr std::uint64_t kPiece = 1 << 19;
  for (std::uint64_t at = 0; at < file.size(); at += kPiece) {
    reader.read(at, std::min(kPiece, file.size() - at));
  }
}

data::Index scanned(const fs::path& directory) {
  data::Index index = data::find_dataset(directory);
  data::scan_dataset(directory, index);
  data::require_intact(index, directory);
  return index;
}

void scan(const fs::path& directory) {
  scanned(directory);
}

// Of the first pictures only: all others are the same.
void prepare(const fs::path& directory) {
  static const data::Source source(directory, scanned(directory));
  constexpr int kSide = 224;
  data::Preprocessor preprocessor(source.index(), {.height = kSide, .width = kSide});
  std::vector<std::uint8_t> record;
  std::vector<float> image(3 * kSide * kSide);
  for (std::uint64_t i = 0; i < kPictures; ++i) {
    const data::Stored stored = source.fetch(data::Split::train, i, record);
    const auto decoded = std::get<data::Preprocessor::Decoded>(preprocessor.decode(stored, i));
    preprocessor.assemble(decoded, i, data::planar_images(image.data(), 1, 3, kSide, kSide));
  }
}

// Counts the records, by TensorFlow. A process of its own in every round, which takes no time of
// the other sides.
double tensorflow_rate(const fs::path& directory, const std::string& python, std::uint64_t bytes) {
  const std::string command =
      fmt::format("'{}' '{}/bench/records_peer.py' '{}' 2>/dev/null", python, LOCKSTEP_SOURCE_DIR,
                  (directory / kShard).string());
  std::FILE* output = popen(command.c_str(), "r");
  double seconds = 0;
  const bool answered = output != nullptr && std::fscanf(output, "%lf", &seconds) == 1;
  if (output != nullptr) pclose(output);
  if (!answered) throw Error(ExitCode::environment, "no answer from " + command);
  return static_cast<double>(bytes) / seconds / 1e9;
}

double rate(const fs::path& directory, void (*run)(const fs::path&), std::uint64_t bytes) {
  const double begin = now();
  run(directory);
  return static_cast<double>(bytes) / (now() - begin) / 1e9;
}

void show(const char* name, const std::vector<double>& rates) {
  fmt::print("{:<20}{:6.3f} GB/s\n", name, stats::median(rates));
}

void show_ratio(const char* name, const std::vector<double>& ratios) {
  const stats::Interval interval = bench::bootstrap(ratios);
  fmt::print("{:<20}{:6.2f} [{:.2f}, {:.2f}]\n", name, stats::median(ratios), interval.low,
             interval.high);
}

void measure(int rounds) {
  const Dataset dataset(fs::temp_directory_path() / fmt::format("lockstep-records-{}", getpid()));
  read_alone(dataset.directory);  // into the page cache
  prepare(dataset.directory);
  const std::uint64_t all = fs::file_size(dataset.directory / kShard);
  const char* const python = std::getenv("LOCKSTEP_BENCH_TENSORFLOW_PYTHON");
  std::vector<double> reads, scans, prepares, of_read, of_prepare, theirs, of_theirs;
  for (int round = 0; round < rounds; ++round) {
    reads.push_back(rate(dataset.directory, read_alone, all));
    scans.push_back(rate(dataset.directory, scan, all));
    prepares.push_back(rate(dataset.directory, prepare, dataset.few_bytes));
    of_read.push_back(scans.back() / reads.back());
    of_prepare.push_back(scans.back() / prepares.back());
    if (python == nullptr) continue;
    theirs.push_back(tensorflow_rate(dataset.directory, python, all));
    of_theirs.push_back(scans.back() / theirs.back());
  }
  show("read alone", reads);
  show("scan", scans);
  show("prepare", prepares);
  show_ratio("scan / read alone", of_read);
  show_ratio("scan / prepare", of_prepare);
  if (python == nullptr) return;
  show("TensorFlow's scan", theirs);
  show_ratio("scan / TensorFlow's", of_theirs);
}

}  // namespace

int main(int argc, char** argv) {
  constexpr auto kUsage = "usage: bench/records [--rounds R]";
  try {
    int rounds = 15;
    for (int i = 1; i < argc; ++i) {
      if (std::strcmp(argv[i], "--rounds") != 0) {
        throw Error(ExitCode::usage, fmt::format("unexpected argument {}", argv[i]), kUsage);
      }
      rounds = bench::positive(i + 1 < argc ? argv[++i] : "", kUsage);
    }
    measure(rounds);
  } catch (const Error& e) {
    fmt::print(stderr, "error: {}\nhint: {}\n", e.what(), e.hint());
    return static_cast<int>(e.code());
  }
  return 0;
}
