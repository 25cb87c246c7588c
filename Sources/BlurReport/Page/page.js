// The page: its data, its filters, its sections.

const data = JSON.parse(document.getElementById('data').textContent);
const sizeOf = text => { const [w, rest] = text.split('x'); return Number(w) * parseInt(rest, 10); };
const certificates = data.certificates.rows.map(row => ({ ...row, levels: Number(row.certified_levels), at: Number(row.sigma) }));
const workOf = (item, sigma) => [item.kernel, item.isa, item.format, sigma, item.edge].join('/');
const certified = new Map(certificates.filter(row => row.levels >= 0).map(row => [workOf(row, row.at), row.levels]));
const cases = data.cases.map(row => {
  const item = Object.fromEntries(data.columns.map((column, i) => [column, row[i]]));
  item.pixels = sizeOf(item.size);
  item.time = median(item.times);
  item.command = data.commands[item.command];
  // Runs leave out certificates that take long.
  if (item.certified === null) item.certified = certified.get(workOf(item, item.sigma)) ?? null;
  item.rms = item.psnr === null ? null : 255 * 10 ** (-item.psnr / 20);
  return item;
});
const measured = cases.filter(item => item.times.length);
const copies = measured.filter(item => item.kernel === 'memcpy');
const blurs = measured.filter(item => item.kernel !== 'memcpy');
const bound = format => format.endsWith('8') ? 1 : 0.255;
const styles = new Map(data.kernels.map((name, i) => [name, data.places[i] < 0 ? peerStyle(name) : styleOf(data.places[i])]));
const style = kernel => styles.get(kernel) ?? styleOf(-1);
const setsOf = new Map();
for (const item of blurs) setsOf.set(item.kernel, (setsOf.get(item.kernel) ?? new Set()).add(item.isa));
const seriesName = item => setsOf.get(item.kernel)?.size > 1 ? `${item.kernel} (${item.isa})` : item.kernel;
const groups = (items, key) => {
  const map = new Map();
  for (const item of items) map.has(key(item)) ? map.get(key(item)).push(item) : map.set(key(item), [item]);
  return map;
};
const plural = (count, word, words = word + 's') => `${count} ${String(count) === '1' ? word : words}`;

// Filters: one workload is chosen; plots over sigma, size or threads leave that part open.

const dimensions = [
  ['file', 'Run', i => data.files[i].path.split('/').slice(-2).join('/')], ['scene', 'Scene', v => v || 'none'], ['format', 'Format', String],
  ['size', 'Size', String], ['sigma', 'Sigma', String], ['threads', 'Threads', String], ['edge', 'Edge', String],
];
const valuesOf = key => {
  const order = key === 'size' ? sizeOf : value => value;
  const formats = ['gray8', 'rgba8', 'gray16', 'rgba16', 'grayf32', 'rgbaf32'];
  const place = value => key === 'format' ? formats.indexOf(value) : order(value);
  return [...new Set(blurs.map(item => item[key]))].sort((a, b) => place(a) < place(b) ? -1 : place(a) > place(b) ? 1 : 0);
};
const errors = { error: 'largest, measured', rms: 'root mean square, measured', certified: 'largest of any image, certified' };
const state = { error: 'error', quality: Infinity, hidden: new Set() };
const fits = (item, free = []) => dimensions.every(([key]) => free.includes(key) || item[key] === state[key]);
const shown = (items, free) => items.filter(item =>
  fits(item, free) && !state.hidden.has(item.kernel) && !(item[state.error] > state.quality)
  && !(state.quality < Infinity && item[state.error] === null));
const copyOf = free => copies.filter(item => fits(item, free));
const workload = free => dimensions.filter(([key]) => !free?.includes(key) && !['file', 'scene'].includes(key))
  .map(([key]) => key === 'sigma' ? `sigma ${state.sigma}` : key === 'threads' ? plural(state.threads, 'thread') : state[key])
  .join(', ');

/** Begins with the workload that has most to show: kernels, and neighbours with other sigmas, sizes and threads. */
const chooseFirst = () => {
  const taste = [['threads', 1], ['format', 'rgba8'], ['size', '1920x1080'], ['sigma', 5], ['edge', 'clamp']];
  const all = groups(blurs, item => JSON.stringify(dimensions.map(([key]) => item[key])));
  const without = (item, free) => JSON.stringify(dimensions.map(([key]) => key === free ? null : item[key]));
  const sweeps = new Map(['sigma', 'size', 'threads'].map(key => [key, groups([...all.values()].map(items => items[0]), item => without(item, key))]));
  const score = items => new Set(items.map(item => item.kernel)).size * 32
    + [...sweeps].reduce((sum, [key, lists]) => sum + 64 * Math.min(4, lists.get(without(items[0], key)).length - 1), 0)
    + taste.reduce((sum, [key, value], i) => sum + (items[0][key] === value ? 16 >> i : 0), 0);
  const best = [...all.values()].reduce((a, b) => score(b) > score(a) ? b : a, [...all.values()][0] ?? []);
  for (const [key] of dimensions) state[key] = best[0]?.[key];
  // In 8 bits all good kernels are 1 level off on a picture: what tells them apart is the certificate, or the mean.
  const share = key => best.filter(item => item[key] !== null).length / best.length;
  state.error = best[0]?.format.endsWith('8') ? share('certified') > 0.5 ? 'certified' : share('rms') > 0.5 ? 'rms' : 'error' : 'error';
};
/** Takes a value, and of the rest as much as was measured together with it. */
const choose = (key, value) => {
  const score = item => dimensions.reduce((sum, [other]) => sum + (item[other] === state[other] ? 1 : 0), 0);
  const best = blurs.filter(item => item[key] === value).reduce((a, b) => !a || score(b) > score(a) ? b : a, null);
  if (best) for (const [other] of dimensions) state[other] = best[other];
};

