"""Tables of scenes, with the times of their frames."""
import csv
import statistics

from Tables.blurs import OURS
from Tables.results import made, newest_of_all, parts, table

BUDGET = {"phone": 8.3, "desktop": 16.7}


def passes(file):
    """Yields, for each pass of a scene, the parts of its name and the row of its record."""
    for row in csv.DictReader(file.open()):
        if row["frame_p99_ns"] and "scene" in (case := parts(row["name"])):
            yield case, row


def scene_times(file):
    """Returns the longest median and the longest 99th percentile of a pass in ms, by kernel, threads, scene
    and device."""
    found = {}
    for case, row in passes(file):
        key = case["kernel"], case["threads"], *case["scene"].split("@")
        times = [float(row[column]) / 1e6 for column in ("frame_p50_ns", "frame_p99_ns")]
        found[key] = list(map(max, zip(times, found.get(key, times))))
    return found


def slowest():
    """Returns the day and the kernels revision of the newest run on all devices, and the longest 99th
    percentile on a phone and at 4K, in ms."""
    file = newest_of_all("scenes.csv")
    times = scene_times(file)
    longest = lambda threads, device: max(
        p99 for (kernel, *case, screen), (_, p99) in times.items()
        if (kernel, case[0], screen) == (OURS, threads, device))
    return *made(file), *(f"{longest(*of):.1f}" for of in (("1", "phone-3x"), ("2", "desktop-4k")))


# ---- The newest records of each screen

def screen(name):
    return newest_of_all(f"scenes-{name}.csv")


def late(name):
    """Returns, for each scene, the longer 99th percentile of its passes in ms, the largest number of frames
    over the budget in a pass, and the number of all frames."""
    column = {"phone": "frames_over_120_hz", "desktop": "frames_over_60_hz"}[name]
    found = {}
    for case, row in passes(screen(name)):
        if case["kernel"] == OURS:
            scene = case["scene"].split("@")[0]
            worst = float(row["frame_p99_ns"]) / 1e6, int(row[column])
            found[scene] = *map(max, zip(worst, found.get(scene, worst))), int(row["iterations"])
    return found


def scenes_by_screen():
    """Returns a table of every scene on a phone's screen and on a desktop's screen."""
    phone, desktop = late("phone"), late("desktop")
    cell = lambda p99, over, frames: [f"{p99:.1f}", f"{over} of {frames}" if over else "0"]
    rows = []
    for scene in phone:
        (time, over), (wide, wide_over) = cell(*phone[scene]), cell(*desktop[scene])
        if desktop[scene][0] > BUDGET["desktop"]:
            wide = f"**{wide}**"
        rows.append([f"`{scene}`", time, over, wide, wide_over])
    heads = ["phone 3x, one core", "frames over 8.3 ms", "desktop 4K, two cores", "frames over 16.7 ms"]
    return table(["scene", *heads], rows)


def screens_made():
    """Returns the day and the kernels revision of the runs on both screens."""
    (day_and_revision,) = {made(screen(name)) for name in BUDGET}
    return day_and_revision


def frames(name, scene):
    """Returns the times of all frames in ms, one list for each pass."""
    rows = [row for case, row in passes(screen(name))
            if case["kernel"] == OURS and case["scene"].startswith(scene + "@")]
    return [[float(time) / 1e3 for time in row["frame_times_us"].split()] for row in rows]


def many_cards():
    """Returns the median times of a frame at 4K in ms. In the first half of the scene each card has its own
    blur, and in the second half all cards share one blur."""
    times = frames("desktop", "many-cards")
    half = len(times[0]) // 2
    halves = slice(0, half), slice(half, None)
    return [f"{statistics.median(t for one in times for t in one[part]):.1f}" for part in halves]


def many_cards_apart():
    return many_cards()[:1]


def many_cards_together():
    return many_cards()[1:]
