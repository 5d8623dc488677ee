#include "launch/remote.h"

#include "base/error.h"

namespace lockstep::launch {
namespace {

std::string checked_directory(const Site& site) {
  if (site.remote_dir.starts_with('/')) return site.remote_dir;
  throw Error(ExitCode::usage, fmt::format("remote_dir '{}' is no absolute path", site.remote_dir),
              "name a directory that every host may make, such as /tmp/lockstep");
}

}  // namespace

std::vector<std::string> ssh_options(const Ssh& ssh) {
  std::vector<std::string> words = {
      "-o", "BatchMode=yes",         "-o", "ConnectTimeout=10",
      "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3",
  };
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  add("-F", ssh.config);
  add("-i", ssh.key);
  add("-l", ssh.user);
  add("-p", ssh.port == 0 ? "" : std::to_string(ssh.port));
  return words;
}

std::vector<std::string> ssh_words(const spec::Host& host, const Ssh& ssh) {
  Ssh mine = ssh;
  if (!host.user.empty()) mine.user = host.user;
  if (host.port != 0) mine.port = host.port;
  std::vector<std::string> words = ssh_options(mine);
  words.insert(words.begin(), "ssh");
  words.insert(words.end(), {"--", host.ssh});
  return words;
}

std::vector<std::string> on_host(const spec::Host& host, const Ssh& ssh,
                                 const std::string& script) {
  if (host.here) return {"sh", "-c", script};
  std::vector<std::string> words = ssh_words(host, ssh);
  // Whatever shell the user has there, it has to know nothing but quotes.
  words.push_back("exec sh -c " + shell_quoted(script));
  return words;
}

std::string run_until_input_ends(const std::vector<std::string>& lines) {
  std::string script = "exec 3<&0; all=; ";
  for (const std::string& line : lines) {
    script += fmt::format("{} 3<&- & all=\"$all $!\"; ", line);
  }
  // Whoever is still there when the time is up has nobody to answer to: none of their files is open
  // to us any more.
  return script +
         "{ cat <&3; kill $all; trap 'kill $nap; exit' TERM; sleep 5 & nap=$!; wait $nap; "
         "kill -9 $all; } >/dev/null 2>&1 & watch=$!; exec 3<&-; "
         "code=0; for one in $all; do wait $one || { it=$?; [ $code != 0 ] || code=$it; }; done; "
         "kill $watch; exit $code";
}

std::string run_ranks_until_input_ends(const std::vector<std::string>& lines) {
  return "read -r LOCKSTEP_TOKEN; export LOCKSTEP_TOKEN; " + run_until_input_ends(lines);
}

bool is_apart(const spec::Host& host, const Site& site) {
  return !host.here && !site.remote_dir.empty();
}

std::string remote_program(const Site& site) {
  return fmt::format("{}/lockstep-{}/lockstep", checked_directory(site), site.build);
}

std::string remote_results(const Job& job, const Site& site) {
  return fmt::format("{}/results/{}", checked_directory(site), job.id);
}

}  // namespace lockstep::launch
