"""Makes the pictures in docs: of a report, of a scene, and of the page that runs in browsers."""
import hashlib
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

from Tables.results import ROOT, newest

# The largest size of a picture, in bytes. Larger files are slow to load and to clone.
MOST_BYTES = 300_000


def screenshot(page, size, file, *expressions):
    """Saves a picture of the top of a page in a window of this size, after evaluating JavaScript
    expressions."""
    steps = [{"width": size[0], "height": size[1]}, *({"eval": text} for text in expressions)]
    steps.append({"screenshot": str(file)})
    browse = ROOT / "Tests/BlurReportTests/Browser/browse.py"
    words = {"input": json.dumps(steps), "check": True, "capture_output": True, "text": True}
    if complaints := json.loads(subprocess.run([sys.executable, browse, page], **words).stdout)["complaints"]:
        sys.exit(f"Bench/readme: {page}: the browser complains: {complaints}")


def program():
    return os.environ.get("BLURBENCH", ROOT / ".build/release/blurbench")


def report(folder, file):
    records = [newest("peers.csv"), newest("certificates.csv")]
    subprocess.run([program(), "report", *records, "--output", folder / "report.html"], check=True)
    screenshot(folder / "report.html", (1180, 1180), file)


def scene(folder, file):
    words = ["--device", "phone-2x", "--frames", "/10", "--folder", folder / "scene"]
    subprocess.run([program(), "scene", "modal-over-split-view", *words], check=True)
    sheet = folder / "scene/contact-sheet.png"
    # Photographs take many bytes, so the picture is reduced to two thirds of its width and height. On a page,
    # it shows as much.
    width, height = (side * 2 // 3 for side in struct.unpack(">II", sheet.read_bytes()[16:24]))
    page = folder / "sheet.html"
    page.write_text(f'<body style="margin:0"><img src="{sheet.as_uri()}" width="{width}" height="{height}">')
    screenshot(page, (width, height), file)


def web(folder, file):
    subprocess.run([ROOT / "docs/web/build", folder], check=True)
    # The page is ready when it has timed both kernels and the blur of the browser.
    done = """new Promise(go => {
        const isBusy = () => document.querySelector('#status').dataset.state === 'working'
        const look = () => isBusy() ? setTimeout(look, 100) : go()
        look()
    })"""
    screenshot(folder / "index.html", (1200, 1060), file, done)


# For each NAME, the function that makes docs/NAME.png, and the files that the picture shows. The files of a
# scene are its golden frames, because these change only if the scene looks different. The measured times in a
# picture may be older than the newest results.
RECIPES = {
    "report": (report, ["Sources/BlurReport/Page/*"]),
    "scene": (scene, ["Tests/Goldens/scenes/modal-over-split-view-*.png"]),
    "web": (web, ["docs/web/*"]),
}


def source(name):
    """Returns a chunk for docs/NAME.png with the hash of the files that the picture shows. The text chunks of
    a PNG file are not drawn."""
    hash = hashlib.sha256()
    paths = [path for pattern in RECIPES[name][1] for path in sorted(ROOT.glob(pattern))]
    if not paths:
        sys.exit(f"Bench/readme: {RECIPES[name][1]}: there is no such file")
    for path in paths:
        if path.is_file() and not path.name.startswith("."):
            hash.update(path.name.encode() + b"\0" + path.read_bytes())
    body = b"tEXt" + b"Source\0" + hash.hexdigest()[:16].encode()
    return struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body))


def make(names):
    """Writes docs/NAME.png for each name."""
    for name in names:
        file = ROOT / f"docs/{name}.png"
        with tempfile.TemporaryDirectory() as folder:
            RECIPES[name][0](Path(folder), file)
        picture = file.read_bytes()
        # The signature and the first chunk of a PNG file have 33 bytes.
        file.write_bytes(picture[:33] + source(name) + picture[33:])
        print(f"wrote docs/{name}.png")


def faults(pages):
    """Yields the faults of the pictures on the pages: PNG files without a recipe, files that no page shows,
    and files that are missing, too large, or made before a file that they show was changed."""
    shown = set()
    for page in pages:
        for path in re.findall(r"!\[[^\]]*\]\(([^)\s]+\.png)\)", page.read_text()):
            shown.add((page.parent / path).resolve().relative_to(ROOT))
    made = {Path(f"docs/{name}.png") for name in RECIPES}
    for path in sorted(shown | made):
        if path not in made:
            yield f"{path} has no recipe in Bench/Tables/pictures.py"
        elif path not in shown:
            yield f"{path} is made, and no page shows it"
        elif not (ROOT / path).is_file():
            yield f"{path} is not there; run Bench/readme --pictures={path.stem}"
        elif (size := (ROOT / path).stat().st_size) > MOST_BYTES:
            yield f"{path} has {size} bytes, more than {MOST_BYTES}"
        elif source(path.stem) not in (ROOT / path).read_bytes():
            yield f"{path} shows files that were changed later; run Bench/readme --pictures={path.stem}"
