// The overview of all results: kernels against runs, who wins where, and links to the reports.

const data = JSON.parse(document.getElementById('data').textContent);
const main = document.getElementById('plots'), contents = document.getElementById('contents');
const topOfPage = document.getElementById('top');
const section = (id, title, ...children) => {
  main.append(h('section', { id }, h('h2', null, title), children));
  contents.append(h('a', { href: `#${id}` }, title));
};
const link = (href, text) => href ? h('a', { href }, text) : text;

document.title = 'BlurBench results';
document.getElementById('filters').remove();
const days = data.machines.flatMap(machine => machine.days);
topOfPage.append(h('p', { class: 'brand' }, 'BlurBench results'),
  h('h1', null, 'How fast and how right blur kernels are, machine by machine'),
  ...data.machines.filter(machine => machine.verdict).map(({ name, verdict, matrix }) =>
    h('p', null, h('strong', null, name), `: ${verdict.replace(/\.$/, '')} (${matrix.name}).`)),
  data.web ? h('p', null, link(data.web, 'Try the kernels in your browser'),
    ', on your own picture, and measure it.') : '',
  h('p', { class: 'about' }, [plural(data.machines.length, 'machine'), plural(days.length, 'report'),
    plural(data.kernels.length, 'kernel')].join(' · ')));

// Kernels against runs. A figure never mixes runs: another day, another build, another neighbour.

const runs = data.machines.flatMap(machine => machine.runs.map(run => ({ ...run, machine: machine.name })));
const score = item => !item ? h('td', null, '–') : h('td', { class: item.wins ? item.family : null },
  h('strong', null, `${digits(item.slowdown)}×`, h('span', { class: 'ends' },
    ` ${interval(item.low, item.high)}`)),
  h('small', null, `${item.bound}; ${item.count} of ${plural(item.all, 'workload')}`
    + (item.wins ? `; fastest or tied in ${item.wins}` : '')));
const runHead = run => h('th', { scope: 'col' }, run.machine, h('small', null, link(run.page, run.name)));
section('kernels', 'Kernels and machines', h('figure', null,
  h('p', null, 'How many times as long a kernel takes as the fastest with the same bound on its error: the '
    + 'geometric mean over the workloads that it was measured on, with its interval, and the loosest bound '
    + 'that it keeps. Each column is one run, the latest of its machine and suite: compare down a column. '
    + 'Coloured: fastest or tied near the Gaussian in some workload; blue, a kernel of this package, grey, a '
    + 'plug-in.'),
  scrolling('Kernels and machines', h('table', { class: 'fastest scores' },
    h('thead', null, h('tr', null, h('th', { scope: 'col' }, 'Kernel'), runs.map(runHead))),
    h('tbody', null, data.kernels.map(kernel => h('tr', null,
      h('th', { scope: 'row' }, kernel.name, kernel.isOwn ? null : h('small', null, 'plug-in')),
      kernel.scores.map(score))))))));

// One section for each machine: who wins where in its largest run, then its reports.

const address = (matrix, cell) => {
  const parts = { file: matrix.name, ...cell.address };
  return `${matrix.page}#${new URLSearchParams(parts)}`;
};
const winners = matrix => h('figure', null, h('h3', null, `Who wins where: ${matrix.name}`),
  h('p', null, 'The fastest kernel near the Gaussian, and its lead over the next that is not tied with it. '
    + 'Half blue, half grey: a tie with a plug-in. A click opens the plots of that workload.'),
  matrixOf(matrix, (cell, row, children) => h('a', { href: address(matrix, cell) }, children)));
const fileOf = file => [h('dt', null, link(file.link, file.name)),
  h('dd', null, file.command ? h('code', null, file.command) : 'no command was kept')];
const dayOf = day => h('figure', null, h('h3', null, link(day.page, day.day)),
  day.sentences.map(text => h('p', null, text)),
  h('details', { class: 'origin' }, h('summary', null, plural(day.files.length, 'file')),
    h('dl', null, day.files.map(fileOf))));
data.machines.forEach((machine, i) => section(`machine-${i}`, machine.name,
  h('p', { class: 'about' }, machine.about.join(' · ')),
  machine.history ? h('p', null, link(machine.history.page, 'History of what was measured on several days'),
    `. ${machine.history.sentence}`) : '',
  machine.matrix ? winners(machine.matrix) : '', machine.days.map(dayOf)));
document.getElementById('end').append('Every figure comes from the files below it. Times of different '
  + 'machines are not comparable; slowdowns are.');
