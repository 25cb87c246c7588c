// The page itself: its top, and its sections in order.

const buildTop = () => {
  const origins = data.files.map(file => Object.fromEntries(file.origin)).filter(origin => origin.cpu);
  const machines = new Set(origins.map(({ cpu, cores }) => cores ? `${cpu}, ${cores} cores` : cpu));
  const days = [...new Set(origins.map(origin => origin.date?.slice(0, 10)).filter(Boolean))].sort();
  const about = [
    data.files.length && plural(data.files.length, 'file'),
    blurs.length && plural(blurs.length, 'case') + ' with times', ...machines,
    days.length > 1 ? `${days[0]} to ${days.at(-1)}` : days[0],
  ].filter(Boolean);
  const brand = data.home ? h('a', { href: data.home }, 'BlurBench results') : 'BlurBench report';
  document.getElementById('top').append(h('p', { class: 'brand' }, brand),
    h('h1', null, data.sentences[0] ?? 'Nothing was measured.'),
    ...data.sentences.slice(1).map(text => h('p', null, text)),
    h('p', { class: 'about' }, about.join(' · ')));
};
const problems = () => {
  const bad = cases.filter(item => item.state);
  const rank = list => list[0].state === 'wrong' ? 0 : 1;
  const all = [...groups(bad, item => [item.state, item.kernel, item.message].join('\n')).values()]
    .sort((a, b) => rank(a) - rank(b) || b.length - a.length);
  return all.length ? tableOf('not-measured', {
    columns: ['state', 'kernel', 'cases', 'reason', 'first command'],
    rows: all.map(list => [list[0].state, list[0].kernel, list.length, list[0].message, list[0].command]),
  }) : null;
};
const environment = () => data.files.map(file => h('details', { class: 'origin' },
  h('summary', null, `${file.path} (${file.kind})`), file.origin.length
    ? h('dl', null, file.origin.map(([key, value]) => [h('dt', null, key), h('dd', null, value)]))
    : h('p', null, 'No .txt file stands beside it: where it was measured is not known.')));
const notesOf = notes => notes.length
  ? h('ul', { class: 'notes' }, notes.map(note => h('li', null, note))) : null;

