"""Tables of how reliable the verdicts, the choices and the checks are."""
import json
import textwrap

from Tables.results import ROOT, figures, newest_of_all, newest_of_each, origin, table

# ---- compare

def calibrations():
    return [(file, json.loads(file.read_text())["phases"]) for file in newest_of_each("calibrate.json")]


def calibration():
    """Returns a table of what `calibrate` found, in comparisons without and with planted slowdowns."""
    heads = ["machine", "planted", "threshold", "comparisons", "ended in 4", "cases", "said to differ",
             "proven the same", "seconds each"]
    rows = []
    for file, phases in calibrations():
        for phase in phases:
            said = {word: phase["verdicts"].get(word, 0) for word in ("regressed", "improved", "same")}
            rows.append([
                f"[{file.parent.name}](../{file.relative_to(ROOT).with_suffix('.txt')})",
                f"{100 * phase['planted']:.0f} %" if phase["planted"] else "nothing",
                f"{100 * phase['threshold']:.0f} %", phase["comparisons"], phase.get("undecided", ""),
                phase["cases"],
                said["regressed"] + said["improved"], said["same"],
                f"{phase['seconds'] / phase['comparisons']:.0f}",
            ])
    return table(heads, rows)


def shown():
    """Returns the phases of the calibration that the sentences of the page are about."""
    return calibrations()[0][1]


def false_alarms():
    """Returns the number of comparisons, and the largest share of comparisons in percent that may have a
    false alarm, although none of these had one."""
    identical = shown()[0]
    count = identical["comparisons"]
    if identical["differing"]:
        raise ValueError("COMPARING.md says that there was no false alarm, and there was: write it anew")
    # The one-sided bound by Clopper and Pearson for no event, with a confidence of 95 %.
    return count, f"{100 * (1 - 0.05 ** (1 / count)):.1f}"


def undecided():
    """Returns the number of comparisons of identical builds that ended undecided, and the number of their
    undecided cases."""
    identical = shown()[0]
    return identical["undecided"], identical["verdicts"]["can't tell"]


def power():
    """Returns the share of the slowdowns by 5 % that was found, in percent."""
    slowed = shown()[1]
    return (f"{100 * slowed['verdicts']['regressed'] / slowed['cases']:.1f}",)


def findable():
    """Returns the smallest and the largest slowdown that a case could have found, in percent."""
    could = shown()[0]["detectable"].values()
    return tuple(f"{100 * share:.1f}" for share in (min(could), max(could)))


def comment():
    """Returns the comment on a pull request, without the text after its table."""
    text = newest_of_all("ci-comment.md").read_text()
    lines = text.splitlines()
    last = max(number for number, line in enumerate(lines) if line.startswith("| "))
    whole = (line if line.startswith("|") else textwrap.fill(line, 110, break_on_hyphens=False)
             for line in lines[:last + 1])
    return ["---", "", *whole, "", "---"]


def comment_date():
    return (newest_of_all("ci-comment.md").name[:10],)


# ---- tune

METHODS = ("null", "estimate", "measured")


def regrets():
    """Returns the newest regret of each seed."""
    folders = [folder for folder in (ROOT / "Results").iterdir() if folder.is_dir()]
    names = {file.name[11:-5] for folder in folders for file in folder.glob("????-??-??-regret-*.json")}
    return sorted((figures(name) for name in names), key=lambda found: found["seed"])


def regret():
    """Returns a table of the mean and the worst regret of the choices, by seed."""
    heads = ["seed", "always `pyramid`: mean, worst", "estimate: mean, worst", "measured: mean, worst"]
    cell = lambda mean: f"{mean['geometric_mean']:.3f}, {mean['worst']:.3f}"
    return table(heads, [[found["seed"], *(cell(found[name]) for name in METHODS)] for found in regrets()])


def regret_of():
    """Returns the number of problems of a seed, and the day of the measurement."""
    return regrets()[0]["count"], origin(regrets()[-1], "date")[:10]


def regret_cases():
    """Returns how many choices by estimate are above the goal, and how many choices there are."""
    rows = [row for found in regrets() for row in found["rows"]]
    return sum(row["estimate"]["regret"] > 1.3 for row in rows), len(rows)


# ---- verify

def planted_mistakes():
    return ((ROOT / "Tests/mutants/mutants.toml").read_text().splitlines().count("[[mutant]]"),)


def mutants():
    """Returns how many mutants `verify` alone finds, how many there are, the share in percent, and the
    day."""
    found = figures("mutants")
    killed = [mutant["killed"] for mutant in found["mutants"].values()]
    share = f"{100 * sum(killed) / len(killed):.0f}"
    return sum(killed), len(killed), share, origin(found, "date")[:10]


def survivors():
    living = [mutant for mutant in figures("mutants")["mutants"].values() if not mutant["killed"]]
    words = "no one two three four five six seven eight nine ten eleven twelve".split()
    return (words[len(living)],)


def unseen():
    found = figures("mutants-unseen")
    return found["written"], found["found"]
