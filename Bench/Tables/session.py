"""Updates the output of `blurbench verify` in README.md, whose figures change with every check that is
added."""
import os
import re
import shlex
import subprocess
import sys
import tempfile

from Tables.pictures import program
from Tables.results import ROOT

# The last line of the output of `blurbench verify`.
SUMMARY = re.compile(r"^( *)\d+ checks: .*$", re.M)


def said(*words):
    """Returns what a command prints, even if the command fails."""
    return subprocess.run(words, capture_output=True, text=True, cwd=ROOT).stdout


def renew():
    """Builds the template with the command that README.md shows, verifies it, and writes the last line of the
    output to README.md."""
    readme = ROOT / "README.md"
    page, blurbench = readme.read_text(), os.path.abspath(program())
    compiler = re.search(r"^cc .*template\.c -o template\.so.*$", page, re.M)
    if not compiler or not SUMMARY.search(page):
        sys.exit("Bench/readme: README.md shows no 'cc … template.c -o template.so', or no 'N checks: …'")
    if "build: debug" in said(blurbench, "--version"):
        sys.exit(f"Bench/readme: {blurbench} is a debug build, which gets less far; BLURBENCH=… names one")
    with tempfile.TemporaryDirectory() as folder:
        library = f"{folder}/template.so"
        words = shlex.split(compiler[0].replace("-o template.so", f"-o {library}"))
        subprocess.run(words, check=True, cwd=ROOT)
        printed = said(blurbench, "verify", "--plugin", library)
    found = SUMMARY.findall(printed) and SUMMARY.search(printed)[0].strip()
    if not found or " 0 failed" not in found:
        sys.exit(f"Bench/readme: verify says of the template:\n{printed[-2000:]}")
    readme.write_text(SUMMARY.sub(lambda match: match[1] + found, page, count=1))
    print(f"README.md: {found}")