const buildFilters = () => {
  const form = document.getElementById('filters');
  if (!blurs.length) return form.remove();
  const select = (title, name, options, change) => h('label', null, h('span', null, title),
    h('select', { name, change: event => { change(event.target.value); refresh(); } },
      options.map(([value, text, isChosen]) => h('option', { value, selected: isChosen ? '' : null }, text))));
  const fill = () => form.replaceChildren(
    h('div', { class: 'selects' },
      dimensions.map(([key, title, text]) => {
        const values = valuesOf(key);
        return values.length < 2 ? null : select(title, key, values.map((value, i) => [i, text(value), value === state[key]]),
          i => { choose(key, values[i]); });
      }),
      select('Error', 'error', Object.entries(errors).map(([value, text]) => [value, text, value === state.error]), value => { state.error = value; }),
      select('Quality', 'quality', [[Infinity, 'any error'], [10, 'at most 10 levels'], [3, 'at most 3 levels'],
        [1, 'at most 1 level'], [0.255, 'at most 10⁻³ of full scale'], [0.00255, 'at most 10⁻⁵ of full scale']]
        .map(([value, text]) => [value, text, value === state.quality]), value => { state.quality = Number(value); })),
    h('details', { class: 'kernels', open: fill.isOpen ? '' : null, toggle: event => { fill.isOpen = event.target.open; } },
      h('summary', null, `Kernels: ${data.kernels.length - state.hidden.size} of ${data.kernels.length} shown`),
      h('p', null, ['All', 'None'].map(word => h('button', {
        type: 'button', click: () => { state.hidden = new Set(word === 'None' ? data.kernels : []); refresh(); },
      }, word))),
      h('div', { class: 'chips' }, data.kernels.map((name, i) => h('label', null,
        h('input', {
          type: 'checkbox', name: 'kernel', value: i, checked: state.hidden.has(name) ? null : '',
          change: event => { state.hidden[event.target.checked ? 'delete' : 'add'](name); refresh(); },
        }), swatch(style(name)), name)))));
  form.addEventListener('submit', event => event.preventDefault());
  return fill;
};

// Figures: each knows how to draw itself for a width and the present choice.

const figures = [];
const figure = (id, title, caption, draw) => {
  const node = h('figure', { id });
  figures.push({ node, id, title, caption, draw });
  return node;
};
const drawFigure = ({ node, id, title, caption, draw }) => {
  const { paddingLeft, paddingRight } = getComputedStyle(node);
  const width = Math.max(200, Math.floor(node.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight)));
  const drawn = draw(width);
  const wasOpen = node.querySelector('details.table')?.open;
  const head = [h('h3', null, title), h('p', null, typeof caption === 'function' ? caption() : caption)];
  node.hidden = drawn === undefined;
  if (!drawn) return node.replaceChildren(...head, h('p', { class: 'nothing' },
    state.error === 'certified' ? 'Nothing here was measured and has a certificate.' : 'Nothing was measured for this choice.'));
  const table = drawn.table ? tableOf(id, drawn.table) : '';
  node.replaceChildren(...head, drawn.svg, drawn.legend ?? '', drawn.more ?? '', table);
  if (wasOpen && table) table.open = true;
};
const section = (id, title, ...children) => {
  const present = children.flat().filter(Boolean);
  if (!present.length) return;
  document.getElementById('plots').append(h('section', { id }, h('h2', null, title), present));
  document.getElementById('contents').append(h('a', { href: `#${id}` }, title));
};

const infoOf = item => ({
  title: seriesName(item),
  facts: [
    ['case', [item.scene, item.format, item.size, `sigma ${item.sigma}`, item.edge, item.isa, plural(item.threads, 'thread')].filter(Boolean).join(', ')],
    ['time', `${duration(item.time)}, the median of ${item.times.length}; ${duration(item.low)} to ${duration(item.high)}`],
    item.memcpy !== null && ['memcpy', `${digits(item.memcpyLow)} to ${digits(item.memcpyHigh)} times as long`],
    item.error !== null && ['error', plural(digits(item.error), 'level') + (item.rms === null ? '' : `; root mean square ${digits(item.rms)}`)],
    item.certified !== null && ['certified', plural(digits(item.certified), 'level')],
    ...Object.entries(item.extras ?? {}),
  ].filter(Boolean),
  command: item.command,
});
const caseColumns = ['kernel', 'isa', 'threads', 'format', 'size', 'sigma', 'edge', 'median_ns', 'ns_per_pixel', 'samples',
  'memcpy_ratio', 'memcpy_ratio_low', 'memcpy_ratio_high', 'max_error_levels', 'certified_levels', 'psnr_db', 'achieved_sigma', 'plan_ns', 'command'];
