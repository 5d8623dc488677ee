#include "cli/flag_listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/table.h"
#include "base/text.h"
#include "spec/flags.h"

namespace lockstep::cli {
namespace {

using spec::Flag;
using spec::Status;

std::string_view status_name(Status status) {
  switch (status) {
    case Status::works:
      return "works";
    case Status::ignored:
      return "ignored";
    case Status::refused:
      return "refused";
  }
  return "";
}

std::string default_name(const Flag& flag) {
  return flag.type.default_text.empty() ? "not set" : std::string(flag.type.default_text);
}

// What the flag does; where it does not, why.
std::string description(const Flag& flag) {
  std::string text(flag.help);
  if (!flag.reason.empty()) text += fmt::format(" ({}: {})", status_name(flag.status), flag.reason);
  return text;
}

long count(bool own, Status status) {
  const auto rows = spec::flags();
  return std::count_if(rows.begin(), rows.end(),
                       [&](const Flag& flag) { return flag.own == own && flag.status == status; });
}

std::string markdown_row(const Flag& flag) {
  std::string name = fmt::format("`--{}`", flag.name);
  if (!flag.alias.empty()) {
    name += fmt::format(", `{}{}`", flag.alias.size() == 1 ? "-" : "--", flag.alias);
  }
  if (flag.own) name += " *";
  std::string why;
  if (!flag.reason.empty()) why = fmt::format(": {}", flag.reason);
  if (!flag.instead.empty()) why += fmt::format("; {}", flag.instead);
  return fmt::format("| {} | {} | {} | {} | **{}**{} |\n", name, expectation(flag.type),
                     flag.type.default_text.empty() ? default_name(flag)
                                                    : fmt::format("`{}`", flag.type.default_text),
                     flag.help, status_name(flag.status), why);
}

}  // namespace

std::string list_flags() {
  using Align = Table::Align;
  Table table({{"flag", Align::left},
               {"default", Align::left},
               {"status", Align::left},
               {"meaning", Align::left}});
  for (const Flag& flag : spec::flags()) {
    table.add({fmt::format("--{}", flag.name), default_name(flag),
               std::string(status_name(flag.status)), description(flag)});
  }
  return table.text();
}

std::string list_flags_json() {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Flag& flag : spec::flags()) {
    nlohmann::ordered_json row = {{"name", flag.name},
                                  {"alias", nullptr},
                                  {"group", flag.group},
                                  {"takes", expectation(flag.type)},
                                  {"default", nullptr},
                                  {"help", flag.help},
                                  {"status", status_name(flag.status)},
                                  {"reason", nullptr},
                                  {"instead", nullptr},
                                  {"tf_cnn_benchmarks", !flag.own}};
    if (!flag.alias.empty()) row["alias"] = flag.alias;
    if (!flag.type.default_text.empty()) row["default"] = flag.type.default_text;
    if (!flag.reason.empty()) row["reason"] = flag.reason;
    if (!flag.instead.empty()) row["instead"] = flag.instead;
    rows.push_back(std::move(row));
  }
  return rows.dump(2) + "\n";
}

std::string list_flags_markdown() {
  const long works = count(false, Status::works);
  const long ignored = count(false, Status::ignored);
  const long refused = count(false, Status::refused);
  std::string out = fmt::format(
      "<!-- Written by `lockstep list flags --markdown`; a test compares the two. -->\n\n"
      "# Flags of `lockstep run`\n\n"
      "`lockstep run` takes the command line of tf_cnn_benchmarks: of its {} flags, {} work, {} "
      "are\n"
      "ignored with a warning because they cannot change what is computed here, and {} are "
      "refused\n"
      "because they would change what is computed or written and this version cannot do that. A\n"
      "refused flag is accepted with its default or with a value that turns it off, such as\n"
      "`--use_fp16=False` or `--trace_file=`. The {} flags with a star are lockstep's own.\n\n"
      "- Dashes and underscores are equal: `--num-batches` is `--num_batches`.\n"
      "- Values: `--flag=value` or `--flag value`. Booleans: `--flag`, `--noflag`, "
      "`--flag=False`.\n"
      "- The last one of a flag given twice wins. Arguments that are no flags are errors.\n"
      "- The environment variable `LOCKSTEP_BATCH_SIZE=16` stands for `--batch_size=16`, and so "
      "on\n"
      "  for every flag; the command line wins.\n",
      works + ignored + refused, works, ignored, refused, count(true, Status::works));
  std::string_view group;
  for (const Flag& flag : spec::flags()) {
    if (flag.group != group) {
      group = flag.group;
      out += fmt::format(
          "\n## {}\n\n| flag | takes | default | meaning | status |\n|---|---|---|---|---|\n",
          group);
    }
    out += markdown_row(flag);
  }
  return out;
}

}  // namespace lockstep::cli