const buildComparisons = () => data.comparisons.forEach((comparison, i) => {
  const caption = `${comparison.base} (base) against ${comparison.head} (head). Lines hold the truth in 95 `
    + `of 100 cases; the band is the threshold of ${digits(100 * comparison.threshold)} %.`;
  // One comparison's sentence is the page's title.
  const title = data.comparisons.length > 1 ? comparison.sentence : 'How much each case changed';
  section(`comparison-${i}`, 'Comparison', figure(`forest-${i}`, title, caption, drawForest(comparison)),
    notesOf(comparison.notes));
});
const buildFastest = () => {
  const caption = 'The fastest kernel near the Gaussian, and its lead over the next that is not tied with '
    + 'it. Blue: a kernel of this package; grey: a plug-in; half and half: a tie of both. A click shows the '
    + 'workload below.';
  const title = entry => data.fastest.length > 1 ? nameOfFile(data.files[entry.file].path)
    : 'Of each format, size and sigma';
  section('fastest', 'Fastest kernels', data.fastest.map(entry =>
    figure(`fastest-${entry.file}`, title(entry), caption, drawFastest(entry))));
};
const buildPlots = () => {
  const has = key => new Set(blurs.map(item => item[key])).size > 1;
  section('error-time', 'Error against time', figure('errors', 'Time and error of each kernel',
    () => `${workload()}. Down and to the left is better. The line is the Pareto front: no other kernel is `
      + 'better in both.', drawErrors));
  section('frames', 'Frames',
    blurs.some(item => item.frames.length) && figure('frame-times', 'The time of each frame',
      () => `${state.scene || workload()}. The pass whose 99th percentile is the middle one. `
        + 'Frames above a dashed line are late.', drawFrames),
    scenes.length && figure('lateness', 'Every scene against the screen',
      () => `${plural(state.threads, 'thread')}. The dot is the median frame; the thick line ends at the `
        + '99th percentile, which stands to the right; the thin one at the longest.', drawLateness));
  if (has('sigma')) {
    section('over-sigma', 'Time against sigma', figure('sigmas', 'Time per pixel as sigma grows',
      () => `${workload(['sigma'])}. Both axes are logarithmic; memcpy copies the image once and is the `
        + 'floor.',
      drawSweep('sigma', { title: 'sigma, pixels →' }, 'Time per pixel against sigma')));
  }
  const pixels = { title: 'pixels →', format: value => digits(value / 1e6, 2) + ' M' };
  section('scaling', 'Scaling',
    has('size') && figure('sizes', 'Over the size of the image',
      () => `${workload(['size'])}. A level line is time in proportion to pixels.`,
      drawSweep('size', pixels, 'Time per pixel against size')),
    has('threads') && figure('threads', 'Over threads',
      () => `${workload(['threads'])}. Twice the threads would at best be twice as fast.`, drawSpeedUp));
  section('samples-of', 'Samples', figure('samples', 'How far samples lie from their median',
    () => `${workload()}. Each point is a sample; from ten on, a box holds the middle half. To the right, `
      + 'the median.', drawSamples));
};
const buildAcross = () => {
  const limit = wholePercent(data.across.limit).slice(1);
  const caption = 'Among kernels within 1 level of the Gaussian on the measured picture (10⁻³ of full scale '
    + 'in 16-bit and float formats), each with its widest instruction set. One for all is the kernel whose '
    + 'worst slowdown against a machine’s own fastest is least; percentages are what it costs, ▲ more than '
    + `${limit}. The worst come first; the filters leave this table whole.`;
  section('across', 'Across machines', h('p', null, data.across.sentence),
    figure('machines', 'Of each workload, on each machine', caption, drawAcross), notesOf(data.across.notes));
};
const buildHistories = () => data.histories.forEach((history, i) => {
  const steps = `Large marks are steps: lasting changes of at least ${digits(100 * history.threshold)} %.`;
  section(`history-${i}`, 'History', h('p', null, data.historySentences[i]),
    figure(`dates-${i}`, 'Time over dates', () => `${workload()}. ${steps}`, drawHistory(history)));
});
const buildKernels = () => {
  const { sigma, picture, kernels } = data.summaries;
  const intro = `Each kernel of this build blurs this picture at sigma ${sigma}. Impulse responses and `
    + 'spectra are of one position in grayf32, as far as single precision goes; dashed, the Gaussian’s.';
  section('kernels', 'Kernels', h('div', { class: 'intro' },
    h('img', { src: picture, alt: 'Overlapping discs of all sizes', width: 160, height: 120 }),
    h('p', null, intro)), h('div', { class: 'cards' }, kernels.map(card)));
};
const build = () => {
  // Who compares wants the verdict first.
  buildComparisons();
  buildFastest();
  if (blurs.length) buildPlots();
  if (data.across) buildAcross();
  buildHistories();
  if (certificates.length) {
    section('certificates', 'Certificates', figure('certified', 'The largest error of any image',
      'By blurbench certify, before rounding; not of one picture, but of all there are. Other formats are '
        + 'in the table.', drawCertificates));
  }
  if (data.summaries) buildKernels();
  section('problems', 'Not measured', problems());
  section('environment', 'Environment', environment());
  document.getElementById('end').append('Times are medians. Compare within one run: ratios to memcpy travel '
    + 'better than nanoseconds, but a neighbour moves them too.');
};

let fillFilters = null;
const refresh = () => {
  hideTip();
  const { name, value, type } = document.activeElement ?? {};
  chooseError();
  fillFilters?.();
  // The field that was changed is there anew.
  const which = type === 'checkbox' ? `[value="${value}"]` : '';
  if (name) document.querySelector(`[name="${name}"]${which}`)?.focus();
  drawFigures();
  // What a link leads to must not lie under the filters.
  const form = document.getElementById('filters');
  const covered = form && getComputedStyle(form).position === 'sticky' ? form.offsetHeight : 0;
  document.documentElement.style.scrollPaddingTop = `${covered + 12}px`;
};

chooseFirst();
const isAddressed = chooseAddressed();
buildTop();
fillFilters = buildFilters();
build();
refresh();
if (isAddressed) document.getElementById('error-time').scrollIntoView({ behavior: 'instant' });
let lastWidth = innerWidth, pending = 0;
addEventListener('resize', () => {
  if (innerWidth === lastWidth) return;
  lastWidth = innerWidth;
  cancelAnimationFrame(pending);
  pending = requestAnimationFrame(refresh);
});
