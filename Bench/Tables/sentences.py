"""Figures in sentences of README and docs. A page must contain the sentence, in which each `{}` stands for a
figure."""
import re

from Tables import blurs, once, scenes, trust
from Tables.results import kernels_revision, made, made_by_commit, newest

README, ABLATION, COMPARING = "README.md", "docs/dev/ABLATION.md", "docs/COMPARING.md"
METHODOLOGY, RESULTS, SCENES = "docs/METHODOLOGY.md", "docs/RESULTS.md", "docs/SCENES.md"
VERIFICATION = "docs/VERIFICATION.md"

# The page, the sentence or a part of it, and the function that returns the figures. On the page, the sentence
# may be broken into lines anywhere.
SENTENCES = [
    (README, "pyramid takes {} times as long as a memcpy, OpenCV's GaussianBlur {} times",
     blurs.picture_in_words),
    (README, "with AVX-512, on {} with [kernels revision](docs/REFERENCE.md#files-of-a-run) {}, by "
     "`blurbench run", blurs.race),
    (README, "machine of the chart, on {} with kernels revision {}, it printed:", blurs.first_run_made),
    (README, "closest other library is IPP by Intel (`{}`): at {} {}, sigma {}, it takes {} times as long as",
     blurs.closest),
    (README, "OpenCV, Pillow or SciPy in {} of {} cases, and with cold caches in {} of {} (on {} with "
     "kernels revision {},", once.in_words),
    (README, "{} planted mistakes test the tests", trust.planted_mistakes),
    (ABLATION, "in release builds, on {} by commit {}. Noise changes",
     lambda: made_by_commit("ablation.json")),
    ("docs/CI.md", "2 virtual CPUs of an AMD EPYC, {}):", trust.comment_date),
    (COMPARING,
     "None of the {} comparisons of equivalent builds had a false alarm. With 95 % confidence, at most {} % "
     "of such comparisons have one.", trust.false_alarms),
    (COMPARING, "which is exactly the threshold, {} % were found", trust.power),
    (COMPARING, "smallest slowdown that would have been found was {} to {} %", trust.findable),
    (VERIFICATION, "in this record lie between {} and {} levels.", blurs.errors_in_8_bits),
    ("docs/KERNELS.md", "(Zen 4) on {} by commit {}. Each cell", lambda: made_by_commit("variable.json")),
    (METHODOLOGY, "`lab regret --seed S --count {}`", trust.regret_count),
    (METHODOLOGY, "release build, {}, [kernels revision](REFERENCE.md#files-of-a-run) {}. It always chose",
     trust.regret_made),
    (METHODOLOGY, "{} cases of {} are above 1.3, on 2 virtual CPUs", trust.regret_cases),
    (RESULTS, "A peer wins {} of {} cells on one thread, and {} of {} on two threads.",
     blurs.lost_cells),
    (RESULTS, "{} % of all samples were marked as disturbed", blurs.disturbed),
    (RESULTS, "at sigma 2 and 10, the fastest peer takes {} to {} times as long as `pyramid`.",
     blurs.straight),
    (RESULTS, "With these edge modes a peer wins {} of {} cells", blurs.lost_by_edge),
    (RESULTS,
     "recipe is {} to {} levels off. It takes {} to {} times as long as `pyramid` in 8-bit formats, and "
     "{} to {} times as long in float formats.", blurs.recipe),
    (RESULTS, "measured on {} with [kernels revision](REFERENCE.md#files-of-a-run) {}, by the command",
     blurs.race),
    (RESULTS, "on the same machine, on {} with kernels revision {}, by the",
     lambda: made(newest("peers-edges.csv"))),
    (RESULTS, "on the same machine on {} with kernels revision {} (records `peers-others`)",
     lambda: made(newest("peers-others.csv"))),
    (RESULTS, "The closest peer is {} (Intel's library): at {} {}, sigma {}, it takes {} times as long.",
     blurs.closest),
    (RESULTS, "which promise no error bound, are up to {} times as fast as `box-triple`.",
     blurs.boxes),
    (RESULTS, "Kornia takes {} to {} times as long as our fastest kernel at sigma 1, and the other five "
     "take at least {} times as long.", blurs.others),
    (SCENES, "release build, {}, [kernels revision](REFERENCE.md#files-of-a-run) {}). The columns",
     scenes.scenes_made),
    (SCENES, "at 4K takes {} ms if each card blurs its own part of the screen, and {} ms if one blur serves "
     "all cards (medians).", scenes.many_cards),
    (VERIFICATION,
     "`verify` alone finds {} of {} planted mistakes ({} %), and `verify` and the unit tests together find "
     "all** ({}, commit {},",
     trust.mutants),
    (VERIFICATION, "today {} mistakes are planted.", trust.planted_mistakes),
    (VERIFICATION, "EPYC (Zen 4) with AVX-512, on {} by commit {}:",
     lambda: made_by_commit("certificates.csv")),
    (COMPARING, "(Zen 5), on {} with [kernels revision](REFERENCE.md#files-of-a-run) {}:",
     trust.calibration_made),
    ("docs/REFERENCE.md", "the current number is {}.", lambda: [kernels_revision()]),
]


def pattern(sentence):
    """Returns the regular expression of a sentence. It has a group for each figure."""
    pieces = [re.escape(piece) for piece in sentence.split("{}")]
    return re.sub(r"(\\ )+", r"\\s+", r"([^\s()]+?)".join(pieces))


def without_figures(text, page):
    """Returns the text of a page without the sentences that have figures."""
    for _, sentence, _ in (entry for entry in SENTENCES if entry[0] == page):
        text = re.sub(pattern(sentence), "", text)
    return text


def with_figures(text, sentence, figures):
    """Returns the text with the figures in that sentence, or None if the text does not contain the sentence
    exactly once."""
    matches = list(re.finditer(pattern(sentence), text))
    if len(matches) != 1:
        return None
    for group in range(len(figures), 0, -1):
        text = text[:matches[0].start(group)] + str(figures[group - 1]) + text[matches[0].end(group):]
    return text