const caseTable = items => {
  const extras = [...new Set(items.flatMap(item => Object.keys(item.extras ?? {})))];
  return {
    columns: [...caseColumns, ...extras],
    rows: items.map(i => [i.kernel, i.isa, i.threads, i.format, i.size, i.sigma, i.edge, i.time, i.time / i.pixels, i.times.length,
      i.memcpy, i.memcpyLow, i.memcpyHigh, i.error, i.certified, i.psnr, i.achieved, i.plan, i.command, ...extras.map(name => i.extras?.[name])]),
  };
};
const byTime = items => [...items].sort((a, b) => a.time - b.time);

const drawErrors = width => {
  const items = byTime(shown(blurs)).filter(item => item[state.error] !== null);
  if (!items.length) return null;
  const positive = items.map(item => item[state.error]).filter(error => error > 0);
  const zero = Math.min(...positive, 1) / 3;
  const level = item => item[state.error] || zero;
  let least = Infinity;
  const front = items.filter(item => level(item) < least && (least = level(item), true));
  const series = items.map(item => ({
    name: seriesName(item), style: style(item.kernel),
    points: [{ x: item.time, ends: [item.low, item.high], y: level(item), info: infoOf(item), first: front.includes(item) ? 0 : 1, big: front.includes(item) }],
  }));
  const copy = median(copyOf().flatMap(item => item.times));
  const drawn = drawXY({
    title: 'Error against time', series, labels: true, legend: true,
    front: front.map(item => ({ x: item.time, y: level(item) })),
    x: { title: 'time of one blur →', log: true, format: duration, spacing: 80, ...copy && { range: [Math.min(copy, items[0].time) / 1.3, items.at(-1).time * 1.25] } },
    y: { title: `↑ error (${errors[state.error]}), levels (1/255 of full scale)`, log: true, format: value => value <= zero * 1.001 ? '0' : digits(value) },
    rules: copy ? [{ x: copy, label: 'memcpy' }] : [],
  }, width);
  return { ...drawn, table: caseTable(items) };
};
/** Time per pixel over one part of the case. */
const drawSweep = (key, axis, title) => width => {
  const value = item => key === 'size' ? item.pixels : item[key];
  const perPixel = item => item.time / item.pixels;
  const items = shown(blurs, [key]);
  const sorted = list => [...list].sort((a, b) => value(a) - value(b));
  const lines = [...groups(items, seriesName)].map(([name, list]) => ({
    name, style: style(list[0].kernel), line: true,
    points: sorted(list).map(item => ({ x: value(item), y: perPixel(item), ends: [item.low, item.high].map(t => t / item.pixels), info: infoOf(item) })),
  })).sort((a, b) => a.points.at(-1).y - b.points.at(-1).y);
  if (!lines.length) return undefined;
  if (new Set(items.map(value)).size < 2) return undefined;
  const floor = sorted(copyOf([key]));
  if (floor.length) {
    lines.unshift({ name: 'memcpy', style: styleOf(-1), line: true, points: [...groups(floor, value)].map(([x, list]) =>
      ({ x, y: median(list.map(perPixel)), info: infoOf(list[0]) })) });
  }
  const only = [...new Set(items.map(value))].sort((a, b) => a - b);
  const drawn = drawXY({ title, series: lines, ends: true, x: { log: true, only, ...axis },
    y: { title: '↑ time per pixel, ns', log: true } }, width);
  return { ...drawn, table: caseTable([...floor, ...items]) };
};
/** How much faster more threads are than one. */
const drawSpeedUp = width => {
  const items = shown(blurs, ['threads']);
  const counts = [...new Set(items.map(item => item.threads))].sort((a, b) => a - b);
  const lines = [...groups(items, seriesName)].map(([name, list]) => {
    const one = list.find(item => item.threads === counts[0]);
    const points = one ? [...list].sort((a, b) => a.threads - b.threads).map(item => {
      const info = infoOf(item), times = one.time / item.time;
      return { x: item.threads, y: times, ends: item === one ? null : [one.low / item.high, one.high / item.low],
        info: { ...info, facts: [['speed-up', `${digits(times)} times`], ...info.facts] } };
    }) : [];
    return { name, style: style(list[0].kernel), line: true, points };
  }).filter(line => line.points.length > 1).sort((a, b) => b.points.at(-1).y - a.points.at(-1).y);
  if (!lines.length || counts.length < 2) return undefined;
  const ideal = { name: 'ideal', style: styleOf(-1), line: true, points: counts.map(x => ({ x, y: x / counts[0] })) };
  const drawn = drawXY({ title: 'Speed-up over threads', series: [ideal, ...lines], ends: true, x: { only: counts, title: 'threads →', format: String },
    y: { title: '↑ times as fast as with one thread', zero: true } }, width);
  return { ...drawn, table: caseTable(items) };
};
/** The frames of a scene, one after the other, in the pass whose 99th percentile is the middle one. */
const drawFrames = width => {
  const items = shown(blurs).filter(item => item.frames.length);
  if (!items.length) return undefined;
  const late = times => quantile(times, 0.99);
  const series = items.map(item => {
    const pass = [...item.frames].sort((a, b) => late(a) - late(b))[item.frames.length >> 1];
    const longest = pass.indexOf(Math.max(...pass)), info = infoOf(item);
    return { name: seriesName(item), style: style(item.kernel), line: true, points: pass.map((time, i) => ({ x: i, y: time / 1e6,
      info: i === longest && { ...info, facts: [['longest', `${duration(time)}, frame ${i}`], ...info.facts] } })) };
  });
  const budgets = [60, 120].map(rate => ({ y: 1000 / rate, label: `${digits(1000 / rate)} ms: ${rate} Hz` }));
  const drawn = drawXY({ title: 'Frame times', series, ends: true, rules: budgets, x: { title: 'frame →', format: String },
    y: { title: '↑ time of a frame, ms', range: [0, 1.05 * Math.max(1000 / 60, ...series.flatMap(line => line.points.map(p => p.y)))] } }, width);
  return { ...drawn, table: { columns: ['kernel', 'isa', 'pass', 'frame', 'time_ns'],
    rows: items.flatMap(item => item.frames.flatMap((pass, k) => pass.map((time, i) => [item.kernel, item.isa, k, i, time]))) } };
};
const drawSamples = width => {
  const items = byTime(shown(blurs)).slice(0, 40);
  if (!items.length) return null;
  const rows = items.map(item => ({
    name: seriesName(item), note: duration(item.time),
    info: { ...infoOf(item), facts: [
      ['samples', item.times.length], ['least', duration(Math.min(...item.times), 4)], ['median', duration(item.time, 4)],
      ['quartiles', `${duration(quantile(item.times, 0.25), 4)} to ${duration(quantile(item.times, 0.75), 4)}`],
      ['greatest', duration(Math.max(...item.times), 4)],
    ] },
    draw: (node, x, y) => {
      const at = share => x.at(quantile(item.times, share) / item.time);
      if (item.times.length >= 10) node.append(s('rect', { class: `box ${style(item.kernel).colour}`, x: at(0.25), y: y - 7, height: 14, width: Math.max(1, at(0.75) - at(0.25)) }),
        s('line', { class: `line ${style(item.kernel).colour}`, x1: at(0.5), x2: at(0.5), y1: y - 7, y2: y + 7 }));
      item.times.forEach((time, i) => node.append(s('circle', { class: `sample ${style(item.kernel).colour}`,
        cx: x.at(time / item.time), cy: y + (i * 0.618 % 1 - 0.5) * 8, r: 3.2 })));
    },
  }));
  const values = items.flatMap(item => item.times.map(time => time / item.time));
  const drawn = drawRows({ title: 'Samples', rows, values, middle: 1, x: { title: 'sample against its kernel’s median →', format: wholePercent } }, width);
  return { ...drawn, table: { columns: ['kernel', 'isa', 'sample', 'time_ns'],
    rows: items.flatMap(item => item.times.map((time, i) => [item.kernel, item.isa, i, time])) } };
};

