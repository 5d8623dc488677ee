#include "record/samples_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <iterator>
#include <optional>
#include <type_traits>

#include "base/bytes.h"
#include "base/check.h"
#include "base/error.h"
#include "base/files.h"
#include "base/text.h"

namespace lockstep::record {
namespace {

constexpr std::string_view kName = "# lockstep-samples";

// Calls visit(column name, value) for every column in the order of the file: writer, reader, the
// line of names and the bytes between processes all follow this one list.
template <typename SampleType, typename Visit>
void for_each_column(SampleType& sample, Visit visit) {
  visit("step", sample.step);
  visit("begin", sample.begin);
  visit("end", sample.end);
  for (std::size_t p = 0; p < kPhases; ++p) visit(kPhaseNames[p], sample.phases[p]);
  visit("waiting", sample.waiting);
  visit("wire", sample.wire);
  visit("loss", sample.loss);
  visit("base_loss", sample.base_loss);
  visit("top_1", sample.top_1);
  visit("top_5", sample.top_5);
}

std::string column_names() {
  std::vector<std::string> names;
  const Sample sample;
  for_each_column(sample, [&](std::string_view name, auto) { names.emplace_back(name); });
  return join(names, "\t");
}

// Reads one file's lines; knows where it is, for the errors.
class Reader {
 public:
  Reader(const std::filesystem::path& path, std::string_view rest) : path_(path), rest_(rest) {}

  // The next line without its newline; nothing at the end, or when the newline is missing.
  std::optional<std::string_view> line() {
    const std::size_t end = rest_.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view text = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    ++number_;
    return text;
  }
  bool has_rest() const { return !rest_.empty(); }

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ExitCode::usage,
                fmt::format("{}:{}: {}", path_.string(), std::max(number_, 1), what));
  }

  // The shortest decimal that fmt prints for a value reads back as that value only when it is
  // parsed as the value's own type.
  template <typename Number>
  Number parse(std::string_view name, std::string_view text) const {
    Number value{};
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end) {
      fail(fmt::format("'{}' is not a value of {}", text, name));
    }
    return value;
  }

  SamplesHeader header() {
    const std::vector<std::string> words = split(line().value_or(""), ' ');
    const auto value = [&](std::size_t i, std::string_view key) -> std::string {
      const std::string prefix = fmt::format("{}=", key);
      if (i >= words.size() || !words[i].starts_with(prefix)) {
        fail(fmt::format("not a samples file: expected '{} version={} rank=R host=H clock=C'",
                         kName, kSamplesVersion));
      }
      return words[i].substr(prefix.size());
    };
    if (words.size() < 2 || words[0] + " " + words[1] != kName) value(words.size(), "version");
    const int version = parse<int>("version", value(2, "version"));
    if (version != kSamplesVersion) {
      fail(fmt::format("samples of version {}; this program reads version {}", version,
                       kSamplesVersion));
    }
    SamplesHeader header{.rank = parse<int>("rank", value(3, "rank")),
                         .host = value(4, "host"),
                         .clock = value(5, "clock")};
    if (line() != column_names()) fail("expected the columns " + column_names());
    return header;
  }

  Sample sample(std::string_view text) const {
    Sample sample;
    std::optional<std::string_view> rest = text;  // nothing: the last cell was taken
    for_each_column(sample, [&](std::string_view name, auto& value) {
      if (!rest) fail(fmt::format("the line ends before {}", name));
      const std::size_t end = rest->find('\t');
      value = parse<std::remove_reference_t<decltype(value)>>(name, rest->substr(0, end));
      rest = end == std::string_view::npos ? std::nullopt : std::optional(rest->substr(end + 1));
    });
    if (rest) {
      const auto columns = [](std::string_view line) { return 1 + std::ranges::count(line, '\t'); };
      fail(fmt::format("{} instead of {}", counted(columns(text), "column"),
                       columns(column_names())));
    }
    return sample;
  }

 private:
  const std::filesystem::path& path_;
  std::string_view rest_;
  int number_ = 0;  // of the line last returned
};

}  // namespace

std::filesystem::path samples_path(const std::filesystem::path& directory, int rank) {
  return directory / fmt::format("samples.{}", rank);
}

SamplesWriter::SamplesWriter(const std::filesystem::path& path, const SamplesHeader& header)
    : path_(path), file_(std::fopen(path.c_str(), "we")) {
  LOCKSTEP_CHECK(header.host.find_first_of(" \t\n") == std::string::npos);
  if (!file_) fail();
  std::setbuf(file_.get(), nullptr);
  write(fmt::format("{} version={} rank={} host={} clock={}\n{}\n", kName, kSamplesVersion,
                    header.rank, header.host, header.clock, column_names()));
}

void SamplesWriter::append(const Sample& sample) {
  fmt::memory_buffer line;  // on the stack for any sample: appending allocates nothing
  for_each_column(sample, [&](std::string_view, auto value) {
    fmt::format_to(std::back_inserter(line), "{}\t", value);
  });
  line[line.size() - 1] = '\n';
  write({line.data(), line.size()});
}

void SamplesWriter::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size()) fail();
}

void SamplesWriter::fail() const {
  throw Error(ExitCode::environment,
              fmt::format("cannot write {}: {}", path_.string(), std::strerror(errno)));
}

SamplesFile read_samples(const std::filesystem::path& path) {
  const std::string content = read_file(path, kLargestData);
  Reader reader(path, content);
  SamplesFile file;
  file.header = reader.header();
  while (const auto line = reader.line()) {
    const Sample sample = reader.sample(*line);
    if (!file.samples.empty() && sample.step <= file.samples.back().step) {
      reader.fail(fmt::format("step {} follows step {}", sample.step, file.samples.back().step));
    }
    file.samples.push_back(sample);
  }
  file.truncated = reader.has_rest();
  return file;
}

std::string samples_to_bytes(std::span<const Sample> samples) {
  std::string bytes;
  for (const Sample& sample : samples) {
    for_each_column(sample, [&](std::string_view, auto value) { append_bytes(bytes, value); });
  }
  return bytes;
}

std::vector<Sample> samples_from_bytes(std::string_view bytes) {
  BytesReader reader(bytes);
  std::vector<Sample> samples;
  while (!reader.rest().empty()) {
    for_each_column(samples.emplace_back(),
                    [&](std::string_view, auto& value) { reader.take(value); });
  }
  return samples;
}

std::vector<Sample> read_last_samples(const std::filesystem::path& path, std::size_t most) {
  constexpr std::size_t kLongestLine = 512;
  const std::string head = read_part(path, 0, 4 * kLongestLine);
  Reader at_front(path, head);
  at_front.header();
  std::error_code none;  // it is gone by now: then the next part is not there, either
  const std::uintmax_t size = std::filesystem::file_size(path, none);
  const std::size_t wanted = (most + 1) * kLongestLine;
  const std::string tail = read_part(
      path, static_cast<std::int64_t>(size - std::min<std::uintmax_t>(size, wanted)), wanted);
  Reader reader(path, tail);
  if (size > wanted) {
    reader.line();  // the rest of one
  } else {
    reader.header();
  }
  std::vector<Sample> samples;
  while (const auto line = reader.line()) samples.push_back(reader.sample(*line));
  if (samples.size() > most)
    samples.erase(samples.begin(), samples.end() - static_cast<std::ptrdiff_t>(most));
  return samples;
}

}  // namespace lockstep::record
