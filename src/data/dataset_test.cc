#include "data/dataset.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace lockstep::data {
namespace {

TEST(ExamplesPerEpoch, KnowsTheTrainingSets) {
  EXPECT_EQ(examples_per_epoch("imagenet"), 1281167);
  EXPECT_EQ(examples_per_epoch("cifar10"), 50000);
  EXPECT_EQ(examples_per_epoch("mnist"), 60000);
}

TEST(ExamplesPerEpoch, NamesTheKnownOnesWhenTheNameIsUnknown) {
  try {
    examples_per_epoch("coco");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_STREQ(error.what(), "unknown dataset 'coco'");
    EXPECT_EQ(error.hint(), "known: imagenet, cifar10, mnist");
  }
}

TEST(Batches, CoverTheEpochs) {
  EXPECT_EQ(batches(1, 50000, 125), 400);
  EXPECT_EQ(batches(1, 50000, 128), 391);  // 390.6
  EXPECT_EQ(batches(2.5, 60000, 100), 1500);
  EXPECT_EQ(batches(90, 1281167, 256), 450411);
}

TEST(Batches, DoNotGrowByRounding) {
  EXPECT_EQ(batches(0.07, 50000, 100), 35);  // 0.07 * 50000 > 3500 in double
  EXPECT_EQ(batches(0.29, 50000, 100), 145);
}

TEST(Batches, AreNoMoreThanCanBeAskedFor) {
  EXPECT_EQ(batches(2147483647, 1, 1), 2147483647);
  EXPECT_THROW(batches(2147483648, 1, 1), Error);
  EXPECT_EQ(batches(2147483648, 1, 2), 1073741824);
  try {
    batches(1e300, 1281167, 256);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_STREQ(error.what(), "1e+300 epochs come to more than 2147483647 batches");
  }
}

TEST(Batches, AreAtLeastOne) {
  EXPECT_EQ(batches(1e-9, 50000, 128), 1);
}

}  // namespace
}  // namespace lockstep::data
