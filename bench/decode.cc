// One side of bench/decode: lockstep's own way from a JPEG file to the network's input, or as much
// of it as libjpeg-turbo does. Says READY, then answers every line with the seconds of a pass.
//
//   decode make DIR             writes pictures and crops.txt: top left height width mirrored
//   decode lockstep|libjpeg DIR

#include <fmt/format.h>
#include <cstdio>  // which jpeglib.h needs and does not include

#include <jpeglib.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/files.h"
#include "base/rng.h"
#include "data/crop.h"
#include "data/decode_jpeg.h"
#include "data/image_file.h"
#include "data/jpeg.h"
#include "data/output.h"
#include "data/resize.h"

namespace {

namespace fs = std::filesystem;
using namespace lockstep;

constexpr int kPictures = 64, kHeight = 375, kWidth = 500, kSide = 224, kQuality = 92;

struct Picture {
  std::string file;
  data::Crop crop;
  bool mirrored;
};

// --- pictures like photographs -------------------------------------------------------------------

// Adds random values on a grid of so many pixels, and what is between them.
void add_noise(const Rng& rng, int cell, float strength, std::vector<float>& plane) {
  const int columns = kWidth / cell + 2;
  std::vector<float> grid;
  for (int i = 0; i < columns * (kHeight / cell + 2); ++i) {
    grid.push_back(strength * (rng.uniform(static_cast<std::uint64_t>(i)) - .5F));
  }
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      const float down = static_cast<float>(y % cell) / static_cast<float>(cell);
      const float right = static_cast<float>(x % cell) / static_cast<float>(cell);
      const float* corner = grid.data() + y / cell * columns + x / cell;
      plane[static_cast<std::size_t>(y * kWidth + x)] +=
          (1 - down) * ((1 - right) * corner[0] + right * corner[1]) +
          down * ((1 - right) * corner[columns] + right * corner[columns + 1]);
    }
  }
}

// As in photographs every octave has the same variance, but for the finest, which lenses blur; and
// brightness varies more than colours.
std::string draw(const Rng& rng) {
  constexpr float kContrast = 90, kColour = .35F;
  std::vector<float> values[3];
  for (std::uint64_t c = 0; c < 3; ++c) {
    values[c].resize(kHeight * kWidth);
    for (int octave = 0; octave < 8; ++octave) {
      const float strength = octave == 0 ? .2F : octave == 1 ? .6F : 1;
      add_noise(rng.stream(static_cast<std::uint64_t>(octave) * 3 + c), 1 << octave, strength,
                values[c]);
    }
  }
  std::string planes(3 * kHeight * kWidth, '\0');
  for (std::size_t i = 0; i < kHeight * kWidth; ++i) {
    const float warm = kColour * values[1][i], cold = kColour * values[2][i];
    const float colours[] = {warm, -(warm + cold) / 2, cold};
    for (std::size_t c = 0; c < 3; ++c) {
      const float value = std::clamp(120 + kContrast * (values[0][i] + colours[c]), 0.0F, 255.0F);
      planes[c * kHeight * kWidth + i] = static_cast<char>(static_cast<std::uint8_t>(value));
    }
  }
  return planes;
}

fs::path picture_path(const fs::path& directory, int i) {
  return directory / fmt::format("{:03}.jpg", i);
}

void make(const fs::path& directory) {
  make_directory(directory);
  std::string crops;
  std::size_t bytes = 0;
  for (int i = 0; i < kPictures; ++i) {
    const Rng rng = Rng(1).stream(static_cast<std::uint64_t>(i));
    const std::string planes = draw(rng.stream(0));
    const std::string file =
        data::encode_jpeg(data::bytes_of(planes), 3, kHeight, kWidth, kQuality);
    write_file(picture_path(directory, i), file);
    bytes += file.size();
    const data::Crop crop = data::sample_crop(kHeight, kWidth, {}, rng.stream(1));
    crops += fmt::format("{} {} {} {} {}\n", crop.top, crop.left, crop.height, crop.width,
                         rng.stream(2).bits(0) % 2);
  }
  write_file(directory / "crops.txt", crops);
  fmt::print("{} pictures of {} x {}, quality {}, {} bytes each\n", kPictures, kWidth, kHeight,
             kQuality, bytes / kPictures);
}

