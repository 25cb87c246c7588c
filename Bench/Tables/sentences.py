"""Figures in sentences of README and docs. A page must contain the sentence, in which each `{}` stands for a
figure."""
import re

from Tables import blurs, headroom, scenes, trust

README, ABLATION, COMPARING = "README.md", "docs/dev/ABLATION.md", "docs/COMPARING.md"
METHODOLOGY, SCENES, VERIFICATION = "docs/METHODOLOGY.md", "docs/SCENES.md", "docs/VERIFICATION.md"

# The page, the sentence or a part of it, and the function that returns the figures. On the page, the sentence
# may be broken into lines anywhere.
SENTENCES = [
    (README, "pyramid takes {} times as long as a memcpy, OpenCV's GaussianBlur {} times",
     blurs.picture_in_words),
    (README, "with AVX-512, on {}, by `blurbench run", blurs.race_date),
    (README, "measured on 2 virtual CPUs with AVX-512, on {}:", blurs.first_run_date),
    (README, "release build, on {}. The peers", blurs.race_date),
    (README, "faster than `pyramid` in one case: {} {}, sigma {}.", blurs.recipe_wins),
    (README, "{} planted mistakes test the tests", trust.planted_mistakes),
    (ABLATION, "in release builds, on {}. The measurement", lambda: headroom.day("ablation")),
    (ABLATION, "of family 26 (Zen 5) on {}. The shares", lambda: headroom.day("profile")),
    (ABLATION, "in release builds, on {}, on one thread at {} GHz", headroom.clock),
    (ABLATION, "llvm-mca 19.1.7 on {}. The models", lambda: headroom.day("neon")),
    ("docs/CI.md", "2 virtual CPUs of an AMD EPYC, {}):", trust.comment_date),
    (COMPARING,
     "None of the {} comparisons of equivalent builds had a false alarm. With 95 % confidence, at most {} % "
     "of such comparisons have one.", trust.false_alarms),
    (COMPARING,
     "{} comparisons of equivalent builds ended in exit code 4, \"cannot tell\", because the machine's noise "
     "left {} cases undecided.", trust.undecided),
    (COMPARING, "which is exactly the threshold, {} % were found", trust.power),
    (COMPARING, "smallest slowdown that would have been found was {} to {} %", trust.findable),
    (VERIFICATION, "for sigma 1 to 20 lie between {} and {} levels.", blurs.errors_in_8_bits),
    ("docs/KERNELS.md", "(Zen 4) on {}. Each cell", lambda: headroom.day("variable")),
    (METHODOLOGY, "`lab regret --seed S --count {}`", lambda: trust.regret_of()[:1]),
    (METHODOLOGY, "Swift 6.3.1, release build, {}. No constant was fitted", lambda: trust.regret_of()[1:]),
    (METHODOLOGY, "{} cases of {} are above 1.3", trust.regret_cases),
    ("docs/RESULTS.md", "A peer wins {} of {} cells on one thread, and {} of {} on two threads.",
     blurs.lost_cells),
    ("docs/RESULTS.md", "With these edge modes a peer wins {} of {} cells", blurs.lost_by_edge),
    ("docs/RESULTS.md",
     "recipe is {} to {} levels off. It takes {} to {} times as long as `pyramid` in 8-bit formats, and "
     "{} to {} times as long in float formats. There is one exception: the recipe takes {} times as long as "
     "`pyramid` at {} {} and sigma {}.", blurs.recipe),
    ("docs/RESULTS.md", "release build, on {}, by the command", blurs.race_date),
    ("docs/RESULTS.md", "which promise no error bound, are up to {} times as fast as `box-triple`.",
     blurs.boxes),
    ("docs/RESULTS.md", "Kornia takes {} to {} times as long as our fastest kernel at sigma 1", blurs.kornia),
    (SCENES, "Swift 6.3.1, release build, {}). Each time is the 99th percentile", scenes.measured_on),
    (SCENES,
     "newer EPYC (Zen 5, {}, `blurbench run --suite scenes`), the slowest scene has a 99th "
     "percentile of {} ms "
     "on the phone's screen and {} ms at 4K",
     scenes.slowest),
    (SCENES, "at 4K takes {} ms per frame while each of dozens of cards", scenes.many_cards_apart),
    (SCENES, "serves all cards, and a frame takes {} ms.", scenes.many_cards_together),
    (VERIFICATION,
     "`verify` alone finds {} of {} planted mistakes ({} %), and `verify` and the unit tests together find "
     "all** ({},",
     trust.mutants),
    (VERIFICATION, "today {} mistakes are planted.", trust.planted_mistakes),
    (VERIFICATION, "`verify` does not find {} of the mistakes", trust.survivors),
    (VERIFICATION, "{} of the planted mistakes were written without regard to", lambda: trust.unseen()[:1]),
    (VERIFICATION, "At first, `verify` found {} of these {} mistakes.", lambda: trust.unseen()[::-1]),
]


def with_figures(text, sentence, figures):
    """Returns the text with the figures in that sentence, or None if the text does not contain the sentence
    exactly once."""
    pieces = [re.escape(piece) for piece in sentence.split("{}")]
    pattern = re.sub(r"(\\ )+", r"\\s+", r"([^\s()]+?)".join(pieces))
    matches = list(re.finditer(pattern, text))
    if len(matches) != 1:
        return None
    for group in range(len(figures), 0, -1):
        text = text[:matches[0].start(group)] + str(figures[group - 1]) + text[matches[0].end(group):]
    return text
