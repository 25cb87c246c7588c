// The overview of all results: links, and kernels against machines.

const data = JSON.parse(document.getElementById('data').textContent);
const plural = (count, word) => `${count} ${word}${count === 1 ? '' : 's'}`;
const main = document.getElementById('plots'), contents = document.getElementById('contents');
const section = (id, title, ...children) => {
  main.append(h('section', { id }, h('h2', null, title), children));
  contents.append(h('a', { href: `#${id}` }, title));
};

document.title = 'BlurBench results';
const days = data.machines.flatMap(machine => machine.days);
document.getElementById('top').append(h('p', { class: 'brand' }, 'BlurBench results'),
  h('h1', null, 'How fast and how right blur kernels are, machine by machine'),
  h('p', { class: 'about' }, `${plural(data.machines.length, 'machine')} · ${plural(days.length, 'report')} · ${plural(data.kernels.length, 'kernel')}`));
if (data.web) document.getElementById('top').append(h('p', null, h('a', { href: data.web }, 'Try the kernels in your browser'),
  ', on your own picture, and measure it.'));
document.getElementById('filters').remove();

const score = item => !item ? h('td', null, '–') : h('td', { class: item.wins ? 'own' : null },
  h('strong', null, `${digits(item.slowdown)}×`), h('small', null, `${item.bound}; ${item.count} of ${plural(item.all, 'workload')}`
    + (item.wins ? `; fastest or tied in ${item.wins}` : '')));
section('kernels', 'Kernels and machines', h('figure', null,
  h('p', null, 'How many times as long a kernel takes as the fastest with the same bound on its error, the geometric mean over the workloads that it '
    + 'was measured on, and the loosest bound that it keeps. Coloured: fastest or tied near the Gaussian in some workload. '
    + 'Compare down a column; columns hold different workloads.'),
  h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Kernels and machines' }, h('table', { class: 'fastest' },
    h('thead', null, h('tr', null, ['Kernel', ...data.machines.map(machine => machine.name)].map(text => h('th', { scope: 'col' }, text)))),
    h('tbody', null, data.kernels.map(kernel => h('tr', null, h('th', { scope: 'row' }, kernel.name, kernel.isOwn ? null : h('small', null, 'plug-in')),
      kernel.scores.map(score))))))));

data.machines.forEach((machine, i) => section(`machine-${i}`, machine.name,
  h('p', { class: 'about' }, machine.about.join(' · ')),
  machine.all ? h('p', null, h('a', { href: machine.all }, 'All dates on one page, with lasting steps')) : null,
  machine.days.map(day => h('figure', null,
    h('h3', null, h('a', { href: day.page }, day.day)),
    day.sentences.slice(0, 3).map(text => h('p', null, text)),
    h('details', { class: 'origin' }, h('summary', null, plural(day.files.length, 'file')),
      h('dl', null, day.files.map(file => [h('dt', null, file.link ? h('a', { href: file.link }, file.name) : file.name),
        h('dd', null, file.command ? h('code', null, file.command) : 'no command was kept')])))))));
document.getElementById('end').append('Every figure comes from the files below it. Times of different machines are not comparable; slowdowns are.');
