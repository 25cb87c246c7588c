"""Builds the C library with Swift's runtime inside, and puts it into the wheel."""

import subprocess
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = ROOT / ".build/python"


class BuildWithLibrary(build_py):
    def run(self):
        super().run()
        build = [ROOT / "Bench/install-library", "--build"]
        answer = subprocess.run(build, check=True, text=True, stdout=subprocess.PIPE)
        target = Path(self.build_lib) / "blur/libBlurC.so"
        subprocess.run(["install", "--strip", answer.stdout.strip(), target], check=True)


class ForThisMachine(Distribution):
    def has_ext_modules(self):
        return True


BUILD.mkdir(parents=True, exist_ok=True)
setup(
    cmdclass={"build_py": BuildWithLibrary}, distclass=ForThisMachine,
    options={"build": {"build_base": str(BUILD)}, "egg_info": {"egg_base": str(BUILD)}})
