# shellcheck shell=bash
# What ./lockstep and ./test share. Sourced with `root` set to the top of the tree.
: "${root:?}"
readonly environment=3  # the exit code when the machine lacks something, as the program's own

complain() { printf '%s\n' "$*" >&2; }

# The packages of the named sections of tools/packages.txt.
packages() {
  local wanted=" $* " section='' line
  while read -r line; do
    line=${line%%[[:space:]#]*}
    case $line in
      '') ;;
      \[*\]) section=${line:1:-1} ;;
      *) [[ $wanted != *" $section "* ]] || printf '%s\n' "$line" ;;
    esac
  done <"$root/tools/packages.txt"
}

# Those of the given packages that are not installed.
missing_packages() {
  local installed
  # dpkg-query fails when it knows nothing of one of them; what it prints still counts.
  installed=$(dpkg-query --show --showformat='${db:Status-Status} ${Package}\n' "$@" 2>/dev/null) || true
  local package
  for package in "$@"; do
    grep -qxF "installed $package" <<<"$installed" || printf '%s\n' "$package"
  done
}

# install_packages SECTION...: ends the script when a package is missing and cannot be had.
install_packages() {
  command -v dpkg-query >/dev/null || return 0  # not Debian: the configure step tells what is missing
  local needed missing
  mapfile -t needed < <(packages "$@")
  mapfile -t missing < <(missing_packages "${needed[@]}")
  ((${#missing[@]} > 0)) || return 0

  local -a as_root=(env DEBIAN_FRONTEND=noninteractive)
  if (($(id -u) != 0)); then
    if ! sudo -n true 2>/dev/null; then
      complain "error: Debian packages are missing, and installing them needs root. Run:"
      complain "  sudo apt-get update && sudo apt-get install -y --no-install-recommends ${missing[*]}"
      exit "$environment"
    fi
    as_root=(sudo -n "${as_root[@]}")
  fi
  local -a install=("${as_root[@]}" apt-get install -y --no-install-recommends "${missing[@]}")
  # The package lists are fetched only when they turn out to be absent or stale.
  logged install "${install[@]}" && return 0
  quietly install "${as_root[@]}" apt-get update && quietly install "${install[@]}" && return 0
  complain "error: cannot install ${missing[*]}"
  exit "$environment"
}

# What Debian does not have. Only the test that needs it fails without it.
install_python_packages() {
  local place=$root/build/python
  local -a needed
  mapfile -t needed < <(packages python)
  [[ ! -f $place/installed || $(<"$place/installed") != "${needed[*]}" ]] || return 0
  if quietly python python3 -m venv --clear "$place" &&
    quietly python "$place/bin/pip" install --disable-pip-version-check "${needed[@]}"; then
    printf '%s\n' "${needed[*]}" >"$place/installed"
  else
    complain "warning: cannot install ${needed[*]} into $place"
  fi
}

# logged NAME COMMAND...: output goes to build/NAME.log.
logged() {
  local log=$root/build/$1.log
  shift
  "$@" </dev/null 2>&1 | show_progress >"$log"
}

# The same, and the log is shown when the command fails.
quietly() {
  logged "$@" && return 0
  cat "$root/build/$1.log" >&2
  return 1
}

# Copies its input; on a terminal, also shows the latest line in place.
show_progress() {
  local line
  while IFS= read -r line; do
    [[ ! -t 2 ]] || printf '\r\033[K%.78s' "$line" >&2
    printf '%s\n' "$line"
  done
  [[ ! -t 2 ]] || printf '\r\033[K' >&2
}

# build PRESET TARGET [cmake options]: configures and builds.
build() {
  local preset=$1 target=$2
  shift 2
  # Inside the tree, because presets are looked up in the working directory.
  if ! (cd "$root" && quietly configure cmake --preset "$preset" "$@" &&
    quietly build cmake --build --preset "$preset" --target "$target"); then
    complain "error: the build failed"
    exit "$environment"
  fi
}

# Runs a function while nobody else builds in this tree. In a subshell, so that what the caller
# executes later does not inherit the lock.
alone() (
  mkdir -p "$root/build"
  exec {lock}>"$root/build/lock"
  flock "$lock"
  "$@"
)
