"""Finds the committed results, reads records, and writes figures that are not records."""
import csv
import functools
import json
import os
import re
import shlex
import statistics
import subprocess
from datetime import datetime, timezone
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MACHINES = ROOT / "Results"
# The results that the page at hand uses, and those of which it says when they were made, and with which
# kernels.
used, stated = set(), set()


def newest(name):
    """Returns the newest file DATE-NAME of all machines, or None if there is no such file."""
    files = [file for file in MACHINES.glob(f"*/????-??-??-{name}") if file.parent.name != "local"]
    found = max(files, key=lambda file: (file.name, file.parent.name), default=None)
    used.update({found} - {None})
    return found


def made(file, by="kernels revision"):
    """Returns the day on which a file of results was made, and the kernels revision or the git revision."""
    stated.add(file)
    revision = described(file, by)
    return file.name[:10], revision.split(".")[0] if by == "kernels revision" else revision[:7]


def described(file, key):
    """Returns the value of the line `key` in the text that says how a file of results was made."""
    if file.suffix == ".json" and "provenance" in (document := json.loads(file.read_text())):
        lines = document["provenance"]
    else:
        lines = (file.parent / (file.stem.removesuffix("-output") + ".txt")).read_text().splitlines()
    return next(line.split(": ", 1)[1] for line in lines if line.startswith(key + ": "))


def made_by_commit(name):
    """Returns the day on which the newest results DATE-NAME of all machines were made, and the commit."""
    return made(newest(name), by="git revision")


def kernels_revision():
    """Returns the number of today's kernels revision."""
    source = (ROOT / "Sources/Blur/Kernel/Registry.swift").read_text()
    return re.search(r"costRevision = (\d+)", source)[1]


def parts(name):
    """Returns the parts of a case's name, in their order."""
    return dict(part.split("=", 1) for part in name.split("/") if "=" in part)


@functools.cache
def medians(path):
    """Returns, for each case of a file, the parts of its name, its median in milliseconds, and its error in
    levels. Each file is read only once, because many tables need the same file."""
    samples, errors = {}, {}
    with path.open() as file:
        rows = csv.reader(file)
        columns = next(rows)
        name, time, error = map(columns.index, ("name", "real_time", "max_error_levels"))
        for row in rows:
            if row[time]:
                samples.setdefault(row[name], []).append(float(row[time]))
                errors[row[name]] = float(row[error])
    return [(parts(name), statistics.median(times) / 1e6, errors[name]) for name, times in samples.items()]


def cases(path, threads="1", edge="clamp", alpha=None):
    """Returns the cases of a file with this number of threads, this edge mode and this kind of alpha, in the
    form that `medians` returns. Premultiplied alpha is None."""
    wanted = threads, edge, alpha
    return [case for case in medians(path)
            if (case[0]["threads"], case[0]["edge"], case[0].get("alpha")) == wanted]


def table(heads, rows):
    """Returns a table in Markdown, as a list of lines."""
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    return lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows]


# ---- Figures that are not records of `blurbench run`: JSON with the keys "figures" and "provenance".

def figures(name):
    """Returns the newest figures DATE-NAME.json of all machines."""
    return json.loads(newest(name + ".json").read_text())


def origin(figures, key):
    """Returns the value of a line in the provenance, or an empty string if there is no such line."""
    return next((line.split(": ", 1)[1] for line in figures["provenance"] if line.startswith(key + ":")), "")


def write_figures(path, kind, words, data):
    """Writes what a command measured to a JSON file: the kind of the figures, the words of the command, and
    the data."""
    document = {"figures": kind, "provenance": provenance(words), **data}
    Path(path).write_text(pretty(document) + "\n")
    print(f"wrote {path}")


def provenance(words):
    said = lambda *words: subprocess.run(words, cwd=ROOT, capture_output=True, text=True).stdout.strip()
    with open("/proc/cpuinfo") as file:
        facts = dict(re.findall(r"^(cpu family|model|model name)\s*: (.*)$", file.read(), re.M))
    changed = ", with uncommitted changes" if said("git", "status", "--porcelain", "-uno") else ""
    return [
        "date: " + datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "command: " + shlex.join(words),
        f"cpu: {facts['model name']} family {facts['cpu family']} model {facts['model']}",
        f"cores: {os.cpu_count()}",
        f"git revision: {said('git', 'rev-parse', 'HEAD')}{changed}",
        "compiler: " + said("swift", "--version").partition("\n")[0],
    ]


def pretty(value, depth=0):
    """Returns JSON text. A value that fits on one line is written on one line."""
    flat = json.dumps(value, ensure_ascii=False)
    if len(flat) + 2 * depth <= 100 or not isinstance(value, (dict, list)):
        return flat
    pad, end = "\n" + "  " * (depth + 1), "\n" + "  " * depth
    if isinstance(value, dict):
        name = lambda key: json.dumps(key, ensure_ascii=False)
        inner = [f"{name(key)}: {pretty(item, depth + 1)}" for key, item in value.items()]
        return "{" + pad + f",{pad}".join(inner) + end + "}"
    return "[" + pad + f",{pad}".join(pretty(item, depth + 1) for item in value) + end + "]"
