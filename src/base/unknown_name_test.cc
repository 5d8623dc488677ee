#include "base/unknown_name.h"

#include <gtest/gtest.h>

#include <vector>

namespace lockstep {
namespace {

const std::vector<std::string> kLaunchers = {"local", "ssh", "slurm", ""};

TEST(UnknownName, NamesTheClosestAndAllKnownOnes) {
  const Error error = unknown_name("launcher", "slurmm", {kLaunchers.data(), 3});
  EXPECT_EQ(error.code(), ExitCode::usage);
  EXPECT_STREQ(error.what(), "unknown launcher 'slurmm'");
  EXPECT_EQ(error.hint(), "did you mean slurm? known: local, ssh, slurm");
}

TEST(UnknownName, AsksNothingWhereNothingIsClose) {
  EXPECT_EQ(unknown_name("launcher", "kubernetes", {kLaunchers.data(), 3}).hint(),
            "known: local, ssh, slurm");
}

TEST(DidYouMean, PutsThePrefixBeforeTheName) {
  EXPECT_EQ(did_you_mean("locl", kLaunchers, "--"), "did you mean --local?");
  EXPECT_EQ(did_you_mean("kubernetes", kLaunchers, "--"), "");
}

TEST(DidYouMean, NeverSuggestsAnEmptyName) {
  EXPECT_EQ(did_you_mean("x", kLaunchers), "");
}

}  // namespace
}  // namespace lockstep
