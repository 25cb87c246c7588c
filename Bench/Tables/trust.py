"""Tables of how far verdicts, choices and checks are to be trusted."""
import json
import textwrap

from Tables.results import ROOT, figures, newest_of_all, newest_of_each, origin, table

# ---- compare

def calibrations():
    return [(file, json.loads(file.read_text())["phases"]) for file in newest_of_each("calibrate.json")]


def calibration():
    """What `calibrate` found, of whole comparisons with nothing or something planted."""
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
    """The phases of the calibration that the page's sentences are about."""
    return calibrations()[0][1]


def false_alarms():
    """Comparisons, and at most which share has an alarm though none did, in %."""
    identical = shown()[0]
    count = identical["comparisons"]
    if identical["differing"]:
        raise ValueError("COMPARING.md says that there was no false alarm, and there was: write it anew")
    # Clopper and Pearson, one-sided, 95 %, for no event.
    return count, f"{100 * (1 - 0.05 ** (1 / count)):.1f}"


def doubts():
    """Comparisons of identical builds that could not tell, and the cases because of which."""
    identical = shown()[0]
    return identical["undecided"], identical["verdicts"]["can't tell"]


def power():
    """Which share of slowdowns by 5 % was found, in %."""
    slowed = shown()[1]
    return (f"{100 * slowed['verdicts']['regressed'] / slowed['cases']:.1f}",)


def planted():
    """What was measured of what was planted, in percent."""
    return tuple(f"{100 * phase['median_ratio'] - 100:.1f}" for phase in shown()[1:])


def findable():
    """The least and the largest effect that a case could find, in percent."""
    could = shown()[0]["detectable"].values()
    return tuple(f"{100 * share:.1f}" for share in (min(could), max(could)))


def comment():
    """The comment on a pull request, without what follows its table."""
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
    """The newest regret of each seed."""
    folders = [folder for folder in (ROOT / "Results").iterdir() if folder.is_dir()]
    names = {file.name[11:-5] for folder in folders for file in folder.glob("????-??-??-regret-*.json")}
    return sorted((figures(name) for name in names), key=lambda found: found["seed"])


def regret():
    """Means and worst cases of choices, by seed."""
    heads = ["seed", "always `pyramid`: mean, worst", "estimate: mean, worst", "measured: mean, worst"]
    cell = lambda mean: f"{mean['geometric_mean']:.3f}, {mean['worst']:.3f}"
    return table(heads, [[found["seed"], *(cell(found[name]) for name in METHODS)] for found in regrets()])


def regret_of():
    """How many problems of a seed, and when."""
    return regrets()[0]["count"], origin(regrets()[-1], "date")[:10]


def regret_cases():
    """Choices by estimate above the goal, and of how many."""
    rows = [row for found in regrets() for row in found["rows"]]
    return sum(row["estimate"]["regret"] > 1.3 for row in rows), len(rows)


# ---- verify

def planted_mistakes():
    return ((ROOT / "Tests/mutants/mutants.toml").read_text().splitlines().count("[[mutant]]"),)


def mutants():
    """Found by `verify` alone, of how many, in percent, and when."""
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


def properties():
    """What each property finds: how many mutants, how many alone, and of which classes."""
    found = figures("mutants")
    mutants = found["mutants"].values()
    classes = list(dict.fromkeys(mutant["class"] for mutant in mutants))
    rows = []
    for name in found["properties"]:
        by = [mutant for mutant in mutants if name in mutant["found_by"]]
        alone = sum(mutant["found_by"] == [name] for mutant in by)
        ours = [one for one in classes if any(mutant["class"] == one for mutant in by)]
        others = [one for one in classes if one not in ours]
        text = ", ".join(ours) if len(ours) <= len(others) else "all but " + ", ".join(others)
        if by:
            rows.append([f"`{name}`", len(by), alone or "", text])
    return table(["property", "finds", "alone", "of the classes"], sorted(rows, key=lambda row: -row[1]))
