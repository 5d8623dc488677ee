#include "record/samples_file.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <span>

#include "base/directory_for_test.h"
#include "base/error.h"
#include "base/files.h"
#include "base/rng.h"
#include "base/text.h"

namespace lockstep::record {
namespace {

class SamplesFileTest : public DirectoryTest {
 protected:
  std::filesystem::path path() const { return samples_path(directory_, 3); }

  void write(std::span<const Sample> samples) const {
    SamplesWriter writer(path(), {.rank = 3, .host = "host07"});
    for (const Sample& sample : samples) writer.append(sample);
  }

  // The message of the error that reading `content` must throw.
  std::string error_of(const std::string& content) const {
    write_file(path(), content);
    try {
      read_samples(path());
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      return error.what();
    }
    return "no error";
  }
};

// Any finite bit pattern: the hard cases for printing and parsing.
double any_double(std::uint64_t bits) {
  const auto value = std::bit_cast<double>(bits);
  return std::isfinite(value) ? value : 0.1;
}
float any_float(std::uint64_t bits) {
  const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  return std::isfinite(value) ? value : 0.1F;
}

std::vector<Sample> any_samples(std::uint64_t seed, int count) {
  const Rng rng(seed);
  std::vector<Sample> samples;
  std::uint64_t at = 0;
  for (int i = 0; i < count; ++i) {
    Sample sample{
        .step = i, .begin = any_double(rng.bits(at++)), .end = any_double(rng.bits(at++))};
    for (double& phase : sample.phases) phase = any_double(rng.bits(at++));
    sample.loss = any_float(rng.bits(at++));
    sample.base_loss = any_float(rng.bits(at++));
    sample.top_1 = any_float(rng.bits(at++));
    sample.top_5 = any_float(rng.bits(at++));
    samples.push_back(sample);
  }
  return samples;
}

bool same(const Sample& a, const Sample& b) {
  return a.step == b.step && a.begin == b.begin && a.end == b.end && a.phases == b.phases &&
         a.loss == b.loss && a.base_loss == b.base_loss && a.top_1 == b.top_1 && a.top_5 == b.top_5;
}

TEST_F(SamplesFileTest, ReadsBackWhatWasWritten) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto samples = any_samples(seed, 200);
    write(samples);
    const SamplesFile file = read_samples(path());
    EXPECT_EQ(file.header.rank, 3);
    EXPECT_EQ(file.header.host, "host07");
    EXPECT_EQ(file.header.clock, "monotonic");
    EXPECT_FALSE(file.truncated);
    ASSERT_EQ(file.samples.size(), samples.size());
    for (std::size_t i = 0; i < samples.size(); ++i) {
      ASSERT_TRUE(same(file.samples[i], samples[i])) << "seed " << seed << " step " << i;
    }
  }
}

TEST(SampleBytes, ComeBackAsTheSameSamples) {
  auto samples = any_samples(7, 200);
  samples.back().waiting = 0.25;
  samples.back().wire = 0.125;
  const std::string bytes = samples_to_bytes(samples);
  const auto back = samples_from_bytes(bytes);
  ASSERT_EQ(back.size(), samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) ASSERT_TRUE(same(back[i], samples[i])) << i;
  EXPECT_EQ(back.back().waiting, 0.25);
  EXPECT_EQ(back.back().wire, 0.125);
  EXPECT_THROW(samples_from_bytes(std::string_view(bytes).substr(1)), std::length_error);
  EXPECT_TRUE(samples_from_bytes({}).empty());
}

TEST_F(SamplesFileTest, LooksAsDocumented) {
  Sample sample{.step = 12, .begin = 0.5, .end = 0.75};
  sample.phases = {0, 0.125, 0.1, 0, 0.025};
  sample.loss = 6.9F;
  sample.base_loss = 6.5F;
  write({&sample, 1});
  EXPECT_EQ(read_file(path()),
            "# lockstep-samples version=2 rank=3 host=host07 clock=monotonic\n"
            "step\tbegin\tend\tinput\tforward\tbackward\texchange\tupdate\twaiting\twire\tloss\tbas"
            "e_loss\ttop_1\t"
            "top_5\n"
            "12\t0.5\t0.75\t0\t0.125\t0.1\t0\t0.025\t0\t0\t6.9\t6.5\t0\t0\n");
}

