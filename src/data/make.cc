#include "data/make.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/rng.h"
#include "base/unknown_name.h"
#include "data/cifar.h"
#include "data/example.h"
#include "data/gzip.h"
#include "data/idx.h"
#include "data/index.h"
#include "data/jpeg.h"
#include "data/output.h"
#include "data/pattern.h"
#include "data/tfrecord.h"

namespace lockstep::data {
namespace {

namespace fs = std::filesystem;

// The images of one split: those of training first, so that the two have none in common.
struct Part {
  Split split;
  std::uint64_t first, count;
};

std::vector<Part> parts_of(const MakeOptions& options) {
  return {{Split::train, 0, options.train}, {Split::validation, options.train, options.validation}};
}

std::string draw(const Pattern& pattern, std::uint64_t number) {
  std::string pixels(static_cast<std::size_t>(pattern.channels) * pattern.height * pattern.width,
                     '\0');
  draw_pattern(pattern, number, {reinterpret_cast<std::uint8_t*>(pixels.data()), pixels.size()});
  return pixels;
}

std::string class_name(int label) {
  return fmt::format("class{:03}", label);
}

void make_mnist(const fs::path& directory, const MakeOptions& options) {
  const Pattern pattern{.classes = options.classes, .seed = options.seed};
  const auto write = [&](std::string name, const std::string& content) {
    if (options.gzip) name += ".gz";
    write_file(directory / name, options.gzip ? gzip(content) : content);
  };
  for (const Part& part : parts_of(options)) {
    const std::string stem = part.split == Split::train ? "train" : "t10k";
    const auto count = static_cast<std::uint32_t>(part.count);
    const std::uint32_t image_sizes[] = {count, static_cast<std::uint32_t>(pattern.height),
                                         static_cast<std::uint32_t>(pattern.width)};
    std::string images = idx_header(image_sizes), labels = idx_header({image_sizes, 1});
    for (std::uint64_t i = part.first; i < part.first + part.count; ++i) {
      images += draw(pattern, i);
      labels += static_cast<char>(pattern_label(pattern, i));
    }
    write(stem + "-images-idx3-ubyte", images);
    write(stem + "-labels-idx1-ubyte", labels);
  }
}

// What goes into file `file` of `files`, of images first..first + count.
std::pair<std::uint64_t, std::uint64_t> share(const Part& part, std::uint64_t file,
                                              std::uint64_t files) {
  return {part.first + part.count * file / files, part.first + part.count * (file + 1) / files};
}

using CifarWriter = std::string (*)(const std::string& pixels, const std::vector<int>& labels);

void make_cifar(const fs::path& directory, const MakeOptions& options, std::string_view suffix,
                CifarWriter encode) {
  constexpr std::uint64_t kTrainFiles = 5;
  const Pattern pattern{.channels = kCifarChannels,
                        .height = kCifarSide,
                        .width = kCifarSide,
                        .classes = options.classes,
                        .seed = options.seed};
  for (const Part& part : parts_of(options)) {
    const bool training = part.split == Split::train;
    const std::uint64_t files = training ? kTrainFiles : 1;
    for (std::uint64_t file = 0; file < files; ++file) {
      const auto [begin, end] = share(part, file, files);
      std::string pixels;
      std::vector<int> labels;
      for (std::uint64_t i = begin; i < end; ++i) {
        pixels += draw(pattern, i);
        labels.push_back(pattern_label(pattern, i));
      }
      const std::string stem = training ? fmt::format("data_batch_{}", file + 1) : "test_batch";
      write_file(directory / fmt::format("{}{}", stem, suffix), encode(pixels, labels));
    }
  }
}

std::string cifar_binary(const std::string& pixels, const std::vector<int>& labels) {
  std::string out;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    out += static_cast<char>(labels[i]);
    out.append(pixels, i * kCifarImageBytes, kCifarImageBytes);
  }
  return out;
}

void make_cifar10_binary(const fs::path& directory, const MakeOptions& options) {
  make_cifar(directory, options, ".bin", cifar_binary);
  std::string names;
  for (int label = 0; label < options.classes; ++label) names += class_name(label) + '\n';
  write_file(directory / "batches.meta.txt", names);
}

void make_cifar10_python(const fs::path& directory, const MakeOptions& options) {
  make_cifar(directory, options, "", [](const std::string& pixels, const std::vector<int>& labels) {
    return pickle_cifar_batch(pixels, labels);
  });
}

// A picture of a size of its own, as pictures have.
struct Picture {
  std::string jpeg;
  int label, channels, height, width;
};

Picture draw_picture(const MakeOptions& options, std::uint64_t number) {
  Pattern pattern{.channels = 3,
                  .height = options.image_size,
                  .width = options.image_size,
                  .classes = options.classes,
                  .seed = options.seed};
  const std::uint64_t bits = Rng(options.seed).bits(number);
  const auto longer =
      static_cast<int>(bits / 2 % (static_cast<unsigned>(options.image_size) / 2 + 1));
  (bits % 2 == 0 ? pattern.height : pattern.width) += longer;
  const std::string pixels = draw(pattern, number);
  return {encode_jpeg(bytes_of(pixels), pattern.channels, pattern.height, pattern.width),
          pattern_label(pattern, number), pattern.channels, pattern.height, pattern.width};
}

void make_tfrecord(const fs::path& directory, const MakeOptions& options) {
  for (const Part& part : parts_of(options)) {
    if (part.count == 0) continue;
    const int wanted =
        part.split == Split::train ? options.shards : std::max(1, options.shards / 8);
    const std::uint64_t shards = std::min(static_cast<std::uint64_t>(wanted), part.count);
    for (std::uint64_t shard = 0; shard < shards; ++shard) {
      const auto [begin, end] = share(part, shard, shards);
      OutputFile file(directory / shard_name(part.split, shard, shards));
      for (std::uint64_t i = begin; i < end; ++i) {
        const Picture picture = draw_picture(options, i);
        const std::string name = class_name(picture.label);
        const std::string file_name = fmt::format("{}_{}.JPEG", name, i);
        std::string frame;
        append_frame(frame, bytes_of(encode_example({.image = bytes_of(picture.jpeg),
                                                     .format = "JPEG",
                                                     .file_name = file_name,
                                                     .label = picture.label + 1,
                                                     .class_name = name,
                                                     .channels = picture.channels,
                                                     .height = picture.height,
                                                     .width = picture.width})));
        file.append(frame);
      }
      file.finish();
    }
  }
}

void make_folder(const fs::path& directory, const MakeOptions& options) {
  for (const Part& part : parts_of(options)) {
    const fs::path split = directory / (part.split == Split::train ? "train" : "val");
    for (std::uint64_t i = part.first; i < part.first + part.count; ++i) {
      const Picture picture = draw_picture(options, i);
      const fs::path folder = split / class_name(picture.label);
      make_directory(folder);
      write_file(folder / fmt::format("{:08}.jpg", i), picture.jpeg);
    }
  }
}

struct Maker {
  std::string_view format;
  int most_classes;
  void (*make)(const fs::path& directory, const MakeOptions& options);
};

constexpr Maker kMakers[] = {
    {"mnist", 256, make_mnist},
    {"cifar10_binary", kCifarClasses, make_cifar10_binary},
    {"cifar10_python", kCifarClasses, make_cifar10_python},
    {"tfrecord", 1000, make_tfrecord},
    {"folder", 1000, make_folder},
};

}  // namespace

void make_dataset(const fs::path& directory, const MakeOptions& options) {
  const auto maker = std::ranges::find(kMakers, options.format, &Maker::format);
  if (maker == std::end(kMakers)) {
    std::vector<std::string> known;
    for (const Maker& row : kMakers) known.emplace_back(row.format);
    throw unknown_name("format", options.format, known);
  }
  if (options.classes > maker->most_classes) {
    throw Error(ExitCode::usage,
                fmt::format("{} has at most {} classes", options.format, maker->most_classes));
  }
  make_empty_directory(directory);
  maker->make(directory, options);
}

}  // namespace lockstep::data
