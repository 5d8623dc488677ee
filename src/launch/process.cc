#include "launch/process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/getenv.h"
#include "base/text.h"

namespace lockstep::launch {
namespace {

[[noreturn]] void fail(std::string_view what) {
  throw Error(ExitCode::environment, fmt::format("cannot {}: {}", what, std::strerror(errno)));
}

struct Pipe {
  Descriptor read;
  Descriptor write;

  Pipe() {
    std::array<int, 2> ends = {};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) fail("make a pipe");
    read = Descriptor(ends[0]);
    write = Descriptor(ends[1]);
  }
};

// False: the rest is lost, because a disk is full or nobody reads any more. That is no reason to
// end what runs.
bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

Descriptor open_log(const Command& command, const std::filesystem::path& directory) {
  if (directory.empty()) return {};
  const std::filesystem::path path = directory / (command.name + ".log");
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) fail(fmt::format("write {}", path.string()));
  return Descriptor(fd);
}

// "NAME=value" for all that the process is to see.
std::vector<std::string> environment_of(const Command& command, const std::string& token) {
  std::map<std::string, std::string> added = command.environment;
  if (command.token == Command::Token::environment) added["LOCKSTEP_TOKEN"] = token;
  std::vector<std::string> entries;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (!added.contains(text.substr(0, text.find('=')))) entries.push_back(text);
  }
  for (const auto& [name, value] : added) {
    entries.push_back(fmt::format("{}={}", name, value));
  }
  return entries;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (std::string& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

// Everything that the child needs, made before it is forked: another thread may hold the lock of
// the heap at that moment, and the child would wait for it forever.
struct Child {
  const char* path;
  char** argv;
  char** environment;
  int input;
  int output;
  pid_t parent;

  [[noreturn]] void become() const {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(128 + SIGTERM);  // it died before we asked to be told
    dup2(input, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) std::signal(signal, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    execve(path, argv, environment);
    const char* reason = std::strerror(errno);
    for (const char* text : {"cannot execute ", path, ": ", reason, "\n"}) {
      if (write(STDERR_FILENO, text, std::strlen(text)) < 0) break;
    }
    _exit(126);
  }
};

}  // namespace

std::string executable(const Command& command) {
  const std::string& program = command.argv.at(0);
  if (program.find('/') != std::string::npos) {
    if (access(program.c_str(), X_OK) == 0) return program;
    throw Error(ExitCode::launch,
                fmt::format("cannot execute {}: {}", program, std::strerror(errno)));
  }
  const char* path = process_getenv("PATH");
  for (const std::string& directory : split(path != nullptr ? path : "/usr/bin:/bin", ':')) {
    std::string candidate = fmt::format("{}/{}", directory.empty() ? "." : directory, program);
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  throw Error(ExitCode::launch,
              fmt::format("cannot execute {}: it is in no directory of PATH", program),
              fmt::format("install {}, or choose another launcher", program));
}

Process::Process(const Command& command, const std::string& path, const std::string& token,
                 const RunOptions& options)
    : name_(command.name),
      host_(command.host),
      ends_with_input_(command.ends_with_input),
      failure_(command.failure),
      live_(options.live),
      on_line_(options.on_line),
      tail_bytes_(options.tail_bytes),
      started_(now()),
      log_(open_log(command, options.log_dir)) {
  Pipe input;
  Pipe output;
  std::vector<std::string> words = command.argv;
  std::vector<std::string> entries = environment_of(command, token);
  const std::vector<char*> argv = pointers(words);
  const std::vector<char*> environment = pointers(entries);
  const Child child = {path.c_str(),
                       const_cast<char**>(argv.data()),
                       const_cast<char**>(environment.data()),
                       input.read.get(),
                       output.write.get(),
                       getpid()};
  id_ = fork();
  if (id_ < 0) fail(fmt::format("start {}", command.name));
  if (id_ == 0) child.become();
  setpgid(id_, id_);  // whoever of the two comes first
  end_ = Descriptor(static_cast<int>(syscall(SYS_pidfd_open, id_, 0)));
  input_ = std::move(input.write);
  output_ = std::move(output.read);
  fcntl(output_.get(), F_SETFL, O_NONBLOCK);
  // A pipe has room for it: nobody has to read it now.
  if (command.token == Command::Token::input) write_all(input_.get(), token + "\n");
}

Process::~Process() {
  if (id_ < 0) return;
  signal_group(SIGKILL);
  while (waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void Process::read_output() {
  std::array<char, 1 << 16> buffer;
  while (output_.get() >= 0) {
    const ssize_t bytes = read(output_.get(), buffer.data(), buffer.size());
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0 && errno == EAGAIN) return;
    if (bytes <= 0) return output_.close();
    take({buffer.data(), static_cast<std::size_t>(bytes)});
  }
}

std::optional<Ended> Process::reap() {
  siginfo_t info = {};
  if (waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
      info.si_pid == 0) {
    return std::nullopt;
  }
  // As long as it is not reaped, its number is nobody else's, and so is its group's.
  signal_group(SIGKILL);
  read_output();
  if (!line_.empty()) take("\n");
  while (waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
  }
  id_ = -1;
  const int code = info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
  return Ended{.name = name_,
               .host = host_,
               .exit_code = code,
               .seconds = now() - started_,
               .tail = std::string(trim(tail_))};
}

void Process::end_politely() {
  if (ends_with_input_) {
    input_.close();
  } else {
    signal_group(SIGTERM);
    signal_group(SIGCONT);  // what is stopped hears no other signal
  }
}

void Process::end_for_certain() {
  signal_group(SIGKILL);
}

void Process::take(std::string_view text) {
  if (log_.get() >= 0 && !write_all(log_.get(), text)) log_.close();
  if (live_ || on_line_) pass_on(text);
  if (!failure_.empty()) look_for_failure(text);
  tail_ += text;
  if (tail_.size() > tail_bytes_) {
    tail_.erase(0, tail_.size() - tail_bytes_);
    tail_.erase(0, tail_.find('\n') + 1);
  }
}

// Whole lines at once, so that those of different processes do not mix.
void Process::pass_on(std::string_view text) {
  line_ += text;
  std::string lines;
  std::size_t begin = 0;
  for (std::size_t end; (end = line_.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const std::string_view line = std::string_view(line_).substr(begin, end - begin);
    if (live_) lines += fmt::format("[{}] {}\n", name_, line);
    if (on_line_) on_line_(name_, line);
  }
  line_.erase(0, begin);
  write_all(STDERR_FILENO, lines);
}

void Process::look_for_failure(std::string_view text) {
  for (const char c : text) {
    if (c == '\n') {
      start_.clear();
    } else if (start_.size() < failure_.size()) {
      start_ += c;
      told_failure_ = told_failure_ || start_ == failure_;
    }
  }
}

void Process::signal_group(int signal) const {
  kill(-id_, signal);
}

}  // namespace lockstep::launch
