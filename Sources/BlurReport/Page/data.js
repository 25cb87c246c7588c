// The data of the page, and the filters that choose which part of it is shown.

const data = JSON.parse(document.getElementById('data').textContent);
const sizeOf = text => {
  const [w, rest] = text.split('x');
  return Number(w) * parseInt(rest, 10);
};
const certificates = data.certificates.rows.map(row => ({
  ...row, levels: Number(row.certified_levels), at: Number(row.sigma),
  uncertainty: Number(row.uncertainty_levels),
}));
const workOf = (item, sigma) => [item.kernel, item.isa, item.format, sigma, item.edge].join('/');
const certified = new Map(certificates.filter(row => row.levels >= 0)
  .map(row => [workOf(row, row.at), row.levels]));
const cases = data.cases.map(row => {
  const item = Object.fromEntries(data.columns.map((column, i) => [column, row[i]]));
  item.pixels = sizeOf(item.size);
  item.time = median(item.times);
  item.command = data.commands[item.command];
  item.pace ||= 'warm';
  // A run does not compute certificates that would take long. In that case, the certified error is taken from
  // another file.
  if (item.certified === null) item.certified = certified.get(workOf(item, item.sigma)) ?? null;
  item.rms = item.psnr === null ? null : 255 * 10 ** (-item.psnr / 20);
  return item;
});
const measured = cases.filter(item => item.times.length);
const copies = measured.filter(item => item.kernel === 'memcpy');
const blurs = measured.filter(item => item.kernel !== 'memcpy');
const isIn8Bits = format => format.endsWith('8');
const bound = format => isIn8Bits(format) ? 1 : 0.255;
const styles = new Map(data.kernels.map((name, i) =>
  [name, data.places[i] < 0 ? peerStyle(name) : styleOf(data.places[i])]));
const style = kernel => styles.get(kernel) ?? styleOf(-1);
const setsOf = new Map();
for (const { kernel, isa } of blurs) setsOf.set(kernel, (setsOf.get(kernel) ?? new Set()).add(isa));
const seriesName = item => setsOf.get(item.kernel)?.size > 1 ? `${item.kernel} (${item.isa})` : item.kernel;
const nameOfFile = path => path.split('/').slice(-2).join('/');

// One workload is chosen at a time. A plot over sigma, for example, shows all sigmas, not just one.

const dimensions = [
  ['file', 'Run', i => nameOfFile(data.files[i].path)], ['scene', 'Scene', v => v || 'none'],
  ['format', 'Format', String], ['size', 'Size', String], ['sigma', 'Sigma', v => digits(v)],
  ['threads', 'Threads', String], ['edge', 'Edge', String], ['pace', 'Pace', String],
];
const formats = ['gray', 'rgb', 'rgba'].map(colours => ['8', '16', 'f32'].map(bits => colours + bits));
const orders = {
  size: sizeOf, format: value => formats.flat().indexOf(value),
  pace: value => ['warm', 'cold', '60hz', '120hz'].indexOf(value),
};
const valuesOf = key => {
  const place = orders[key] ?? (value => value);
  const order = (a, b) => place(a) < place(b) ? -1 : place(a) > place(b) ? 1 : 0;
  return [...new Set(blurs.map(item => item[key]))].sort(order);
};
const errors = {
  error: 'largest, measured', rms: 'root mean square, measured', certified: 'any image, certified',
};
/** The current choice. `isErrorChosen` is false until the reader chooses a kind of error. Until then, the
 * workload determines the kind of error. */
const state = { error: 'error', isErrorChosen: false, quality: Infinity, hidden: new Set() };
const fits = (item, free = []) =>
  dimensions.every(([key]) => free.includes(key) || item[key] === state[key]);
const isGoodEnough = item => state.quality === Infinity
  || (item[state.error] !== null && item[state.error] <= state.quality);
const shown = (items, free) => items.filter(item =>
  fits(item, free) && !state.hidden.has(item.kernel) && isGoodEnough(item));
const copyOf = free => copies.filter(item => fits(item, free));
const partOf = key => key === 'sigma' ? `sigma ${digits(state.sigma)}`
  : key === 'threads' ? plural(state.threads, 'thread')
  : key === 'pace' && state.pace === 'warm' ? null : state[key];
const workload = free => dimensions
  .filter(([key]) => !free?.includes(key) && !['file', 'scene'].includes(key))
  .map(([key]) => partOf(key)).filter(Boolean).join(', ');

/** Chooses the workload to begin with: one with many kernels that was also measured at other sigmas, sizes
 * and numbers of threads. */
