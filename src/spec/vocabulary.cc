#include "spec/vocabulary.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "base/text.h"

namespace lockstep::spec {
namespace {

constexpr std::string_view kPrefix = "LOCKSTEP_";
// Variables of ours that stand for no flag: of the program, of launchers, tests and benchmarks.
constexpr std::string_view kNoFlags[] = {"LOCKSTEP_OPENMP_CORRECTED",
                                         "LOCKSTEP_UPDATE_GOLDEN",
                                         "LOCKSTEP_REWRITE_GOLDEN",
                                         "LOCKSTEP_BENCH_PYTHON",
                                         "LOCKSTEP_RANK",
                                         "LOCKSTEP_WORLD_SIZE",
                                         "LOCKSTEP_LOCAL_RANK",
                                         "LOCKSTEP_LOCAL_WORLD_SIZE",
                                         "LOCKSTEP_COORDINATOR",
                                         "LOCKSTEP_TOKEN"};

std::string key_of(std::string_view name) {
  std::string key(name);
  std::replace(key.begin(), key.end(), '-', '_');
  return key;
}

std::string variable_name(std::string_view flag) {
  std::string name = fmt::format("{}{}", kPrefix, flag);
  for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

// The flag's names, but for a letter alone: that is too short for a variable or a suggestion.
std::vector<std::string_view> long_names(const Flag& flag) {
  if (flag.alias.size() < 2) return {flag.name};
  return {flag.alias, flag.name};
}

std::set<std::string> variables_of(std::span<const Flag* const> flags) {
  std::set<std::string> names;
  for (const Flag* flag : flags) {
    for (const std::string_view name : long_names(*flag)) names.insert(variable_name(name));
  }
  return names;
}

}  // namespace

Error one_of_all(std::string_view things, std::span<const Error> errors, const std::string& hint) {
  if (errors.size() == 1) {
    const std::string& own = errors.front().hint();
    const bool both = !own.empty() && !hint.empty();
    return {ExitCode::usage, errors.front().what(), own + (both ? " " : "") + hint};
  }
  std::string text = fmt::format("{} {} cannot be used:", errors.size(), things);
  for (const Error& error : errors) {
    text += fmt::format("\n  {}", error.what());
    if (!error.hint().empty()) text += fmt::format("\n      {}", error.hint());
  }
  return {ExitCode::usage, text, hint};
}

Vocabulary::Vocabulary(std::string_view verb, std::vector<const Flag*> flags)
    : verb_(verb), flags_(std::move(flags)) {}

const Flag* Vocabulary::find(std::string_view name) const {
  const std::string key = key_of(name);
  for (const Flag* flag : flags_) {
    if (flag->name == key || (!flag->alias.empty() && flag->alias == key)) return flag;
  }
  return nullptr;
}

// The boolean flag that "noxla", "no-xla" or "no_xla" turns off; null: none.
const Flag* Vocabulary::find_negated(std::string_view name) const {
  if (!name.starts_with("no")) return nullptr;
  name.remove_prefix(2);
  if (name.starts_with('-') || name.starts_with('_')) name.remove_prefix(1);
  const Flag* flag = find(name);
  return flag != nullptr && flag->type.kind == Kind::boolean ? flag : nullptr;
}

std::optional<std::string> Vocabulary::closest(std::string_view name) const {
  std::vector<std::string> known;
  for (const Flag* flag : flags_) {
    for (const std::string_view long_name : long_names(*flag)) known.emplace_back(long_name);
  }
  return lockstep::closest(key_of(name), known);
}

std::vector<Given> Vocabulary::read_arguments(std::span<const std::string> args,
                                              std::vector<std::string>* operands) const {
  std::vector<Given> given;
  std::vector<Error> mistakes;
  std::string hint;
  std::string bare_boolean;    // the argument before this one, where a value may belong to it
  bool after_unknown = false;  // likewise: one that may have a value
  for (std::size_t i = 0; i < args.size(); ++i) {
    const std::string& arg = args[i];
    const bool is_flag = arg.size() > 1 && arg[0] == '-' && arg != "--";
    if (!is_flag && operands != nullptr) {
      if (arg != "--") {
        operands->push_back(arg);
        continue;
      }
      const auto rest = args.subspan(i + 1);
      operands->insert(operands->end(), rest.begin(), rest.end());
      break;
    }
    if (!is_flag) {
      if (!std::exchange(after_unknown, false)) {
        mistakes.emplace_back(ExitCode::usage, fmt::format("unexpected argument {}", arg),
                              bare_boolean.empty()
                                  ? fmt::format("every option of {} is a flag: --name=value", verb_)
                                  : fmt::format("write {}={}", bare_boolean, arg));
      }
      bare_boolean.clear();
      continue;
    }
    bare_boolean.clear();
    after_unknown = false;
    const std::string word = arg.substr(arg.starts_with("--") ? 2 : 1);
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const bool has_value = equals != std::string::npos;

    if (const Flag* flag = find(name)) {
      if (has_value) {
        given.push_back({flag, word.substr(equals + 1), arg});
      } else if (flag->type.kind == Kind::boolean) {
        given.push_back({flag, "true", arg});
        bare_boolean = arg;
      } else if (i + 1 < args.size() && !args[i + 1].starts_with("--")) {
        given.push_back({flag, args[i + 1], fmt::format("{}={}", arg, args[i + 1])});
        ++i;
      } else {
        mistakes.emplace_back(ExitCode::usage,
                              fmt::format("{} needs a value: {}", arg, expectation(flag->type)));
      }
    } else if (const Flag* negated = find_negated(name)) {
      if (has_value) {
        mistakes.emplace_back(ExitCode::usage, fmt::format("{}: --{} takes no value", arg, name));
      }
      given.push_back({negated, "false", arg});
    } else {
      // With its dashes: the user looks for it as it was written.
      const auto near = closest(name);
      mistakes.emplace_back(ExitCode::usage,
                            fmt::format("unknown flag {}", arg.substr(0, arg.find('='))),
                            near ? fmt::format("did you mean --{}?", *near) : "");
      hint = fmt::format("lockstep {} --helpfull shows all flags", verb_);
      after_unknown = !has_value;
    }
  }
  if (!mistakes.empty()) throw one_of_all("arguments", mistakes, hint);
  return given;
}

std::vector<Given> Vocabulary::read_environment(const Getenv& getenv) const {
  std::vector<Given> given;
  for (const Flag* flag : flags_) {
    for (const std::string_view name : long_names(*flag)) {
      if (find(name) != flag) continue;
      const std::string variable = variable_name(name);
      const char* value = getenv(variable.c_str());
      if (value == nullptr || *value == '\0') continue;
      given.push_back({flag, value, fmt::format("{}={}", variable, value)});
    }
  }
  return given;
}

std::vector<std::string> Vocabulary::unknown_variables(
    std::span<const std::string> variables) const {
  std::set<std::string> known = variables_of(flags_);
  known.insert(std::begin(kNoFlags), std::end(kNoFlags));
  std::vector<std::string> sentences;
  for (const std::string& variable : variables) {
    if (!variable.starts_with(kPrefix) || known.contains(variable)) continue;
    const auto near = closest(variable.substr(kPrefix.size()));
    sentences.push_back(
        fmt::format("{} has no effect: it stands for no flag{}", variable,
                    near ? fmt::format("; did you mean {}?", variable_name(*near)) : ""));
  }
  return sentences;
}

std::vector<std::string> Vocabulary::known_variables(std::span<const std::string> variables) const {
  const std::set<std::string> known = variables_of(flags_);
  std::vector<std::string> found;
  for (const std::string& variable : variables) {
    if (known.contains(variable)) found.push_back(variable);
  }
  return found;
}

}  // namespace lockstep::spec
