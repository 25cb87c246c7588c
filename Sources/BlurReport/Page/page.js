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
    : h('p', null, 'There is no .txt file next to this file, so it is not known where it was measured.')));
const notesOf = notes => notes.length
  ? h('ul', { class: 'notes' }, notes.map(note => h('li', null, note))) : null;

const buildComparisons = () => data.comparisons.forEach((comparison, i) => {
  const caption = `${comparison.base} (base) against ${comparison.head} (head). Each line is a 95 % `
    + 'confidence interval. The shaded band marks changes below the threshold of '
    + `${digits(100 * comparison.threshold)} %.`;
  // If there is only one comparison, its sentence is already the title of the page.
  const title = data.comparisons.length > 1 ? comparison.sentence : 'How much each case changed';
  section(`comparison-${i}`, 'Comparison', figure(`forest-${i}`, title, caption, drawForest(comparison)),
    notesOf(comparison.notes));
});
const buildFastest = () => {
  const caption = 'The fastest of the kernels that are close to the Gaussian, and its lead over the next one '
    + 'that is not tied with it. Blue is a kernel of this package, grey is a plug-in, and half blue, half '
    + 'grey is a tie between them. Click a cell to show its workload in the plots below.';
  const title = entry => data.fastest.length > 1 ? nameOfFile(data.files[entry.file].path)
    : 'The fastest kernel for each format, size and sigma';
  section('fastest', 'Fastest kernels', data.fastest.map(entry =>
    figure(`fastest-${entry.file}`, title(entry), caption, drawFastest(entry))));
};
const buildPlots = () => {
  const has = key => new Set(blurs.map(item => item[key])).size > 1;
  section('error-time', 'Error against time', figure('errors', 'Time and error of each kernel',
    () => `${workload()}. Lower and further left is better. The line is the Pareto front: for a kernel on `
      + 'it, no other kernel is better in both time and error.', drawErrors));
  section('frames', 'Frames',
    blurs.some(item => item.frames.length) && figure('frame-times', 'The time of each frame',
      () => `${state.scene || workload()}. The plot shows the pass whose 99th percentile is the median of `
        + 'all passes. Frames above a dashed line are late.', drawFrames),
    scenes.length && figure('lateness', 'The frame times of every scene',
      () => `${plural(state.threads, 'thread')}. The dot is the median frame. The thick line ends at the `
        + '99th percentile, whose value is on the right. The thin line ends at the longest frame.',
      drawLateness));
  if (has('sigma')) {
    section('over-sigma', 'Time against sigma', figure('sigmas', 'Time per pixel as sigma grows',
      () => `${workload(['sigma'])}. Both axes are logarithmic. memcpy copies the image once and is the `
        + 'lower limit.',
      drawSweep('sigma', { title: 'sigma, pixels →' }, 'Time per pixel against sigma')));
  }
  const pixels = { title: 'pixels →', format: value => digits(value / 1e6, 2) + ' M' };
  section('scaling', 'Scaling',
    has('size') && figure('sizes', 'Time per pixel as the image grows',
      () => `${workload(['size'])}. A horizontal line means that the time is proportional to the number of `
        + 'pixels.',
      drawSweep('size', pixels, 'Time per pixel against size')),
    has('threads') && figure('threads', 'Speed-up with more threads',
      () => `${workload(['threads'])}. At best, twice as many threads are twice as fast.`, drawSpeedUp));
  section('samples-of', 'Samples', figure('samples', 'How far samples lie from their median',
    () => `${workload()}. Each point is a sample. For ten or more samples, a box holds the middle half. The `
      + 'median is on the right.', drawSamples));
};
const buildHistories = () => data.histories.forEach((history, i) => {
  const steps = `Large marks are steps: lasting changes of at least ${digits(100 * history.threshold)} %.`;
  section(`history-${i}`, 'History', h('p', null, data.historySentences[i]),
    figure(`dates-${i}`, 'Time over dates', () => `${workload()}. ${steps}`, drawHistory(history)));
});
const buildKernels = () => {
  const { sigma, picture, kernels } = data.summaries;
  const intro = `Each kernel of this build blurs this picture at sigma ${sigma}. Impulse responses and `
    + 'spectra were measured at one position in the format grayf32, so single precision limits them. The '
    + 'dashed lines are those of the Gaussian.';
  section('kernels', 'Kernels', h('div', { class: 'intro' },
    h('img', { src: picture, alt: 'Overlapping discs of all sizes', width: 160, height: 120 }),
    h('p', null, intro)), h('div', { class: 'cards' }, kernels.map(card)));
};
const build = () => {
  // Comparisons come first, because they hold the verdict that readers look for.
  buildComparisons();
  buildFastest();
  if (blurs.length) buildPlots();
  buildHistories();
  if (certificates.length) {
    section('certificates', 'Certificates', figure('certified', 'The largest error of any image',
      'Computed by blurbench certify, before rounding. No picture at all can have a larger error. Other '
        + 'formats are in the table.', drawCertificates));
  }
  if (data.summaries) buildKernels();
  section('problems', 'Not measured', problems());
  section('environment', 'Environment', environment());
  document.getElementById('end').append('Times are medians. Compare only times of the same run. Between '
    + 'runs, ratios to memcpy are more comparable than nanoseconds, but other programs on the machine change '
    + 'them too.');
};

let fillFilters = null;
const refresh = () => {
  hideTip();
  const { name, value, type } = document.activeElement ?? {};
  chooseError();
  fillFilters?.();
  // The filters were built again, so the focus is given to the new field with the same name.
  const which = type === 'checkbox' ? `[value="${value}"]` : '';
  if (name) document.querySelector(`[name="${name}"]${which}`)?.focus();
  drawFigures();
  // The target of a link must not be hidden behind the filters, which stay at the top of the window.
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