// Comparisons, histories, certificates.

// Worst first, what is undecided last; each verdict has a shape, and a class that gives it a colour.
const verdicts = [
  { name: 'wrong', shape: shapes[3], style: 'bad' }, { name: 'regressed', shape: shapes[2], style: 'bad' },
  { name: 'suspect', shape: shapes[2], style: 'suspected' }, { name: 'improved', shape: shapes[4], style: 'good' },
  { name: 'same', shape: shapes[1], style: 'even' }, { name: 'can\'t tell', shape: shapes[0], style: 'open' },
];
const rankOf = item => verdicts.findIndex(verdict => verdict.name === item.verdict);
const words = fields => ['scene', 'kernel', 'isa', 'format', 'size', 'sigma', 'threads', 'edge'].filter(key => fields[key])
  .map(key => key === 'sigma' ? `σ ${fields.sigma}` : key === 'threads' ? `${fields.threads}T` : fields[key]);
const drawForest = comparison => width => {
  const all = comparison.cases.filter(item => !state.hidden.has(item.fields.kernel));
  const size = item => item.ratio ? Math.abs(Math.log(item.ratio[0])) : 0;
  const items = all.filter(item => item.ratio)
    .sort((a, b) => rankOf(a) - rankOf(b) || size(b) - size(a));
  if (!items.length) return null;
  const limit = comparison.all ? items.length : 30;
  const common = ['edge', 'threads', 'format', 'size', 'sigma', 'kernel'].filter(key =>
    new Set(items.map(item => item.fields[key])).size === 1 && items.length > 1);
  const pairs = new Set(items.map(item => `${item.fields.kernel}/${item.fields.isa}`)).size;
  if (pairs === new Set(items.map(item => item.fields.kernel)).size) common.push('isa');
  const label = fields => words(Object.fromEntries(Object.entries(fields).filter(([key]) => !common.includes(key)))).join(' ');
  const t = comparison.threshold;
  const drawn = drawRows({
    title: 'Ratios of times', middle: 1, bands: [[1 / (1 + t), 1 + t]], values: [1 / (1 + t), 1 + t, ...items.slice(0, limit).flatMap(item => item.ratio)],
    x: { title: '← head faster · head slower →', log: true, format: wholePercent },
    rows: items.slice(0, limit).map(item => ({
      name: label(item.fields) || item.fields.kernel, note: item.verdict,
      info: { title: words(item.fields).join(', '), command: item.command, facts: [
        ['verdict', item.verdict], ['change', `${percent(item.ratio[0])} [${percent(item.ratio[1])}, ${percent(item.ratio[2])}]`],
        ['times', `${duration(item.base)} to ${duration(item.head)}`], ['pairs', item.pairs],
        item.detects && ['detects', percent(1 + item.detects)], ...item.remarks.map(text => ['note', text]),
      ].filter(Boolean) },
      draw: (node, x, y) => {
        const { shape, style } = verdicts[rankOf(item)];
        node.append(
          s('line', { class: `interval ${style}`, x1: x.at(item.ratio[1]), x2: x.at(item.ratio[2]), y1: y, y2: y }),
          s('path', { class: `estimate ${style}`, transform: `translate(${x.at(item.ratio[0])} ${y})`, d: shape(5) }));
      },
    })),
  }, width);
  const rest = items.length - limit;
  const more = rest > 0 ? h('button', { type: 'button', click: () => { comparison.all = true; refresh(); } }, `Show ${rest} more`) : null;
  return { ...drawn, more, table: {
    columns: ['kernel', 'isa', 'threads', 'format', 'size', 'sigma', 'edge', 'verdict', 'ratio', 'low', 'high', 'base_ns', 'head_ns', 'pairs', 'detects', 'remarks', 'command'],
    rows: all.map(i => [...['kernel', 'isa', 'threads', 'format', 'size', 'sigma', 'edge'].map(key => i.fields[key]), i.verdict,
      ...(i.ratio ?? [null, null, null]), i.base, i.head, i.pairs, i.detects, i.remarks.join('; '), i.command]) } };
};
const drawHistory = history => width => {
  const dates = history.files.map(file => Date.parse(file.date));
  const key = name => name.split('/').slice(1).map(part => part.split('='));
  const chosen = history.trends.map(trend => ({ trend, fields: Object.fromEntries(key(trend.name)) })).filter(({ fields }) =>
    !state.hidden.has(fields.kernel) && ['format', 'size', 'edge'].every(name => fields[name] === state[name])
    && Number(fields.sigma) === state.sigma && Number(fields.threads) === state.threads);
  const rows = [];
  const series = chosen.map(({ trend, fields }) => {
    const first = trend.times.find(time => time), label = setsOf.get(fields.kernel)?.size > 1 ? `${fields.kernel} (${fields.isa})` : fields.kernel;
    const points = trend.times.map((time, i) => {
      if (!time) return null;
      const step = trend.steps.find(step => step.file === history.files[i].path);
      rows.push([fields.kernel, fields.isa, history.files[i].path, history.files[i].date, time, step?.change, step?.p]);
      return { x: dates[i], y: time / first, big: !!step, info: { title: label, facts: [['file', history.files[i].path],
        ['date', history.files[i].date.slice(0, 10)], ['time', duration(time)], ['since the first', percent(time / first)],
        ...step ? [['step', percent(1 + step.change) + (step.isOfMachine ? ', the machine itself' : '')]] : []],
      command: cases.find(item => item.kernel === fields.kernel && item.isa === fields.isa && fits(item, ['file']))?.command } };
    }).filter(Boolean);
    return { name: label, style: style(fields.kernel), line: true, points };
  }).filter(line => line.points.length > 1);
  if (!series.length) return null;
  const day = value => new Date(value).toISOString().slice(0, 10);
  const drawn = drawXY({ title: 'Time over dates', series, ends: true, rules: [{ y: 1, label: 'the first date' }],
    x: { title: 'date →', only: [...new Set(dates)], format: day, spacing: 90 }, y: { title: '↑ time against the first date', log: true, format: wholePercent } }, width);
  return { ...drawn, table: { columns: ['kernel', 'isa', 'file', 'date', 'median_ns', 'step', 'p'], rows } };
};
const certificateTable = rows => {
  const columns = new Set(rows.flatMap(Object.keys));
  const value = text => text !== undefined && text !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
  const order = data.certificates.columns.filter(column => columns.has(column));
  return { columns: order, rows: rows.map(row => order.map(column => value(row[column]))) };
};
const drawCertificates = width => {
  const format = certificates.some(row => row.format === state.format) ? state.format : certificates[0].format;
  const rows = certificates.filter(row => row.format === format && row.levels > 0 && row.at > 0 && !state.hidden.has(row.kernel));
  const series = [...groups(rows, row => `${row.kernel}${row.edge === 'clamp' ? '' : ` ${row.edge}`}`)].map(([name, list]) => ({
    name, style: style(list[0].kernel), line: true,
    points: list.sort((a, b) => a.at - b.at).map(row => ({ x: row.at, y: row.levels, info: { title: row.kernel, facts: [
      ['case', `${row.format}, sigma ${row.sigma}, ${row.edge}, ${row.isa}`], ['worst error', plural(digits(row.levels), 'level')],
      ['promise', row.promise ?? 'none'], ...row.breach ? [['broken', row.breach]] : []],
    command: row.command } })),
  })).sort((a, b) => a.points.at(-1).y - b.points.at(-1).y);
  if (!series.length) return null;
  return { ...drawXY({ title: 'Worst error of any image', series, ends: true, rules: [{ y: bound(format), label: format.endsWith('8') ? '1 level' : '10⁻³ of full scale' }],
    x: { title: `sigma, pixels → (${format})`, log: true, only: [...new Set(rows.map(row => row.at))].sort((a, b) => a - b) },
    y: { title: '↑ worst error of any image, levels', log: true } }, width), table: certificateTable(certificates) };
};