// --- passes --------------------------------------------------------------------------------------

std::vector<Picture> load(const fs::path& directory) {
  std::vector<Picture> pictures;
  std::ifstream crops(directory / "crops.txt");
  data::Crop crop;
  bool mirrored = false;
  while (crops >> crop.top >> crop.left >> crop.height >> crop.width >> mirrored) {
    const auto i = static_cast<int>(pictures.size());
    pictures.push_back({read_file(picture_path(directory, i)), crop, mirrored});
  }
  return pictures;
}

class Lockstep {
 public:
  void prepare(const Picture& picture) {
    const data::Bytes file = data::bytes_of(picture.file);
    if (!std::holds_alternative<data::ImageHeader>(data::parse_image_header(file))) std::abort();
    const auto pixels = std::get<data::PixelView>(decoder_.decode(
        file, picture.crop, {.fast = true, .least_height = kSide, .least_width = kSide}));
    resizer_.resize(pixels, data::ResizeMethod::bilinear,
                    {.whole_height = kSide,
                     .whole_width = kSide,
                     .height = kSide,
                     .width = kSide,
                     .mirrored = picture.mirrored},
                    data::kToMinusOneToOne, data::planar_images(image_.data(), 1, 3, kSide, kSide));
  }

 private:
  data::JpegDecoder decoder_;
  data::Resizer resizer_;
  std::vector<float> image_ = std::vector<float>(3 * kSide * kSide);
};

// The crop's pixels and no more, by the same means.
class LibJpeg {
 public:
  void prepare(const Picture& picture) {
    jpeg_decompress_struct jpeg{};
    jpeg_error_mgr errors{};
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_decompress(&jpeg);
    const data::Bytes file = data::bytes_of(picture.file);
    jpeg_mem_src(&jpeg, file.data(), file.size());
    jpeg_read_header(&jpeg, TRUE);
    jpeg.out_color_space = JCS_RGB;
    jpeg.dct_method = JDCT_IFAST;
    jpeg.do_fancy_upsampling = FALSE;
    jpeg_start_decompress(&jpeg);
    auto left = static_cast<JDIMENSION>(picture.crop.left);
    auto width = static_cast<JDIMENSION>(picture.crop.width);
    jpeg_crop_scanline(&jpeg, &left, &width);
    jpeg_skip_scanlines(&jpeg, static_cast<JDIMENSION>(picture.crop.top));
    const std::size_t line = std::size_t{3} * width;
    pixels_.resize(line * static_cast<std::size_t>(picture.crop.height));
    for (std::size_t y = 0; y < static_cast<std::size_t>(picture.crop.height); ++y) {
      JSAMPROW rows[] = {pixels_.data() + y * line};
      jpeg_read_scanlines(&jpeg, rows, 1);
    }
    jpeg_destroy_decompress(&jpeg);
  }

 private:
  std::vector<std::uint8_t> pixels_;
};

template <typename Side>
void serve(const fs::path& directory) {
  const std::vector<Picture> pictures = load(directory);
  Side side;
  fmt::print("READY\n");
  std::fflush(stdout);
  for (std::string line; std::getline(std::cin, line);) {
    const double begin = now();
    for (const Picture& picture : pictures) side.prepare(picture);
    fmt::print("{}\n", now() - begin);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc == 3 ? argv[1] : "";
  try {
    if (what == "make") {
      make(argv[2]);
    } else if (what == "lockstep") {
      serve<Lockstep>(argv[2]);
    } else if (what == "libjpeg") {
      serve<LibJpeg>(argv[2]);
    } else {
      throw Error(ExitCode::usage, "what to do, and a directory", "bench/decode is what to start");
    }
  } catch (const Error& e) {
    fmt::print(stderr, "error: {}\nhint: {}\n", e.what(), e.hint());
    return static_cast<int>(e.code());
  }
  return 0;
}
