#include "train/checkpoint.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "base/text.h"
#include "data/bytes.h"
#include "data/crc32c.h"

namespace lockstep::train {
namespace {

namespace fs = std::filesystem;
using data::Bytes;

constexpr std::string_view kMagic = "LOCKSTEP";
constexpr std::uint32_t kVersion = 1;
constexpr std::string_view kPrefix = "checkpoint-";
constexpr std::size_t kFront = kMagic.size() + 2 * sizeof(std::uint32_t);
constexpr std::size_t kChecksum = sizeof(std::uint32_t);

// Floats are written as this machine has them, which is what the format says.
static_assert(std::endian::native == std::endian::little);

Bytes bytes_of(const std::vector<float>& values) {
  return {reinterpret_cast<const std::uint8_t*>(values.data()), values.size() * sizeof(float)};
}

// --- Writing ------------------------------------------------------------------------------------

constexpr std::string_view kTemporary = ".tmp";

// A file that has its name only when it is whole and on the disk. Until then it is locked, so that
// one that is not was abandoned.
class DurableFile {
 public:
  explicit DurableFile(fs::path path)
      : path_(std::move(path)),
        temporary_(fmt::format("{}.{}{}", path_.string(), getpid(), kTemporary)) {
    struct stat status = {};
    do {  // once more where it was taken for abandoned before it was locked
      file_ = Descriptor(open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
      if (!file_) fail();
      flock(file_.get(), LOCK_EX);  // where that does not work, nobody takes it for abandoned
      if (fstat(file_.get(), &status) != 0) fail();
    } while (status.st_nlink == 0);
  }
  ~DurableFile() {
    if (!finished_) unlink(temporary_.c_str());
  }
  DurableFile(const DurableFile&) = delete;
  DurableFile& operator=(const DurableFile&) = delete;

  void append(Bytes bytes) {
    while (!bytes.empty()) {
      const ssize_t put = write(file_.get(), bytes.data(), bytes.size());
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) fail();
      bytes = bytes.subspan(static_cast<std::size_t>(put));
    }
  }