// Who is fastest, by workload.

const drawFastest = ({ sigmas, rows }) => () => {
  const cell = cell => !cell ? h('td') : h('td', { class: !cell.kernels.length ? 'none' : cell.isOwn ? 'own' : 'peer' },
    h('button', { type: 'button', click: () => { for (const [key] of dimensions) state[key] = cases[cell.place][key]; refresh(); document.getElementById('error-time').scrollIntoView(); } },
      h('strong', null, cell.kernels.length ? duration(cell.time) : 'none is near'), ' ', cell.kernels.join(', '),
      cell.runnerUp ? h('small', null, `${digits(cell.lead, 2)}× ahead of ${cell.runnerUp}`) : null));
  return {
    svg: h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Fastest kernels' }, h('table', { class: 'fastest' },
      h('thead', null, h('tr', null, ['', ...sigmas.map(sigma => `sigma ${digits(sigma)}`)].map(text => h('th', { scope: 'col' }, text)))),
      h('tbody', null, rows.map(row => h('tr', null, h('th', { scope: 'row' }, row.title), row.cells.map(cell)))))),
    table: { columns: ['workload', 'sigma', 'fastest', 'median_ns', 'runner_up', 'lead'],
      rows: rows.flatMap(row => row.cells.map((cell, i) => cell && [row.title, sigmas[i], cell.kernels.join(' '), cell.time, cell.runnerUp, cell.lead]).filter(Boolean)) },
  };
};

