#include "cli/help.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/command_line.h"
#include "spec/flags.h"

namespace lockstep::cli {
namespace {

using spec::Flag;
using spec::Kind;
using spec::Status;

constexpr std::size_t kColumns = 100;
constexpr std::size_t kIndent = 34;  // of the explanations

// `text` in lines that start at column kIndent, behind `left` where that fits.
std::string two_columns(std::string_view left, std::string_view text) {
  std::string out = fmt::format("  {}", left);
  const std::string margin(kIndent, ' ');
  if (out.size() + 2 > kIndent) {
    out += '\n' + margin;
  } else {
    out.append(kIndent - out.size(), ' ');
  }
  return out + join(wrap(text, kColumns - kIndent), '\n' + margin) + '\n';
}

std::string spelling(const Flag& flag) {
  std::string out;
  if (flag.alias.size() == 1) out = fmt::format("-{}, ", flag.alias);
  switch (flag.type.kind) {
    case Kind::boolean:
      return out + fmt::format("--[no]{}", flag.name);
    case Kind::integer:
      return out + fmt::format("--{}=N", flag.name);
    case Kind::real:
      return out + fmt::format("--{}=X", flag.name);
    case Kind::choice:
      return out + fmt::format("--{}=NAME", flag.name);
    case Kind::text:
      return out + fmt::format("--{}=TEXT", flag.name);
    case Kind::list:
      return out + fmt::format("--{}=A,B", flag.name);
  }
  return out;
}

std::string explanation(const Flag& flag) {
  std::string out(flag.help);
  if (flag.type.kind == Kind::choice) out += fmt::format("; {}", expectation(flag.type));
  if (flag.alias.size() > 1) out += fmt::format("; also --{}", flag.alias);
  if (!flag.type.default_text.empty()) out += fmt::format(" [{}]", flag.type.default_text);
  if (flag.status == Status::ignored) out += fmt::format(" (no effect: {})", flag.reason);
  if (flag.status == Status::refused) out += fmt::format(" (refused: {})", flag.reason);
  return out;
}

}  // namespace

std::string flag_help(const Flag& flag) {
  return two_columns(spelling(flag), explanation(flag));
}

std::string flags_help(const std::vector<const Flag*>& flags) {
  std::string out;
  std::string_view group;
  for (const Flag* flag : flags) {
    if (flag->group != group) out += fmt::format("\n{}:\n", group = flag->group);
    out += flag_help(*flag);
  }
  return out;
}

std::string program_help() {
  std::string out =
      "lockstep measures how fast and how well deep-learning training runs on this machine.\n\n"
      "usage: lockstep VERB [ARGUMENTS]\n\nverbs:\n";
  for (const Verb& verb : verbs()) out += fmt::format("  {:<10}{}\n", verb.name, verb.summary);
  out +=
      "\nStart with:\n"
      "  lockstep sweep\n"
      "  lockstep run --model=resnet50 --batch_size=16\n\n"
      "lockstep VERB --help explains a verb.\n";
  return out;
}

std::string run_help(bool full) {
  std::string out =
      "usage: lockstep run [--flag=value ...]\n\n"
      "Trains a network on synthetic or real images and measures it: images per second with its\n"
      "spread, behind a warm-up. Takes the flags of tf_cnn_benchmarks and prints what it "
      "prints.\n\n"
      "examples:\n"
      "  lockstep run --model=resnet50 --batch_size=16\n"
      "      100 timed steps of ResNet-50 on all cores\n"
      "  lockstep run -m vgg16 -b 8 --target_precision=0.01 --max_time=300\n"
      "      stop once the speed is known to 1 %, or after five minutes\n"
      "  lockstep run -m resnet20 --data_name=cifar10 --optimizer=momentum --num_epochs=1\n"
      "      one pass over images of CIFAR-10's size, with momentum\n"
      "  lockstep run -m inception3 --forward_only --result_dir=out\n"
      "      the forward pass alone; all figures go to out/run.json\n";
  std::string_view group;
  for (const Flag& flag : spec::flags()) {
    if (!full && flag.status != Status::works) continue;
    if (flag.group != group) out += fmt::format("\n{}:\n", group = flag.group);
    out += flag_help(flag);
  }
  out +=
      "\nDashes and underscores are equal; a default stands in brackets. LOCKSTEP_BATCH_SIZE=16 "
      "in\n"
      "the environment stands for --batch_size=16; the command line wins.\n";
  if (!full) {
    out +=
        "--helpfull also shows the flags that are accepted without effect and those that are "
        "refused.\n";
  }
  out +=
      "\nexit codes: 0 done, 2 wrong usage, 3 something is missing on this machine, 4 a rank did "
      "not\nconnect within --start_timeout, 5 the run failed, 6 the measurement is not stable "
      "(with\n"
      "--strict), 130 interrupted\n";
  return out;
}

std::string list_help(bool) {
  return "usage: lockstep list THING [--json]\n"
         "       lockstep list flags --markdown\n\n"
         "Prints what lockstep knows:\n"
         "  models      networks with their sizes\n"
         "  strategies  ways to exchange gradients\n"
         "  algorithms  of all-reduces\n"
         "  transports  what connects ranks\n"
         "  launchers   what starts ranks\n"
         "  engines     what computes\n"
         "  formats     of other programs' results that lockstep import reads\n"
         "  datasets    ways in which images are stored\n"
         "  flags       of lockstep run\n";
}

std::string show_help(bool) {
  return "usage: lockstep show MODEL [--data_name=NAME] [--image_size=N] [--num_classes=N] "
         "[--json]\n"
         "       lockstep show MODEL --plan [--json] [flags of run]\n\n"
         "Prints the layers of a model: shapes, parameters, multiply-adds and bytes.\n"
         "--plan: what the compiled network does in a step instead, operation by operation, with\n"
         "the code that runs each, its memory and its reorders.\n";
}

std::string version_help(bool) {
  return "usage: lockstep version [--json]\n\nPrints the version of lockstep.\n";
}

std::string help_help(bool) {
  return "usage: lockstep help [VERB]\n\nExplains lockstep, or one of its verbs.\n";
}

}  // namespace lockstep::cli