  void finish() {
    if (fsync(file_.get()) != 0 || std::rename(temporary_.c_str(), path_.c_str()) != 0) fail();
    finished_ = true;
    // The name, too, is on the disk only when its directory is.
    const Descriptor directory(
        open(path_.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!directory || fsync(directory.get()) != 0) fail();
  }

 private:
  [[noreturn]] void fail() const {
    throw Error(ExitCode::environment,
                fmt::format("cannot write {}: {}", path_.string(), std::strerror(errno)));
  }

  const fs::path path_, temporary_;
  Descriptor file_;
  bool finished_ = false;
};

std::string header_of(const Checkpoint& checkpoint) {
  nlohmann::ordered_json tensors = nlohmann::ordered_json::array();
  for (const Checkpoint::Tensor& tensor : checkpoint.tensors) {
    tensors.push_back({{"name", tensor.name}, {"shape", tensor.shape}});
  }
  return nlohmann::ordered_json{
      {"model", checkpoint.model},         {"dataset", checkpoint.dataset},
      {"optimizer", checkpoint.optimizer}, {"seed", checkpoint.seed},
      {"step", checkpoint.step},           {"images", checkpoint.images},
      {"squares", checkpoint.squares},     {"tensors", std::move(tensors)}}
      .dump();
}

// --- Directories --------------------------------------------------------------------------------

// By step, ascending.
std::map<std::int64_t, fs::path> checkpoints_in(const fs::path& directory) {
  std::map<std::int64_t, fs::path> found;
  std::error_code error;
  if (!fs::exists(directory, error) && !error) return found;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename();
    if (!name.starts_with(kPrefix)) continue;
    const std::optional<std::int64_t> step =
        parse_int(std::string_view(name).substr(kPrefix.size()));
    if (step && *step >= 0) found[*step] = entry->path();
  }
  if (error) {
    throw Error(ExitCode::environment,
                fmt::format("cannot read {}: {}", directory.string(), error.message()));
  }
  return found;
}

// "checkpoint-12.4711.tmp": the name of what is being written.
bool is_temporary(std::string_view name) {
  if (!name.starts_with(kPrefix) || !name.ends_with(kTemporary)) return false;
  name.remove_prefix(kPrefix.size());
  name.remove_suffix(kTemporary.size());
  const std::vector<std::string> parts = split(name, '.');
  return parts.size() == 2 && parse_int(parts[0]) && parse_int(parts[1]);
}

// Removes what writers that were killed have left. One that is at work, on any host, has locked its
// file.
void remove_abandoned(const fs::path& directory) {
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    if (!is_temporary(entry->path().filename().string())) continue;
    const Descriptor file(
        open(entry->path().c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (file && flock(file.get(), LOCK_EX | LOCK_NB) == 0) unlink(entry->path().c_str());
  }
}

// --- Reading ------------------------------------------------------------------------------------

class Reader {
 public:
  Reader(Bytes bytes, const fs::path& path) : path_(path), bytes_(bytes) {}

  Checkpoint read() {
    Checkpoint checkpoint = read_header();
    for (Checkpoint::Tensor& tensor : checkpoint.tensors) read_values(tensor);
    if (at_ != bytes_.size()) {
      fail(counted(static_cast<std::int64_t>(bytes_.size() - at_), "byte") + " too many");
    }
    return checkpoint;
  }

 private:
  [[noreturn]] void fail(std::string_view what) const {
    throw Error(ExitCode::usage, fmt::format("{}: at byte {}: {}", path_.string(), at_, what),
                "delete the file to go on from the checkpoint before it, if there is one");
  }

  Bytes take(std::size_t count, std::string_view what) {
    if (count > bytes_.size() - at_) {
      fail(fmt::format("the file is cut off: {} bytes of {}, {} are missing", count, what,
                       count - (bytes_.size() - at_)));
    }
    const Bytes taken = bytes_.subspan(at_, count);
    at_ += count;
    return taken;
  }
  void check(Bytes bytes, std::string_view what) {
    const std::size_t begin = at_ - bytes.size();
    if (data::load_le<std::uint32_t>(take(kChecksum, what)) == data::crc32c(bytes)) return;
    at_ = begin;
    fail(fmt::format("{} is damaged: its checksum is another", what));
  }

  Checkpoint read_header() {
    if (bytes_.size() < kFront || data::text_of(bytes_.first(kMagic.size())) != kMagic) {
      fail("this is no checkpoint of lockstep's, or its begin is damaged");
    }
    take(kMagic.size(), "its name");
    const auto version = data::load_le<std::uint32_t>(take(sizeof(std::uint32_t), "the version"));
    if (version != kVersion) {
      fail(fmt::format("a checkpoint of version {}; this program reads version {}", version,
                       kVersion));
    }
    const auto length = data::load_le<std::uint32_t>(take(sizeof(std::uint32_t), "a length"));
    take(length, "the header");
    check(bytes_.first(kFront + length), "the header");
    try {
      Checkpoint checkpoint = parse(parse_json(data::text_of(bytes_.subspan(kFront, length))));
      if (checkpoint.step >= 0) return checkpoint;
    } catch (const nlohmann::json::exception& error) {
      at_ = kFront;
      fail(fmt::format("a header that makes no sense: {}", json_fault(error)));
    } catch (const Error& error) {
      at_ = kFront;
      fail(fmt::format("a header that makes no sense: {}", error.what()));
    }
    fail("a step below 0");
  }

  static Checkpoint parse(const nlohmann::json& json) {
    Checkpoint checkpoint;
    json.at("model").get_to(checkpoint.model);
    json.at("dataset").get_to(checkpoint.dataset);
    json.at("optimizer").get_to(checkpoint.optimizer);
    json.at("seed").get_to(checkpoint.seed);
    json.at("step").get_to(checkpoint.step);
    json.at("images").get_to(checkpoint.images);
    json.at("squares").get_to(checkpoint.squares);
    for (const nlohmann::json& tensor : json.at("tensors")) {
      checkpoint.tensors.push_back({tensor.at("name"), tensor.at("shape"), {}});
    }
    return checkpoint;
  }

  void read_values(Checkpoint::Tensor& tensor) {
    const std::size_t most = bytes_.size() / sizeof(float);
    std::size_t elements = 1;
    for (const std::int64_t extent : tensor.shape) {
      if (extent < 0 || (extent > 0 && elements > most / static_cast<std::size_t>(extent))) {
        fail(fmt::format("the file is cut off: {} is larger than all of it", tensor.name));
      }
      elements *= static_cast<std::size_t>(extent);
    }
    const Bytes values = take(elements * sizeof(float), tensor.name);
    check(values, tensor.name);
    tensor.values.resize(elements);
    if (elements > 0) std::memcpy(tensor.values.data(), values.data(), values.size());
  }

  const fs::path path_;
  const Bytes bytes_;
  std::size_t at_ = 0;
};

}  // namespace

const Checkpoint::Tensor* Checkpoint::find(std::string_view name) const {
  const auto found = std::ranges::find(tensors, name, &Tensor::name);
  return found == tensors.end() ? nullptr : &*found;
}

std::string slot_name(std::string_view parameter, std::string_view slot) {
  return fmt::format("{}:{}", parameter, slot);
}

void write_checkpoint(const fs::path& directory, const Checkpoint& checkpoint, int keep) {
  make_directory(directory);
  remove_abandoned(directory);
  const std::string header = header_of(checkpoint);
  std::string front(kMagic);
  data::append_le(front, kVersion);
  data::append_le(front, static_cast<std::uint32_t>(header.size()));
  front += header;
  const auto checksum = [](Bytes bytes) {
    std::string text;
    data::append_le(text, data::crc32c(bytes));
    return text;
  };
  DurableFile file(directory / fmt::format("{}{}", kPrefix, checkpoint.step));
  file.append(data::bytes_of(front));
  file.append(data::bytes_of(checksum(data::bytes_of(front))));
  for (const Checkpoint::Tensor& tensor : checkpoint.tensors) {
    const Bytes values = bytes_of(tensor.values);
    file.append(values);
    file.append(data::bytes_of(checksum(values)));
  }
  file.finish();

  if (keep == 0) return;
  std::map<std::int64_t, fs::path> all = checkpoints_in(directory);
  while (all.size() > static_cast<std::size_t>(keep)) {
    std::error_code stays;  // which does no harm
    fs::remove(all.begin()->second, stays);
    all.erase(all.begin());
  }
}

std::optional<fs::path> latest_checkpoint(const fs::path& directory) {
  const std::map<std::int64_t, fs::path> all = checkpoints_in(directory);
  if (all.empty()) return std::nullopt;
  return all.rbegin()->second;
}

Checkpoint read_checkpoint(const fs::path& file) {
  const std::string content = read_file(file, kLargestArchive);
  return parse_checkpoint(data::bytes_of(content), file);
}

Checkpoint parse_checkpoint(Bytes bytes, const fs::path& file) {
  return Reader(bytes, file).read();
}

}  // namespace lockstep::train
