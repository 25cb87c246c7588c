// The overview of all results: a table of kernels and runs, the fastest kernels, and links to the reports.

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
  h('h1', null, 'How fast and how accurate blur kernels are, machine by machine'),
  ...data.machines.filter(machine => machine.verdict).map(({ name, verdict, matrix }) =>
    h('p', null, h('strong', null, name), `: ${verdict.replace(/\.$/, '')} (${matrix.name}).`)),
  data.web ? h('p', null, link(data.web, 'Try the kernels in your browser'),
    ' with your own picture, and measure them.') : '',
  h('p', { class: 'about' }, [plural(data.machines.length, 'machine'), plural(days.length, 'report'),
    plural(data.kernels.length, 'kernel')].join(' · ')));

// The table of kernels and runs. A figure never combines several runs, because another day, another build or
// other programs on the machine change the times.

const runs = data.machines.flatMap(machine => machine.runs.map(run => ({ ...run, machine: machine.name })));
const score = item => !item ? h('td', null, '–') : h('td', { class: item.wins ? item.family : null },
  h('strong', null, `${digits(item.slowdown)}×`, h('span', { class: 'ends' },
    ` ${interval(item.low, item.high)}`)),
  h('small', null, `${item.bound}; ${item.count} of ${plural(item.all, 'workload')}`
    + (item.wins ? `; fastest or tied in ${item.wins}` : '')));
const runHead = run => h('th', { scope: 'col' }, run.machine, h('small', null, link(run.page, run.name)));
section('kernels', 'Kernels and machines', h('figure', null,
  h('p', null, 'The slowdown of each kernel: its time relative to the fastest kernel with the same error '
    + 'bound. It is the geometric mean over the workloads that the kernel was measured on, with its '
    + 'interval. Below it is the loosest error bound that the kernel keeps. Each column is the latest run of '
    + 'a machine and suite, so compare numbers only within a column. A cell is coloured if its kernel is '
    + 'close to the Gaussian and fastest or tied in some workload: blue for a kernel of this package, grey '
    + 'for a plug-in.'),
  scrolling('Kernels and machines', h('table', { class: 'fastest scores' },
    h('thead', null, h('tr', null, h('th', { scope: 'col' }, 'Kernel'), runs.map(runHead))),
    h('tbody', null, data.kernels.map(kernel => h('tr', null,
      h('th', { scope: 'row' }, kernel.name, kernel.isOwn ? null : h('small', null, 'plug-in')),
      kernel.scores.map(score))))))));

// A section for each machine: the fastest kernels in its largest run, and then its reports.

const address = (matrix, cell) => {
  const parts = { file: matrix.name, ...cell.address };
  return `${matrix.page}#${new URLSearchParams(parts)}`;
};
const winners = matrix => h('figure', null, h('h3', null, `The fastest kernels: ${matrix.name}`),
  h('p', null, 'The fastest of the kernels that are close to the Gaussian, and its lead over the next one '
    + 'that is not tied with it. Half blue, half grey is a tie with a plug-in. Click a cell to open the '
    + 'plots of its workload.'),
  matrixOf(matrix, (cell, row, children) => h('a', { href: address(matrix, cell) }, children)));
const fileOf = file => [h('dt', null, link(file.link, file.name)),
  h('dd', null, file.command ? h('code', null, file.command) : 'the command was not recorded')];
const dayOf = day => h('figure', null, h('h3', null, link(day.page, day.day)),
  day.sentences.map(text => h('p', null, text)),
  h('details', { class: 'origin' }, h('summary', null, plural(day.files.length, 'file')),
    h('dl', null, day.files.map(fileOf))));
data.machines.forEach((machine, i) => section(`machine-${i}`, machine.name,
  h('p', { class: 'about' }, machine.about.join(' · ')),
  machine.history ? h('p', null,
    link(machine.history.page, 'History of the cases that were measured on several days'),
    `. ${machine.history.sentence}`) : '',
  machine.matrix ? winners(machine.matrix) : '', machine.days.map(dayOf)));
document.getElementById('end').append('Every figure comes from the files that are listed below it. Times of '
  + 'different machines are not comparable, but slowdowns are.');
