"""./lockstep and ./test in a copy of the tree whose tools are stubs that log how they are called."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOLS = "bash env cat chmod dirname find flock grep mkdir mv nproc readlink touch".split()

CMAKE = """
case "$*" in
  *--build*)
    [ ! -e "$STUBS/build_fails" ] || { echo "no such luck: line 7"; exit 1; }
    [ ! -e "$STUBS/gate" ] || read -r < "$STUBS/gate"
    mkdir -p build/release/bin
    { echo '#!/usr/bin/env bash'; echo 'echo "ran in $PWD with: $*"'; echo 'exit 42'; } \\
      > build/release/bin/lockstep
    chmod +x build/release/bin/lockstep ;;
  *)
    mkdir -p build/release && touch build/release/CMakeCache.txt ;;
esac
"""
DPKG_QUERY = """
for package in "$@"; do
  case "$package" in -*) continue ;; esac
  grep -qxF "$package" "$STUBS/not_installed" || echo "installed $package"
done
! [ -s "$STUBS/not_installed" ]
"""
APT_GET = """
case "$1" in
  update) touch "$STUBS/updated" ;;
  install) [ -e "$STUBS/updated" ] || [ ! -e "$STUBS/lists_are_stale" ] || exit 100
           : > "$STUBS/not_installed" ;;