const chooseFirst = () => {
  const taste = [['pace', 'warm'], ['threads', 1], ['format', 'rgba8'], ['size', '1920x1080'], ['sigma', 5],
    ['edge', 'clamp']];
  const without = (item, free) =>
    JSON.stringify(dimensions.map(([key]) => key === free ? null : item[key]));
  const all = [...groups(blurs, item => without(item)).values()];
  const firsts = all.map(items => items[0]);
  const sweeps = ['sigma', 'size', 'threads'].map(key => [key, groups(firsts, item => without(item, key))]);
  const kernels = items => new Set(items.map(item => item.kernel)).size;
  const neighbours = item => sweeps.reduce((sum, [key, lists]) =>
    sum + Math.min(4, lists.get(without(item, key)).length - 1), 0);
  const usual = item => taste.reduce((sum, [key, value], i) => sum + (item[key] === value ? 32 >> i : 0), 0);
  const score = items => 32 * kernels(items) + 64 * neighbours(items[0]) + usual(items[0]);
  let best = [], most = -1;
  for (const items of all) {
    const points = score(items);
    if (points > most) [best, most] = [items, points];
  }
  for (const [key] of dimensions) state[key] = best[0]?.[key];
};
/** Chooses a value for one part of the workload. Of the measured workloads with this value, the function
 * chooses the one that has the most other parts in common with the current choice. */
const choose = (key, value) => {
  const score = item => dimensions.reduce((sum, [other]) => sum + (item[other] === state[other] ? 1 : 0), 0);
  const best = blurs.filter(item => item[key] === value)
    .reduce((a, b) => !a || score(b) > score(a) ? b : a, null);
  if (best) for (const [other] of dimensions) state[other] = best[other];
};
/** Chooses the workload that the page's address names after `#`, such as `file=NAME&format=rgba8&sigma=5`. */
const chooseAddressed = () => {
  const wanted = new URLSearchParams(location.hash.slice(1));
  const isFile = item => !wanted.has('file') || data.files[item.file].path.endsWith(wanted.get('file'));
  const given = dimensions.filter(([key]) => key !== 'file' && wanted.has(key));
  const found = given.length
    && blurs.find(item => isFile(item) && given.every(([key]) => String(item[key]) === wanted.get(key)));
  if (found) for (const [key] of dimensions) state[key] = found[key];
  return !!found;
};
/** Chooses the kind of error to show. In 8-bit formats, the largest error of every good kernel on a picture
 * is 1 level, so only the certified error or the root mean square error can tell these kernels apart. */
const chooseError = () => {
  if (state.isErrorChosen) return;
  const items = blurs.filter(item => fits(item));
  const isKnown = (key, share) => items.filter(item => item[key] !== null).length > share * items.length;
  const order = isIn8Bits(state.format ?? '') ? ['certified', 'rms', 'error'] : ['error', 'certified', 'rms'];
  state.error = order.find(key => isKnown(key, 0.5)) ?? order.find(key => isKnown(key, 0)) ?? 'error';
};

const select = (title, name, options, change) => {
  const changed = event => {
    change(event.target.value);
    refresh();
  };
  const option = ([value, text, isChosen]) => h('option', { value, selected: isChosen ? '' : null }, text);
  const field = h('select', { name, change: changed }, options.map(option));
  return h('label', null, h('span', null, title), field);
};
const qualities = [
  [Infinity, 'any error'], [10, 'at most 10 levels'], [3, 'at most 3 levels'], [1, 'at most 1 level'],
  [0.255, 'at most 10⁻³ of full scale'], [0.00255, 'at most 10⁻⁵ of full scale'],
];
const selectsOf = () => [
  ...dimensions.map(([key, title, text]) => {
    const values = valuesOf(key);
    if (values.length < 2) return null;
    const options = values.map((value, i) => [i, text(value), value === state[key]]);
    return select(title, key, options, i => choose(key, values[i]));
  }),
  select('Error', 'error', Object.entries(errors).map(([key, text]) => [key, text, key === state.error]),
    key => Object.assign(state, { error: key, isErrorChosen: true })),
  select('Quality', 'quality', qualities.map(([value, text]) => [value, text, value === state.quality]),
    value => { state.quality = Number(value); }),
];
const chipOf = (name, i) => {
  const change = event => {
    state.hidden[event.target.checked ? 'delete' : 'add'](name);
    refresh();
  };
  const checked = state.hidden.has(name) ? null : '';
  return h('label', null, h('input', { type: 'checkbox', name: 'kernel', value: i, checked, change }),
    swatch(style(name)), name);
};
const allOrNone = word => {
  const click = () => {
    state.hidden = new Set(word === 'None' ? data.kernels : []);
    refresh();
  };
  return h('button', { type: 'button', click }, word);
};
const buildFilters = () => {
  const form = document.getElementById('filters');
  if (!blurs.length) return form.remove();
  let isOpen = false;
  const toggle = event => { isOpen = event.target.open; };
  const count = () => `${data.kernels.length - state.hidden.size} of ${data.kernels.length}`;
  const kernels = () => h('details', { class: 'kernels', open: isOpen ? '' : null, toggle },
    h('summary', null, `Kernels: ${count()} shown`), h('p', null, ['All', 'None'].map(allOrNone)),
    h('div', { class: 'chips' }, data.kernels.map(chipOf)));
  form.addEventListener('submit', event => event.preventDefault());
  return () => form.replaceChildren(h('div', { class: 'selects' }, selectsOf()), kernels());
};