// Several machines: who is fastest where, and what one kernel for all of them costs.

const drawAcross = () => {
  const { machines, rows, limit } = data.across;
  const sorted = [...rows].sort((a, b) => (b.worst ?? 0) - (a.worst ?? 0));
  const shown = sorted.slice(0, 500);
  const name = kernel => [swatch(style(kernel)), kernel];
  const cost = slowdown => h('span', { class: slowdown > limit ? 'cost costly' : 'cost' }, slowdown > limit ? '▲ ' : '', percent(slowdown));
  const cell = cell => h('td', null, !cell ? '–' : !cell.kernel ? 'none is near' : [name(cell.kernel), h('div', null,
    h('small', null, duration(cell.time)), ' ', cell.slowdown === null ? null : cost(cell.slowdown))]);
  const matrix = h('table', { class: 'matrix' },
    h('thead', null, h('tr', null, ['Workload', ...machines, 'One for all'].map(text => h('th', { scope: 'col' }, text)))),
    h('tbody', null, shown.map(row => h('tr', null, h('th', { scope: 'row' }, row.workload), row.cells.map(cell),
      h('td', null, row.choice === null ? 'none' : [name(row.choice), h('div', null, h('small', null, 'at worst'), ' ', cost(row.worst))])))));
  return {
    svg: h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Fastest kernels by machine' }, matrix),
    more: shown.length < rows.length ? h('small', null, `The first ${shown.length} of ${rows.length} workloads; the table’s file has all.`) : null,
    table: {
      columns: ['workload', 'machine', 'fastest', 'isa', 'median_ns', 'one_for_all', 'slowdown', 'worst_slowdown'],
      rows: sorted.flatMap(row => row.cells.map((cell, i) => cell && [row.workload, machines[i], cell.kernel, cell.isa, cell.time,
        row.choice, cell.slowdown, row.worst]).filter(Boolean)),
    },
  };
};

// Kernels of this build.