esac
"""
PYTHON = """
place=${@: -1}
mkdir -p "$place/bin"
{ echo '#!/usr/bin/env bash'; echo 'echo "pip $*" >> "$STUBS/log"; [ ! -e "$STUBS/offline" ]'; } > "$place/bin/pip"
chmod +x "$place/bin/pip"
"""
SUDO = """
[ -e "$STUBS/sudo_works" ] || exit 1
[ "$1" = -n ] && shift
"$@"
"""


class Tree:
    """A copy of the scripts, and a PATH that holds stubs and the few real tools they call."""

    def __init__(self, folder):
        self.root = folder / "tree"
        self.stubs = folder / "stubs"
        self.bin = self.stubs / "bin"
        self.bin.mkdir(parents=True)
        for part in ("src/base", "cmake", "tools"):
            (self.root / part).mkdir(parents=True)
        for name in ("lockstep", "test", "tools/build.sh", "tools/packages.txt", "CMakeLists.txt",
                     "CMakePresets.json"):
            shutil.copy(ROOT / name, self.root / name)
        (self.root / "src/base/error.h").touch()
        for tool in TOOLS:
            (self.bin / tool).symlink_to(shutil.which(tool))
        self.stub("cmake", CMAKE)
        self.stub("ctest", "exit 8")
        self.stub("dpkg-query", DPKG_QUERY)
        self.stub("apt-get", APT_GET)
        self.stub("python3", PYTHON)
        self.stub("sudo", SUDO)
        self.stub("id", "echo 1000")
        (self.stubs / "not_installed").touch()
        (self.stubs / "log").touch()

    def stub(self, name, body):
        path = self.bin / name
        path.unlink(missing_ok=True)
        path.write_text(f'#!{self.bin}/bash\necho "{name} $*" >> "$STUBS/log"\n{body}\n')
        path.chmod(0o755)

    def start(self, *command, cwd=None):
        environment = {"PATH": str(self.bin), "STUBS": str(self.stubs)}
        return subprocess.Popen([str(c) for c in command], cwd=cwd or self.root, text=True,
                                env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)

    def run(self, *command, cwd=None):
        process = self.start(*command, cwd=cwd)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    def calls(self, prefix=""):
        """The logged calls since the last time, those that start with prefix."""
        log = (self.stubs / "log").read_text().splitlines()
        (self.stubs / "log").write_text("")
        return [line for line in log if line.startswith(prefix)]


class ScriptTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = Tree(pathlib.Path(folder.name))
        self.lockstep = self.tree.root / "lockstep"


class Lockstep(ScriptTest):
    def test_passes_arguments_and_the_exit_code_through(self):
        code, out, err = self.tree.run(self.lockstep, "run", "--model", "two words")
        self.assertEqual((code, err), (42, ""))
        self.assertIn("with: run --model two words", out)

    def test_builds_the_program_without_tests(self):
        self.tree.run(self.lockstep)
        self.assertEqual(self.tree.calls("cmake"), [
            "cmake --preset release -DLOCKSTEP_TESTS=OFF",
            "cmake --build --preset release --target lockstep"])

    def test_leaves_the_tests_of_a_configured_tree_alone(self):
        self.tree.run(self.tree.root / "test")
        self.tree.calls()
        self.tree.run(self.lockstep)
        self.assertEqual(self.tree.calls("cmake")[0], "cmake --preset release")

    def test_runs_no_tool_but_find_when_nothing_changed(self):
        self.tree.run(self.lockstep)
        self.tree.calls()
        for tool in ("flock", "grep", "cat", "mkdir", "touch", "mv", "nproc"):
            self.tree.stub(tool, "exit 1")
        code, _, _ = self.tree.run(self.lockstep)
        self.assertEqual(code, 42)
        self.assertEqual(self.tree.calls(), [])

    def test_builds_again_when_the_tree_changed(self):
        source = self.tree.root / "src/base/error.h"
        changes = {
            "edited": lambda: source.write_text("x"),
            "added": lambda: (source.parent / "new.h").touch(),
            "deleted": source.unlink,
            "packages": (self.tree.root / "tools/packages.txt").touch,
            "cmake": (self.tree.root / "CMakeLists.txt").touch,
            "committed": (self.tree.root / ".git/logs/HEAD").touch,
        }
        (self.tree.root / ".git/logs").mkdir(parents=True)
        self.tree.run(self.lockstep)
        for name, change in changes.items():
            with self.subTest(name):
                self.tree.calls()
                change()
                self.tree.run(self.lockstep)
                self.assertEqual(len(self.tree.calls("cmake --build")), 1)
                self.tree.run(self.lockstep)
                self.assertEqual(self.tree.calls("cmake --build"), [])

    def test_builds_again_when_a_worktree_has_a_new_commit(self):
        for name, git in (("absolute", self.tree.root / "else where/git"), ("relative", "../git")):
            with self.subTest(name):
                (self.tree.root / ".git").write_text(f"gitdir: {git}\n")
                log = self.tree.root / git / "logs/HEAD"
                log.parent.mkdir(parents=True)
                self.tree.run(self.lockstep)
                self.tree.calls()
                log.touch()
                self.tree.run(self.lockstep)
                self.assertEqual(len(self.tree.calls("cmake --build")), 1)

    def test_builds_once_when_sixteen_start_at_once(self):
        gate = self.tree.stubs / "gate"
        os.mkfifo(gate)
        started = [self.tree.start(self.lockstep, str(i)) for i in range(16)]
        # Opens once a build waits at the gate. More than enough for every build that should not be.
        with open(gate, "w") as opened:
            opened.write("go\n" * 16)
            opened.flush()
            for process in started:
                out, _ = process.communicate(timeout=60)
                self.assertEqual(process.returncode, 42, out)
        self.assertEqual(len(self.tree.calls("cmake --build")), 1)

    def test_does_not_hold_the_lock_while_the_program_runs(self):
        self.tree.stub("cmake", CMAKE.replace("exit 42", "flock --nonblock $1 cat /dev/null"))
        code, _, _ = self.tree.run(self.lockstep, self.tree.root / "build/lock")
        self.assertEqual(code, 0)

    def test_works_from_anywhere_and_through_a_symlink(self):
        elsewhere = self.tree.stubs / "else where"
        elsewhere.mkdir()
        link = elsewhere / "ls"
        link.symlink_to(self.lockstep)
        code, out, _ = self.tree.run(link, "x", cwd=elsewhere)
        self.assertEqual((code, out), (42, f"ran in {elsewhere} with: x\n"))

    def test_shows_the_output_of_a_build_that_fails_and_tries_again(self):
        (self.tree.stubs / "build_fails").touch()
        code, out, err = self.tree.run(self.lockstep)
        self.assertEqual((code, out), (3, ""))
        self.assertIn("no such luck: line 7", err)
        (self.tree.stubs / "build_fails").unlink()
        self.assertEqual(self.tree.run(self.lockstep)[0], 42)


class Packages(ScriptTest):
    def lack(self, *packages):
        (self.tree.stubs / "not_installed").write_text("".join(p + "\n" for p in packages))

    def test_asks_once_and_installs_nothing_when_all_are_there(self):
        self.tree.run(self.lockstep)
        tools = [call.split()[0] for call in self.tree.calls()]
        self.assertEqual(tools, ["dpkg-query", "cmake", "cmake"])

    def test_tells_the_exact_line_without_root(self):
        self.lack("g++", "libfmt-dev")
        code, out, err = self.tree.run(self.lockstep)
        self.assertEqual((code, out), (3, ""))
        self.assertEqual(err.splitlines()[1].strip(),
                         "sudo apt-get update && "
                         "sudo apt-get install -y --no-install-recommends g++ libfmt-dev")
        self.assertEqual(self.tree.calls("cmake"), [])

    def test_installs_what_is_missing_as_root(self):
        self.tree.stub("id", "echo 0")
        self.lack("g++", "libfmt-dev")
        self.assertEqual(self.tree.run(self.lockstep)[0], 42)
        calls = self.tree.calls()
        self.assertIn("apt-get install -y --no-install-recommends g++ libfmt-dev", calls)
        self.assertNotIn("apt-get update", calls)
        self.assertFalse([c for c in calls if c.startswith("sudo")])

    def test_installs_with_sudo_where_it_asks_no_password(self):
        (self.tree.stubs / "sudo_works").touch()
        self.lack("g++")
        self.assertEqual(self.tree.run(self.lockstep)[0], 42)
        self.assertEqual(self.tree.calls("apt-get"),
                         ["apt-get install -y --no-install-recommends g++"])

    def test_fetches_the_package_lists_when_they_are_stale(self):
        self.tree.stub("id", "echo 0")
        (self.tree.stubs / "lists_are_stale").touch()
        self.lack("g++")
        self.assertEqual(self.tree.run(self.lockstep)[0], 42)
        self.assertEqual(self.tree.calls("apt-get")[1], "apt-get update")

    def test_lockstep_does_not_need_what_only_tests_need(self):
        self.lack("libgtest-dev")
        self.assertEqual(self.tree.run(self.lockstep)[0], 42)
        self.assertEqual(self.tree.run(self.tree.root / "test")[0], 3)


class Test(ScriptTest):
    def test_builds_what_the_preset_tests_and_gives_ctest_its_options_and_the_last_word(self):
        self.tree.stub("nproc", "echo 5")
        code, _, _ = self.tree.run(self.tree.root / "test", "--preset", "dev", "-L", "fast")
        self.assertEqual(code, 8)
        self.assertEqual([c for c in self.tree.calls() if c.startswith("c")], [
            "cmake --preset dev -DLOCKSTEP_TESTS=ON",
            "cmake --build --preset dev --target tests_of_memory",
            "ctest --preset dev --parallel 6 -L fast"])

    def test_takes_the_release_preset_when_none_is_named(self):
        self.tree.run(self.tree.root / "test", "-R", "Ring")
        self.assertRegex(self.tree.calls("ctest")[0], r"--preset release --parallel \d+ -R Ring$")

    def test_installs_once_what_debian_does_not_have_and_goes_on_without_it(self):
        offline = self.tree.stubs / "offline"
        offline.touch()
        code, _, err = self.tree.run(self.tree.root / "test")
        self.assertEqual(code, 8)
        self.assertIn("warning: cannot install tensorboard==", err)
        self.assertEqual(len(self.tree.calls("pip install")), 1)
        offline.unlink()
        for calls in (1, 0):
            code, _, err = self.tree.run(self.tree.root / "test")
            self.assertEqual((code, err), (8, ""))
            self.assertEqual(len(self.tree.calls("pip install")), calls)


if __name__ == "__main__":
    unittest.main()
