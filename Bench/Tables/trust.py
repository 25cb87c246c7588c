"""Tables of how reliable the verdicts, the choices and the checks are."""
import json
import textwrap

from Tables.results import ROOT, figures, made, made_by_commit, newest, stated, table

# ---- compare

def phases():
    """Returns the phases of the newest calibration: without and with planted slowdowns."""
    return json.loads(newest("calibrate.json").read_text())["phases"]


def calibration_made():
    return made(newest("calibrate.json"))


def calibration():
    """Returns a table of what `calibrate` found, in comparisons without and with planted slowdowns."""
    heads = ["planted", "threshold", "comparisons", "ended in 4", "cases", "said to differ",
             "proven the same", "seconds each"]
    rows = []
    for phase in phases():
        said = {word: phase["verdicts"].get(word, 0) for word in ("regressed", "improved", "same")}
        rows.append([
            f"{100 * phase['planted']:.0f} %" if phase["planted"] else "nothing",
            f"{100 * phase['threshold']:.0f} %", phase["comparisons"], phase.get("undecided", ""),
            phase["cases"], said["regressed"] + said["improved"], said["same"],
            f"{phase['seconds'] / phase['comparisons']:.0f}",
        ])
    return table(heads, rows)


def false_alarms():
    """Returns the number of comparisons, and the largest share of comparisons in percent that may have a
    false alarm, although none of these had one."""
    identical = phases()[0]
    count = identical["comparisons"]
    if identical["differing"]:
        raise ValueError("COMPARING.md says that there was no false alarm, and there was: write it anew")
    # The one-sided bound by Clopper and Pearson for no event, with a confidence of 95 %.
    return count, f"{100 * (1 - 0.05 ** (1 / count)):.1f}"


def power():
    """Returns the share of the slowdowns by 5 % that was found, in percent."""
    slowed = phases()[1]
    return (f"{100 * slowed['verdicts']['regressed'] / slowed['cases']:.1f}",)


def findable():
    """Returns the smallest and the largest slowdown that a case could have found, in percent."""
    could = phases()[0]["detectable"].values()
    return tuple(f"{100 * share:.1f}" for share in (min(could), max(could)))


def comment():
    """Returns the comment on a pull request, without the text after its table."""
    text = newest("ci-comment.md").read_text()
    lines = text.splitlines()
    last = max(number for number, line in enumerate(lines) if line.startswith("| "))
    whole = (line if line.startswith("|") else textwrap.fill(line, 110, break_on_hyphens=False)
             for line in lines[:last + 1])
    return ["---", "", *whole, "", "---"]


def comment_date():
    """Returns the day of the comment. The comment is an example of output, and names no kernels revision."""
    stated.add(file := newest("ci-comment.md"))
    return (file.name[:10],)


# ---- tune

METHODS = ("null", "estimate", "measured")


def regret_names():
    """Returns the names of the regrets, one for each seed."""
    return sorted({file.name[11:-5] for file in (ROOT / "Results").glob("*/????-??-??-regret-*.json")})


def regrets():
    """Returns the newest regret of each seed."""
    return [figures(name) for name in regret_names()]


def regret():
    """Returns a table of the mean and the worst regret of the choices, by seed."""
    heads = ["seed", "always `pyramid`: mean, worst", "estimate: mean, worst", "measured: mean, worst"]
    cell = lambda mean: f"{mean['geometric_mean']:.3f}, {mean['worst']:.3f}"
    return table(heads, [[found["seed"], *(cell(found[name]) for name in METHODS)] for found in regrets()])


def regret_count():
    return (regrets()[0]["count"],)


def regret_made():
    """Returns the day and the kernels revision of all regrets."""
    (day_and_revision,) = {made(newest(f"{name}.json")) for name in regret_names()}
    return day_and_revision


def regret_cases():
    """Returns how many choices by estimate are above the goal, and how many choices there are."""
    rows = [row for found in regrets() for row in found["rows"]]
    return sum(row["estimate"]["regret"] > 1.3 for row in rows), len(rows)


# ---- verify

def planted_mistakes():
    return ((ROOT / "Tests/mutants/mutants.toml").read_text().splitlines().count("[[mutant]]"),)


def mutants():
    """Returns how many mutants `verify` alone finds, how many there are, the share in percent, the day, and
    the commit."""
    killed = [mutant["killed"] for mutant in figures("mutants")["mutants"].values()]
    share = f"{100 * sum(killed) / len(killed):.0f}"
    return sum(killed), len(killed), share, *made_by_commit("mutants.json")
