#include "launch/staging.h"

#include <link.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>

#include "base/error.h"
#include "base/text.h"
#include "launch/remote.h"

namespace lockstep::launch {
namespace {

constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table = {};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte << 24;
    for (int bit = 0; bit < 8; ++bit) crc = crc << 1 ^ (crc >> 31 != 0 ? 0x04c11db7U : 0);
    table[byte] = crc;
  }
  return table;
}
constexpr std::array<std::uint32_t, 256> kTable = make_table();

std::uint32_t extended(std::uint32_t crc, unsigned char byte) {
  return crc << 8 ^ kTable[crc >> 24 ^ byte];
}

// Parts of the C library, which fit each other and the kernel's loader only.
bool is_of_c_library(const std::string& name) {
  for (const char* part : {"ld-linux", "linux-vdso", "libc.so", "libm.so", "libpthread.so",
                           "libdl.so", "librt.so", "libresolv.so", "libutil.so", "libnss_"}) {
    if (name.starts_with(part)) return true;
  }
  return false;
}

std::vector<std::filesystem::path> loaded_libraries() {
  std::vector<std::filesystem::path> paths;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* out) {
        const std::filesystem::path path = info->dlpi_name;
        if (path.is_absolute() && !is_of_c_library(path.filename())) {
          static_cast<std::vector<std::filesystem::path>*>(out)->push_back(path);
        }
        return 0;
      },
      &paths);
  std::ranges::sort(paths);
  return paths;
}

std::string directory_of(const Site& site, const Bundle& bundle) {
  Site built = site;
  built.build = bundle.build();
  return std::filesystem::path(remote_program(built)).parent_path();
}

// A condition for a shell on the host: the directory has the files, and they are what they were.
std::string is_whole(const std::string& directory, const Bundle& bundle) {
  std::vector<std::string> names;
  for (const auto& file : bundle.files) names.push_back(file.filename());
  return fmt::format("[ \"$(cd {} && cat {} | cksum)\" = '{} {}' ]", directory, shell_line(names),
                     bundle.sum.crc, bundle.sum.bytes);
}

std::vector<std::string> archive(const Bundle& bundle) {
  std::vector<std::string> words = {"tar", "-chf", "-"};
  for (const auto& file : bundle.files) {
    words.insert(words.end(), {"-C", file.parent_path(), file.filename()});
  }
  return words;
}

// Every one of them runs to its end, whatever becomes of the others.
Outcome run_all(const std::vector<Command>& commands, RunOptions options) {
  options.grace = std::numeric_limits<double>::infinity();
  return run(commands, options);
}

[[noreturn]] void fail(const Ended& ended, std::string_view what, std::string hint) {
  throw Error(ExitCode::launch, fmt::format("host {}: {}: {}", ended.host, what, ended.tail),
              std::move(hint));
}

}  // namespace

Checksum checksum(const std::vector<std::filesystem::path>& files) {
  Checksum sum;
  std::vector<char> buffer(1 << 20);
  for (const std::filesystem::path& path : files) {
    std::ifstream file(path, std::ios::binary);
    while (file.read(buffer.data(), static_cast<std::streamsize>(buffer.size())),
           file.gcount() > 0) {
      const auto bytes = static_cast<std::size_t>(file.gcount());
      for (std::size_t i = 0; i < bytes; ++i) {
        sum.crc = extended(sum.crc, static_cast<unsigned char>(buffer[i]));
      }
      sum.bytes += bytes;
    }
    if (!file.eof()) {
      throw Error(ExitCode::environment, fmt::format("cannot read {}", path.string()));
    }
  }
  for (std::uint64_t left = sum.bytes; left != 0; left >>= 8) {
    sum.crc = extended(sum.crc, static_cast<unsigned char>(left & 0xff));
  }
  sum.crc = ~sum.crc;
  return sum;
}

std::string Bundle::build() const {
  return fmt::format("{:08x}-{}", sum.crc, sum.bytes);
}

Bundle bundle_of_this_program(bool with_mpi) {
  Bundle bundle;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
  bundle.files.push_back(program);
  if (with_mpi) bundle.files.push_back(program.parent_path() / "lockstep-mpi");
  for (auto& library : loaded_libraries()) bundle.files.push_back(std::move(library));
  bundle.sum = checksum(bundle.files);
  return bundle;
}

Command probe(const spec::Host& host, const Site& site, const Bundle& bundle) {
  const std::string directory = shell_quoted(directory_of(site, bundle));
  const std::string script = fmt::format("[ -d {} ] && {}", directory, is_whole(directory, bundle));
  return {.name = host.name + ".probe", .host = host.name, .argv = on_host(host, site.ssh, script)};
}

Command copy(const spec::Host& host, const Site& site, const Bundle& bundle) {
  const std::string directory = shell_quoted(directory_of(site, bundle));
  const std::string receive = fmt::format(
      "part={0}.$$; trap 'rm -rf \"$part\"' EXIT; mkdir -p \"$part\" && "
      "tar -xf - -C \"$part\" && {1} && rm -rf {0} && mv \"$part\" {0}",
      directory, is_whole("\"$part\"", bundle));
  return {.name = host.name + ".copy",
          .host = host.name,
          .argv = {"sh", "-c",
                   fmt::format("{} | {}", shell_line(archive(bundle)),
                               shell_line(on_host(host, site.ssh, receive)))}};
}

void stage(const Site& site, const Bundle& bundle, const RunOptions& options) {
  std::vector<Command> probes;
  for (const spec::Host& host : site.hosts) {
    if (is_apart(host, site)) probes.push_back(probe(host, site, bundle));
  }
  const Outcome probed = run_all(probes, options);
  if (probed.stopped) return;
  std::vector<Command> copies;
  for (const Ended& ended : probed.processes) {
    if (ended.exit_code == 0) continue;
    if (ended.exit_code != 1) {
      fail(
          ended, "cannot be reached by ssh",
          fmt::format("`ssh -o BatchMode=yes {} true` has to work without a question", ended.host));
    }
    const auto host = std::ranges::find(site.hosts, ended.host, &spec::Host::name);
    copies.push_back(copy(*host, site, bundle));
  }
  const Outcome copied = run_all(copies, options);
  if (copied.stopped) return;
  if (const Ended* failed = copied.first_failure()) {
    fail(*failed, fmt::format("cannot copy the program to {}", site.remote_dir),
         "name another directory with --remote_dir");
  }
}

}  // namespace lockstep::launch