TEST_F(SamplesFileTest, KeepsALossThatIsNotANumber) {
  Sample sample;
  sample.loss = std::nanf("");
  sample.base_loss = INFINITY;
  write({&sample, 1});
  const Sample read = read_samples(path()).samples.at(0);
  EXPECT_TRUE(std::isnan(read.loss));
  EXPECT_EQ(read.base_loss, INFINITY);
}

TEST_F(SamplesFileTest, HasEverySampleBeforeTheWriterEnds) {
  SamplesWriter writer(path(), {.rank = 3, .host = "host07"});
  writer.append({.step = 0});
  EXPECT_EQ(read_samples(path()).samples.size(), 1U);
  writer.append({.step = 1});
  EXPECT_EQ(read_samples(path()).samples.size(), 2U);
}

TEST_F(SamplesFileTest, ReadsWhatACrashLeftBehind) {
  const auto samples = any_samples(1, 5);
  write(samples);
  const std::string whole = read_file(path());
  const std::size_t last_line = whole.rfind('\n', whole.size() - 2) + 1;
  for (std::size_t size = last_line; size <= whole.size(); ++size) {
    write_file(path(), whole.substr(0, size));
    const SamplesFile file = read_samples(path());
    EXPECT_EQ(file.samples.size(), size == whole.size() ? 5U : 4U);
    EXPECT_EQ(file.truncated, size != last_line && size != whole.size());
  }
}

TEST_F(SamplesFileTest, NamesFileAndLineOfWhatIsCorrupt) {
  write(any_samples(1, 3));
  const std::vector<std::string> lines = split(read_file(path()), '\n');
  const auto with = [&](std::size_t line, const std::string& text) {
    auto changed = lines;
    changed[line] = text;
    return error_of(join(changed, "\n"));
  };
  const std::string file = path().string();
  EXPECT_EQ(with(3, "1\t2"), file + ":4: the line ends before end");
  EXPECT_EQ(with(3, ""), file + ":4: '' is not a value of step");
  EXPECT_EQ(with(3, "1\t0x\t0\t0\t0\t0\t0\t0\t0\t0\t0\t0"),
            file + ":4: '0x' is not a value of begin");
  EXPECT_EQ(with(3, lines[3] + "\t1"), file + ":4: 15 columns instead of 14");
  EXPECT_EQ(with(4, lines[3]), file + ":5: step 1 follows step 1");
  EXPECT_TRUE(with(1, "step\tbegin").starts_with(file + ":2: expected the columns step\tbegin"));
  EXPECT_TRUE(with(0, "hello").starts_with(file + ":1: not a samples file"));
  EXPECT_TRUE(error_of("").starts_with(file + ":1: not a samples file"));
  EXPECT_EQ(with(0, "# lockstep-samples version=3 rank=0 host=h clock=monotonic"),
            file + ":1: samples of version 3; this program reads version 2");
}

TEST_F(SamplesFileTest, SaysWhyItCannotBeWritten) {
  try {
    SamplesWriter writer(directory_ / "missing" / "samples.0", {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::environment);
    EXPECT_NE(std::string(error.what()).find("missing/samples.0"), std::string::npos);
  }
}

TEST_F(SamplesFileTest, IsReadFromItsEndWhileItGrows) {
  const std::vector<Sample> samples = any_samples(5, 1000);
  write(samples);
  const std::vector<Sample> last = read_last_samples(path(), 7);
  ASSERT_EQ(last.size(), 7);
  EXPECT_EQ(last.front().step, samples[993].step);
  EXPECT_EQ(last.back().end, samples.back().end);
  EXPECT_EQ(read_last_samples(path(), 2000).size(), 1000);
  const std::string content = read_file(path());
  write_file(path(), content.substr(0, content.size() - 5));
  EXPECT_EQ(read_last_samples(path(), 1).back().step, samples[998].step);
  write_file(path(), "something else\n");
  EXPECT_THROW(read_last_samples(path(), 1), Error);
}

}  // namespace
}  // namespace lockstep::record