const drawResponse = (entry, kind) => width => {
  const { gaussian, reach } = data.summaries;
  const isWeights = kind === 'weights';
  const place = isWeights ? i => i - reach : i => 0.5 * i / (gaussian.spectrum.length - 1);
  const decibels = value => 20 * Math.log10(Math.max(Math.abs(value), 1e-7));
  const level = isWeights ? Math.abs : decibels;
  const line = (name, values, look, faint) => ({ name, style: look, line: true, faint,
    points: values.map((value, i) => ({ x: place(i), y: level(value) })).filter(p => p.y >= (isWeights ? 1e-9 : -139)) });
  const drawn = drawXY({
    title: `${entry.kernel}: ${isWeights ? 'impulse response' : 'spectrum'}`, height: 230, left: 48, legend: true,
    series: [line('Gaussian', gaussian[kind], styleOf(-1)), line(entry.kernel, entry.response[kind], { ...style(entry.kernel), dash: null })],
    x: isWeights ? { title: 'distance, pixels', spacing: 34, range: [-reach, reach] } : { title: 'cycles per pixel', spacing: 34, range: [0, 0.5] },
    y: isWeights ? { title: 'weight (absolute)', log: true, range: [1e-9, 0.3] } : { title: 'gain, dB', range: [-145, 5] },
  }, width);
  return { ...drawn, table: { columns: [isWeights ? 'distance' : 'frequency', entry.kernel, 'gaussian'],
    rows: entry.response[kind].map((value, i) => [place(i), value, gaussian[kind][i]]) } };
};
const card = entry => {
  const { sigma } = data.summaries;
  const picture = (src, text) => h('figure', { class: 'picture' }, h('img', { src, alt: `${entry.kernel}: ${text}`, width: 160, height: 120 }), h('figcaption', null, text));
  const own = certificates.filter(row => row.kernel === entry.kernel);
  const rows = own.map(row => h('tr', null, [row.format, row.sigma, row.edge].map(text => h('td', null, text)),
    row.skipped ? h('td', { colspan: 3 }, row.skipped) : [row.levels, Number(row.across_achieved_sigma), Number(row.across_shift_variance_levels)]
      .map(value => h('td', { class: 'number' }, digits(value))), h('td', null, row.breach ? `broken: ${row.breach}` : row.skipped ? '' : 'kept')));
  // Folded on a phone; what is folded has no width to draw for.
  return h('details', { class: 'card', open: innerWidth > 620 ? '' : null, id: `kernel-${data.kernels.indexOf(entry.kernel)}`, toggle: event => figures.filter(({ node }) => event.target.contains(node)).forEach(drawFigure) },
    h('summary', null, h('h3', null, swatch(style(entry.kernel)), entry.kernel)), h('p', null, `${entry.summary[0].toUpperCase()}${entry.summary.slice(1)}. Promise: ${entry.promise}.`),
    h('div', { class: 'pictures' }, picture(entry.picture, `result at sigma ${sigma}`), entry.difference ? picture(entry.difference, `|result − truth| × ${entry.amplification}; at most ${plural(entry.levels, 'level')}`)
      : h('p', { class: 'equal' }, 'Every pixel is the truth, rounded: there is no difference to show.')),
    h('div', { class: 'pair' }, ['weights', 'spectrum'].map(kind => figure(`${kind}-${data.kernels.indexOf(entry.kernel)}`,
      kind === 'weights' ? 'Impulse response' : 'Spectrum', '', drawResponse(entry, kind)))),
    rows.length ? h('details', { class: 'table' }, h('summary', null, plural(rows.length, 'certificate')), h('div', { class: 'scroll' }, h('table', null,
      h('thead', null, h('tr', null, ['format', 'sigma', 'edge', 'worst error, levels', 'achieved sigma', 'shift variance, levels', 'promise']
        .map(text => h('th', { scope: 'col' }, text)))), h('tbody', null, rows)))) : null);
};

// The page itself.

const buildTop = () => {
  const origins = data.files.map(file => Object.fromEntries(file.origin)).filter(origin => origin.cpu);
  const machines = new Set(origins.map(origin => `${origin.cpu}, ${origin.cores} cores`));
  const about = [
    data.files.length && plural(data.files.length, 'file'), measured.length && plural(measured.length, 'case') + ' with times',
    ...machines, origins[0]?.date?.slice(0, 10),
  ].filter(Boolean);
  document.getElementById('top').append(h('p', { class: 'brand' }, 'BlurBench report'),
    h('h1', null, data.sentences[0] ?? 'Nothing was measured.'), ...data.sentences.slice(1).map(text => h('p', null, text)),
    h('p', { class: 'about' }, about.join(' · ')));
};
const problems = () => {
  const all = [...groups(cases.filter(item => item.state), item => [item.state, item.kernel, item.message].join('\n')).values()]
    .sort((a, b) => (a[0].state === 'wrong' ? 0 : 1) - (b[0].state === 'wrong' ? 0 : 1) || b.length - a.length);
  if (!all.length) return null;
  return tableOf('not-measured', { columns: ['state', 'kernel', 'cases', 'reason', 'first command'],
    rows: all.map(list => [list[0].state, list[0].kernel, list.length, list[0].message, list[0].command]) });
};
const environment = () => data.files.map(file => h('details', { class: 'origin' },
  h('summary', null, `${file.path} (${file.kind})`), file.origin.length
    ? h('dl', null, file.origin.map(([key, value]) => [h('dt', null, key), h('dd', null, value)]))
    : h('p', null, 'No .txt file stands beside it: where it was measured is not known.')));

