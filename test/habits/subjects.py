#!/usr/bin/env python3
"""Fails when the subject of a commit is longer than 72 characters. Commits up to SINCE are older than the rule.

It needs a checkout of git that has this commit; elsewhere, in an archive for instance, it is skipped and says so.
"""
import pathlib
import subprocess
import sys
import tempfile

import habit

SINCE = "094f88cfd229857b0e8a4e24c955f90031d30bca"
MOST = 72


def git(root, *words):
    return subprocess.run(["git", "-c", "safe.directory=*", "-C", str(root), *words], capture_output=True, text=True, check=False)


def check(root, since=SINCE):
    try:
        top = git(root, "rev-parse", "--show-toplevel")
    except FileNotFoundError as e:
        raise habit.Skip("git is not installed (Debian: apt install git)") from e
    if top.returncode != 0 or pathlib.Path(top.stdout.strip()).resolve() != root:
        raise habit.Skip(f"{root} is not a checkout of git, so there are no commits to check")
    if git(root, "merge-base", "--is-ancestor", since, "HEAD").returncode != 0:
        raise habit.Skip(f"the history here does not have {since}, from which on subjects are checked")
    told = git(root, "log", "--no-merges", "--format=%h %s", f"{since}..HEAD")
    if told.returncode != 0:
        return [f"git log: {told.stderr.strip()}"]
    lines = [line.partition(" ") for line in told.stdout.splitlines()]
    print(f"{len(lines)} commits are checked")
    return [f"{commit}: the subject has {len(subject)} characters, more than {MOST}: {subject}" for commit, _, subject in lines
            if len(subject) > MOST]


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder).resolve()

        def skips(wanted, *arguments):
            try:
                return [] if check(root, *arguments) is None else [f"not skipped: {wanted}"]
            except habit.Skip as reason:
                return [] if wanted in str(reason) else [f"skipped for another reason: {reason}"]

        def commit(subject):
            done = git(root, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--allow-empty", "-m", subject)
            assert done.returncode == 0, done.stderr
            return git(root, "rev-parse", "HEAD").stdout.strip()

        findings = skips("is not a checkout")
        assert git(root, "init", "--quiet").returncode == 0
        since = commit("o" * 73)
        commit("g" * MOST)
        findings += skips("does not have")
        findings += [f"found bad: {found}" for found in check(root, since)]
        commit("b" * 73)
        commit("after it")
        found = check(root, since)
        findings += [] if len(found) == 1 and "has 73 characters" in found[0] else [f"73 characters were not found: {found}"]
        (root / "below").mkdir()
        root /= "below"
        return findings + skips("is not a checkout", since)


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        FINDINGS = self_test()
        print("\n".join(FINDINGS) or "nothing found")
        sys.exit(1 if FINDINGS else 0)
    habit.main(check, {}, {})
