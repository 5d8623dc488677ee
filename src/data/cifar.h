#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/bytes.h"
#include "data/fault.h"

namespace lockstep::data {

constexpr int kCifarChannels = 3, kCifarSide = 32, kCifarClasses = 10;
constexpr std::uint64_t kCifarImageBytes = kCifarChannels * kCifarSide * kCifarSide;

// Images of a CIFAR-10 file: where the pixels of each start, and its label.
struct CifarImage {
  std::uint64_t offset = 0;
  int label = 0;

  bool operator==(const CifarImage&) const = default;
};

struct CifarBatch {
  std::vector<CifarImage> images = {};
  std::vector<Fault> faults = {};
};

// The binary version: a byte with the label and the pixels, again and again.
CifarBatch parse_cifar_binary(Bytes bytes);

// The Python version: a pickled dictionary, whose "data" is an array of numpy and whose "labels" is
// a list. Either all is well or there is one fault and no image.
CifarBatch parse_cifar_pickle(Bytes bytes);

// Such a dictionary, as Python 2 pickled it. `pixels` are those of one image behind the other.
std::string pickle_cifar_batch(std::string_view pixels, const std::vector<int>& labels);

}  // namespace lockstep::data