const build = () => {
  section('fastest', 'Fastest kernels', ...data.fastest.map(entry => figure(`fastest-${entry.file}`,
    data.fastest.length > 1 ? data.files[entry.file].path : 'Who is fastest where', 'The fastest kernel near the Gaussian, and its lead over the next that is not tied with it. '
      + 'Coloured: a kernel of this package; grey: a plug-in. A click shows the workload below.', drawFastest(entry))));
  if (blurs.length) {
    const has = key => new Set(blurs.map(item => item[key])).size > 1;
    section('error-time', 'Error against time', figure('errors', 'Who is near the Gaussian, and quick',
      () => `${workload()}. Down and to the left is better. The line is the Pareto front: no other kernel is better in both.`, drawErrors));
    if (blurs.some(item => item.frames.length)) section('frames', 'Frames', figure('frame-times', 'The time of each frame',
      () => `${state.scene || workload()}. The pass whose 99th percentile is the middle one. Frames above a dashed line are late.`, drawFrames));
    if (has('sigma')) section('over-sigma', 'Time against sigma', figure('sigmas', 'Time per pixel as sigma grows',
      () => `${workload(['sigma'])}. Both axes are logarithmic; memcpy copies the image once and is the floor.`,
      drawSweep('sigma', { title: 'sigma, pixels →' }, 'Time per pixel against sigma')));
    section('scaling', 'Scaling', has('size') && figure('sizes', 'Over the size of the image', () => `${workload(['size'])}. A level line is time in proportion to pixels.`,
      drawSweep('size', { title: 'pixels →', format: value => digits(value / 1e6, 2) + ' M' }, 'Time per pixel against size')),
    has('threads') && figure('threads', 'Over threads', () => `${workload(['threads'])}. Twice the threads would at best be twice as fast.`, drawSpeedUp));
    section('samples-of', 'Samples', figure('samples', 'How far samples lie from their median',
      () => `${workload()}. Each point is a sample; from ten on, a box holds the middle half. To the right, the median.`, drawSamples));
  }
  if (data.across) section('across', 'Across machines', h('p', null, data.across.sentence), figure('machines', 'Who is fastest where',
    `Among kernels within 1 level of the Gaussian on the measured picture (10⁻³ of full scale in 16-bit and float formats), each with its widest `
      + 'instruction set. One for all is the kernel whose worst slowdown against a machine’s own fastest is least; percentages are what it costs, '
      + `▲ more than ${wholePercent(data.across.limit).slice(1)}. The worst come first; the filters above leave this table whole.`, drawAcross),
  data.across.notes.length ? h('ul', { class: 'notes' }, data.across.notes.map(note => h('li', null, note))) : null);
  data.comparisons.forEach((comparison, i) => section(`comparison-${i}`, 'Comparison', figure(`forest-${i}`, comparison.sentence,
    `${comparison.base} (base) against ${comparison.head} (head). Lines hold the truth in 95 of 100 cases; the band is the threshold of ${digits(100 * comparison.threshold)} %.`, drawForest(comparison)),
  comparison.notes.length ? h('ul', { class: 'notes' }, comparison.notes.map(note => h('li', null, note))) : null));
  data.histories.forEach((history, i) => section(`history-${i}`, 'History', figure(`dates-${i}`, 'Time over dates',
    () => `${workload()}. Large marks are steps: lasting changes of at least ${digits(100 * history.threshold)} %.`, drawHistory(history))));
  if (certificates.length) section('certificates', 'Certificates', figure('certified', 'The largest error of any image',
    'By blurbench certify, before rounding; not of one picture, but of all there are.', drawCertificates));
  if (data.summaries) section('kernels', 'Kernels', h('div', { class: 'intro' },
    h('img', { src: data.summaries.picture, alt: 'Overlapping discs of all sizes', width: 160, height: 120 }),
    h('p', null, `Each kernel of this build blurs this picture at sigma ${data.summaries.sigma}. Impulse responses and spectra are of one `
      + 'position in grayf32, as far as single precision goes; dashed, the Gaussian’s.')), h('div', { class: 'cards' }, data.summaries.kernels.map(card)));
  section('problems', 'Not measured', problems());
  section('environment', 'Environment', environment());
  document.getElementById('end').append('Times are medians. Compare within one run: ratios to memcpy travel better than nanoseconds, but a neighbour moves them too.');
};
let fillFilters = null;
const refresh = () => {
  hideTip();
  const { name, value, type } = document.activeElement ?? {};
  fillFilters?.();
  // The field that was changed is there anew.
  if (name) document.querySelector(`[name="${name}"]${type === 'checkbox' ? `[value="${value}"]` : ''}`)?.focus();
  figures.forEach(drawFigure);
};

chooseFirst();
buildTop();
fillFilters = buildFilters();
build();
refresh();
let lastWidth = innerWidth, pending = 0;
addEventListener('resize', () => {
  if (innerWidth === lastWidth) return;
  lastWidth = innerWidth;
  cancelAnimationFrame(pending);
  pending = requestAnimationFrame(refresh);
});
