"""Tables of scenes, with the times of their frames."""
import csv
import statistics

from Tables.blurs import OURS
from Tables.results import made, newest, parts, table

# The screens in the table: the number of threads, the budget for a frame in ms, and the column with the
# number of frames over this budget.
SCREENS = {"phone-3x": ("1", 8.3, "frames_over_120_hz"), "desktop-4k": ("2", 16.7, "frames_over_60_hz")}


def record():
    return newest("scenes.csv")


def passes(device):
    """Yields, for each pass through a scene on this device with our kernel, the name of the scene and the row
    of its record."""
    threads, *_ = SCREENS[device]
    for row in csv.DictReader(record().open()):
        case = parts(row["name"])
        if (case["kernel"], case["threads"]) == (OURS, threads) and row["frame_p99_ns"]:
            scene, screen = case["scene"].split("@")
            if screen == device:
                yield scene, row


def late(device):
    """Returns, for each scene, the longer 99th percentile of its passes in ms, the largest number of frames
    over the budget in a pass, and the number of all frames."""
    _, _, column = SCREENS[device]
    found = {}
    for scene, row in passes(device):
        worst = float(row["frame_p99_ns"]) / 1e6, int(row[column])
        found[scene] = *map(max, zip(worst, found.get(scene, worst))), int(row["iterations"])
    return found


def scenes_by_screen():
    """Returns a table of every scene on a phone's screen and on a desktop's screen. Times over the budget are
    bold."""
    columns, heads = [], ["scene"]
    for (device, (_, budget, _)), cores in zip(SCREENS.items(), ("one core", "two cores")):
        columns.append(late(device))
        heads += [f"`{device}`, {cores}", f"frames over {budget} ms"]
    rows = []
    for scene in columns[0]:
        cells = [f"`{scene}`"]
        for column, (_, budget, _) in zip(columns, SCREENS.values()):
            time, over, frames = column[scene]
            text = f"{time:.1f}"
            cells += [f"**{text}**" if time > budget else text, f"{over} of {frames}" if over else "0"]
        rows.append(cells)
    return table(heads, rows)


def scenes_made():
    """Returns the day and the kernels revision of the record."""
    return made(record())


def many_cards():
    """Returns the median times of a frame at 4K in ms. In the first half of the scene each card has its own
    blur, and in the second half all cards share one blur."""
    times = [[float(time) / 1e3 for time in row["frame_times_us"].split()]
             for scene, row in passes("desktop-4k") if scene == "many-cards"]
    half = len(times[0]) // 2
    halves = slice(0, half), slice(half, None)
    return [f"{statistics.median(t for one in times for t in one[part]):.1f}" for part in halves]
