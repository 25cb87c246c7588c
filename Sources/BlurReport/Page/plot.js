'use strict';
// Drawing: elements, scales, plots of two kinds, tables. Everything from the data is set as text or as an
// attribute, never as markup.

const make = (space, tag, attributes, children) => {
  const node = space ? document.createElementNS(space, tag) : document.createElement(tag);
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (typeof value === 'function') node.addEventListener(key, value);
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(key, value);
  }
  node.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined));
  return node;
};
const h = (tag, attributes, ...children) => make(null, tag, attributes, children);
const s = (tag, attributes, ...children) => make('http://www.w3.org/2000/svg', tag, attributes, children);

// Numbers for people.

const digits = (value, count = 3) => {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size < 1e-4 || size >= 1e6) {
    const [mantissa, exponent] = value.toExponential(count - 1).split('e');
    const power = [...String(Number(exponent))].map(c => c === '-' ? '⁻' : '⁰¹²³⁴⁵⁶⁷⁸⁹'[c]).join('');
    return Number(mantissa) === 1 ? '10' + power : `${Number(mantissa)}·10${power}`;
  }
  return String(Number(value.toPrecision(Math.max(count, Math.min(15, Math.ceil(Math.log10(size)))))));
};
const duration = (ns, count = 3) => {
  if (ns === null || ns === undefined || !Number.isFinite(ns)) return '–';
  const [unit, size] = [['s', 1e9], ['ms', 1e6], ['µs', 1e3]].find(unit => ns >= unit[1] * 0.9995) ?? ['ns', 1];
  return `${digits(ns / size, count)} ${unit}`;
};
const percent = ratio => {
  const value = 100 * (ratio - 1);
  const text = Math.abs(value) < 100 ? value.toFixed(1) : value.toFixed(0);
  return (value > 0 && !/^0\.?0*$/.test(text) ? '+' : '') + text.replace('-', '−') + ' %';
};
const wholePercent = ratio => percent(ratio).replace('.0 %', ' %');
const quantile = (values, share) => {
  if (!values.length) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const at = share * (sorted.length - 1), below = Math.floor(at);
  return sorted[below] + (at - below) * (sorted[Math.min(below + 1, sorted.length - 1)] - sorted[below]);
};
const median = values => quantile(values, 0.5);

// Scales.

const linearTicks = (low, high, count) => {
  const rough = (high - low) / count, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(k => k * power).find(step => step >= rough * 0.999);
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) ticks.push(i * step);
  return ticks;
};
const logTicks = (low, high, count) => {
  const decades = Math.log10(high / low);
  if (decades < 0.7) return linearTicks(low, high, count);
  const factors = decades * 3 <= count ? [1, 2, 5] : [1];
  const every = Math.max(1, Math.ceil(decades / count));
  const ticks = [];
  for (let p = Math.floor(Math.log10(low)); p <= Math.ceil(Math.log10(high)); p++) {
    if (((p % every) + every) % every) continue;
    for (const factor of factors) ticks.push(factor * 10 ** p);
  }
  const inside = ticks.filter(tick => tick >= low * 0.999 && tick <= high * 1.001);
  return inside.length > 1 ? inside : linearTicks(low, high, Math.min(count, 4)).filter(tick => tick > 0);
};
/** Maps values to pixels. `axis`: log, values to show exactly (`only`), room beyond the data (`pad`). */
const scale = (axis, values, from, to) => {
  const known = values.filter(value => Number.isFinite(value) && (!axis.log || value > 0));
  let low = Math.min(...known), high = Math.max(...known);
  if (!known.length) [low, high] = [1, 10];
  if (axis.range) [low, high] = axis.range;
  else if (axis.log) {
    const room = Math.max((high / low) ** 0.05, low === high ? 2 : 1.06);
    [low, high] = [low / room, high * room];
  } else {
    const room = (high - low) * 0.06 || 1;
    [low, high] = [axis.zero ? Math.min(0, low) : low - room, high + room];
  }
  const f = axis.log ? Math.log : value => value;
  const at = value => from + (to - from) * (f(value) - f(low)) / (f(high) - f(low));
  const count = Math.max(2, Math.abs(to - from) / (axis.spacing ?? 70));
  const every = axis.only ? Math.ceil(axis.only.length / count) : 1;
  const ticks = axis.only ? axis.only.filter((_, i) => i % every === 0)
    : axis.log ? logTicks(low, high, count) : linearTicks(low, high, count);
  return { at, ticks, low, high };
};

// Marks: a colour, a shape and a dash for each kernel, the same in all plots.

const shapes = [
  r => `M${-r} 0A${r} ${r} 0 1 1 ${r} 0A${r} ${r} 0 1 1 ${-r} 0Z`,
  r => `M${-r} ${-r}H${r}V${r}H${-r}Z`,
  r => `M0 ${-1.25 * r}L${1.2 * r} ${r}H${-1.2 * r}Z`,
  r => `M0 ${-1.35 * r}L${1.35 * r} 0L0 ${1.35 * r}L${-1.35 * r} 0Z`,
  r => `M0 ${1.25 * r}L${1.2 * r} ${-r}H${-1.2 * r}Z`,
  r => `M${-r} ${-r / 3}H${-r / 3}V${-r}H${r / 3}V${-r / 3}H${r}V${r / 3}H${r / 3}V${r}H${-r / 3}V${r / 3}H${-r}Z`,
  r => `M0 ${-0.5 * r}L${0.7 * r} ${-1.2 * r}L${1.2 * r} ${-0.7 * r}L${0.5 * r} 0L${1.2 * r} ${0.7 * r}L${0.7 * r} ${1.2 * r}`
    + `L0 ${0.5 * r}L${-0.7 * r} ${1.2 * r}L${-1.2 * r} ${0.7 * r}L${-0.5 * r} 0L${-1.2 * r} ${-0.7 * r}L${-0.7 * r} ${-1.2 * r}Z`,
];
const dashes = [null, '7 3', '2 3', '8 3 2 3'];
const styleOf = index => index < 0 ? { colour: 'copy', shape: shapes[0], dash: '4 4' } : {
  colour: `k${index % 7}`, shape: shapes[(index + Math.floor(index / 7)) % 7],
  dash: dashes[Math.floor(index / 7) % dashes.length],
};
/** Grey, with a shape and a dash that follow from the name alone. */
const peerStyle = name => {
  const hash = [...name].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)) % 9973, 7);
  return { colour: 'peer', shape: shapes[hash % 7], dash: dashes[hash % 4] };
};
const symbol = (style, r = 5) => s('path', { d: style.shape(r), class: `symbol ${style.colour}` });
const swatch = style => s('svg', { class: 'swatch', width: 26, height: 14, 'aria-hidden': 'true' },
  s('path', { d: 'M1 7H25', class: `line ${style.colour}`, 'stroke-dasharray': style.dash }),
  s('g', { transform: 'translate(13 7)' }, symbol(style, 4)));

// What is said of a mark: on hover, on focus, and to screen readers.

const tip = document.getElementById('tip');
let pinned = null;
const showTip = (mark, isPinned) => {
  pinned = isPinned ? mark : null;
  const { title, facts, command } = mark.info;
  const copy = command && isPinned && h('button', {
    type: 'button', click: async event => {
      try {
        await navigator.clipboard.writeText(command);
        event.target.textContent = 'Copied';
      } catch {
        getSelection().selectAllChildren(event.target.previousSibling);
        event.target.textContent = 'Press Ctrl+C';
      }
    },
  }, 'Copy');
  tip.replaceChildren(...[
    h('strong', null, title),
    h('dl', null, facts.map(([key, value]) => [h('dt', null, key), h('dd', null, value)])),
    command && h('div', { class: 'command' }, h('code', null, command), copy || null),
    command && !isPinned && h('small', null, 'Click or Enter keeps this open, to copy the command.'),
  ].filter(Boolean));
  tip.hidden = false;
  tip.classList.toggle('pinned', !!isPinned);
  const box = mark.node.getBoundingClientRect(), size = tip.getBoundingClientRect();
  const left = Math.max(8, Math.min(box.left + box.width / 2 + 14, innerWidth - size.width - 8));
  const above = box.top - size.height - 12;
  tip.style.left = `${left}px`;
  tip.style.top = `${above > 8 ? above : Math.min(box.bottom + 12, innerHeight - size.height - 8)}px`;
};
const hideTip = () => { tip.hidden = true; pinned = null; };
addEventListener('keydown', event => { if (event.key === 'Escape') hideTip(); });
addEventListener('click', event => {
  if (pinned && !tip.contains(event.target) && !event.target.closest?.('svg.plot')) hideTip();
});

/** Marks answer the pointer nearest to them, and the arrow keys: one stop of the tab key for each plot. */
const bringToLife = (svg, marks) => {
  marks.forEach((mark, i) => {
    mark.node.setAttribute('role', 'img');
    mark.node.setAttribute('tabindex', i ? -1 : 0);
    mark.node.setAttribute('aria-label',
      [mark.info.title, ...mark.info.facts.map(fact => fact.join(' '))].join(', '));
  });
  let lit = null;
  const light = (mark, isPinned) => {
    if (lit === mark && !isPinned) return;
    lit?.node.classList.remove('lit');
    lit = mark;
    svg.classList.toggle('lit', !!mark);
    svg.querySelectorAll('.series').forEach(node =>
      node.classList.toggle('lit', !!mark && node.dataset.series === String(mark.series)));
    mark?.node.classList.add('lit');
    if (mark) showTip(mark, isPinned);
    else if (!pinned) hideTip();
  };
  const near = event => {
    const box = svg.getBoundingClientRect(), zoom = box.width / svg.viewBox.baseVal.width;
    const [x, y] = [(event.clientX - box.left) / zoom, (event.clientY - box.top) / zoom];
    let best = null, least = 28 ** 2;
    for (const mark of marks) {
      const dx = mark.width ? Math.max(0, mark.x - x, x - mark.x - mark.width) : x - mark.x;
      const distance = dx ** 2 + (y - mark.y) ** 2;
      if (distance < least) [best, least] = [mark, distance];
    }
    return best;
  };
  svg.addEventListener('pointermove', event => { if (!pinned) light(near(event)); });
  svg.addEventListener('pointerleave', () => { if (!pinned) light(null); });
  svg.addEventListener('click', event => { const mark = near(event); if (mark) light(mark, true); else hideTip(); });
  svg.addEventListener('focusin', event => {
    const mark = marks.find(mark => mark.node === event.target);
    if (mark && event.target.matches(':focus-visible')) light(mark);
  });
  svg.addEventListener('focusout', () => { if (!pinned) light(null); });
  svg.addEventListener('keydown', event => {
    const i = marks.findIndex(mark => mark.node === event.target);
    if (i < 0) return;
    if (event.key === 'Enter' || event.key === ' ') light(marks[i], true);
    const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -i, End: marks.length - 1 - i };
    if (event.key in steps) {
      const next = (i + steps[event.key] + marks.length) % marks.length;
      marks[i].node.setAttribute('tabindex', -1);
      marks[next].node.setAttribute('tabindex', 0);
      pinned = null;
      marks[next].node.focus();
    } else if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
  });
};

const drawAxes = (svg, spec, x, y, box) => {
  const { left, right, top, bottom } = box;
  const grid = s('g', { class: 'axis' });
  for (const tick of x.ticks) {
    grid.append(s('line', { x1: x.at(tick), x2: x.at(tick), y1: top, y2: bottom }),
      s('text', { x: x.at(tick), y: bottom + 17, 'text-anchor': 'middle' }, (spec.x.format ?? digits)(tick)));
  }
  for (const tick of y?.ticks ?? []) {
    grid.append(s('line', { x1: left, x2: right, y1: y.at(tick), y2: y.at(tick) }),
      s('text', { x: left - 7, y: y.at(tick) + 4, 'text-anchor': 'end' }, (spec.y.format ?? digits)(tick)));
  }
  grid.append(s('text', { class: 'title', x: right, y: bottom + 36, 'text-anchor': 'end' }, spec.x.title));
  if (spec.y) grid.append(s('text', { class: 'title', x: 4, y: 13 }, spec.y.title));
  svg.append(grid);
};

/** Puts a name beside each point where there is room; the first points come first. */
const drawLabels = (svg, marks, box) => {
  const taken = marks.map(mark => [mark.x - 5, mark.y - 5, mark.x + 5, mark.y + 5]);
  for (const mark of marks) {
    const width = 6.7 * mark.label.length;
    const beside = [[9, 4, 'start'], [-9, 4, 'end']], above = [[0, -10, 'middle'], [0, 18, 'middle']];
    // The front runs through its points from the left to the right.
    const places = mark.first ? [...beside, ...above] : [...above, ...beside];
    for (const [dx, dy, anchor] of places) {
      const [px, py] = [mark.x + dx, mark.y + dy];
      const start = anchor === 'start' ? px : anchor === 'end' ? px - width : px - width / 2;
      const area = [start - 2, py - 11, start + width + 2, py + 3];
      const fits = area[0] >= box.left && area[2] <= box.right && area[1] >= box.top && area[3] <= box.bottom;
      if (!fits || taken.some(t => area[0] < t[2] && t[0] < area[2] && area[1] < t[3] && t[1] < area[3])) continue;
      taken.push(area);
      svg.append(s('text', { class: 'label', x: px, y: py, 'text-anchor': anchor }, mark.label));
      break;
    }
  }
};

/** Names at the right ends of lines, moved apart; those for which there is no room are left out. */
const drawEnds = (svg, ends, box) => {
  const room = Math.max(1, Math.floor((box.bottom - box.top) / 14));
  const shown = ends.slice(0, room).sort((a, b) => a.y - b.y);
  let y = box.top - 8;
  const places = shown.map(end => (y = Math.max(end.y, y + 14)));
  let limit = box.bottom + 14;
  for (let i = places.length - 1; i >= 0; i--) limit = places[i] = Math.min(places[i], limit - 14);
  shown.forEach((end, i) => svg.append(s('g', { class: 'series', 'data-series': end.series },
    s('path', { class: `leader ${end.style.colour}`, d: `M${end.x + 5} ${end.y}L${box.right + 10} ${places[i]}` }),
    s('g', { transform: `translate(${box.right + 15} ${places[i]})` }, symbol(end.style, 3.2)),
    s('text', { class: 'label', x: box.right + 22, y: places[i] + 4 }, end.label))));
};

/** Points and lines over two axes. Series: {name, style, points: [{x, y, info}], line, faint}. */
const drawXY = (spec, width) => {
  const isWide = width > 620, ends = spec.ends && isWide && spec.series.length > 1;
  const height = spec.height ?? (isWide ? 420 : 320);
  const longest = Math.max(0, ...spec.series.map(series => series.name.length));
  const box = { left: spec.left ?? 58, right: width - (ends ? Math.min(200, 34 + 6.8 * longest) : 14), top: 26, bottom: height - 44 };
  const all = spec.series.flatMap(series => series.points);
  const x = scale({ spacing: 60, ...spec.x }, all.map(p => p.x), box.left + 8, box.right - 8);
  const y = scale({ spacing: 42, ...spec.y }, all.flatMap(p => spec.labels ? p.y : [p.y, ...p.ends ?? []]), box.bottom, box.top);
  const svg = s('svg', { class: 'plot', viewBox: `0 0 ${width} ${height}`, width, height, role: 'group', 'aria-label': spec.title });
  drawAxes(svg, spec, x, y, box);
  for (const line of spec.rules ?? []) {
    const place = line.x !== undefined
      ? { x1: x.at(line.x), x2: x.at(line.x), y1: box.top, y2: box.bottom }
      : { y1: y.at(line.y), y2: y.at(line.y), x1: box.left, x2: box.right };
    svg.append(s('line', { class: 'rule', ...place }), s('text', {
      class: 'label copy', x: line.x !== undefined ? place.x1 + 5 : box.right - 4, y: (line.x !== undefined ? box.top : place.y1) + 12,
      'text-anchor': line.x !== undefined ? 'start' : 'end',
    }, line.label));
  }
  if (spec.front?.length) {
    svg.append(s('path', { class: 'front', d: spec.front.map((p, i) => `${i ? 'L' : 'M'}${x.at(p.x)} ${y.at(p.y)}`).join('') }));
  }
  const marks = [], tails = [];
  spec.series.forEach((series, i) => {
    const points = series.points.filter(p => Number.isFinite(p.x) && Number.isFinite(p.y) && (!spec.y.log || p.y > 0));
    const group = s('g', { class: `series${series.faint ? ' faint' : ''}`, 'data-series': i, 'data-name': series.name });
    if (series.line && points.length > 1) {
      group.append(s('path', { class: `line ${series.style.colour}`, 'stroke-dasharray': series.style.dash,
        d: points.map((p, k) => `${k ? 'L' : 'M'}${x.at(p.x).toFixed(1)} ${y.at(p.y).toFixed(1)}`).join('') }));
    }
    for (const p of points) {
      if (!p.info) continue;
      // The interval lies across the axis of time.
      const [low, high] = p.ends ?? [];
      if (p.ends && spec.labels) group.append(s('line', { class: `line ${series.style.colour}`, x1: x.at(low), x2: x.at(high), y1: y.at(p.y), y2: y.at(p.y) }));
      else if (p.ends) group.append(s('line', { class: `line ${series.style.colour}`, x1: x.at(p.x), x2: x.at(p.x), y1: y.at(low), y2: y.at(high) }));
      const node = s('g', { class: 'mark', transform: `translate(${x.at(p.x)} ${y.at(p.y)})` }, symbol(series.style, p.big ? 7 : series.line ? 4 : 5.5));
      group.append(node);
      marks.push({ node, x: x.at(p.x), y: y.at(p.y), info: p.info, series: i, label: series.name, first: p.first ?? 1 });
    }
    const last = points.at(-1);
    if (last) tails.push({ x: x.at(last.x), y: y.at(last.y), label: series.name, style: series.style, series: i });
    svg.append(group);
  });
  if (spec.labels) drawLabels(svg, [...marks].sort((a, b) => a.first - b.first), box);
  if (ends) drawEnds(svg, tails, box);
  bringToLife(svg, marks);
  const legend = (spec.ends && !ends) || spec.legend
    ? h('ul', { class: 'legend' }, spec.series.map(series => h('li', null, swatch(series.style), series.name))) : null;
  return { svg, legend };
};

/** Rows with a name to the left: each draws itself over the axis. Rows: {name, note, draw(group, x, y), info}. */
const drawRows = (spec, width) => {
  const isWide = width > 620;
  const size = isWide ? 26 : 40, top = 8, bottom = top + size * spec.rows.length + 4, height = bottom + 44;
  const longest = Math.max(...spec.rows.map(row => row.name.length));
  const left = isWide ? Math.min(0.42 * width, 20 + 6.9 * longest) : 10;
  const box = { left, right: width - (isWide ? 100 : 12), top, bottom };
  const x = scale({ spacing: 70, ...spec.x }, spec.values, box.left + 8, box.right - 8);
  const svg = s('svg', { class: 'plot', viewBox: `0 0 ${width} ${height}`, width, height, role: 'group', 'aria-label': spec.title });
  for (const [from, to] of spec.bands ?? []) {
    svg.append(s('rect', { class: 'band', x: Math.max(box.left, x.at(from)), y: top, height: bottom - top,
      width: Math.max(0, Math.min(box.right, x.at(to)) - Math.max(box.left, x.at(from))) }));
  }
  drawAxes(svg, spec, x, null, box);
  if (spec.middle !== undefined) svg.append(s('line', { class: 'rule', x1: x.at(spec.middle), x2: x.at(spec.middle), y1: top, y2: bottom }));
  const marks = spec.rows.map((row, i) => {
    const y = top + size * (i + (isWide ? 0.5 : 0.7));
    const limit = Math.floor(isWide ? (left - 12) / 6.9 : (width - 26 - 6.4 * row.note.length) / 6);
    const name = row.name.length > limit ? row.name.slice(0, limit - 1) + '…' : row.name;
    const node = s('g', { class: 'mark row' });
    row.draw(node, x, y);
    svg.append(
      s('text', { class: 'label', x: isWide ? left - 8 : 10, y: isWide ? y + 4 : y - 13, 'text-anchor': isWide ? 'end' : 'start', 'font-size': isWide ? 12 : 11 }, name),
      s('text', { class: 'label note', x: width - 6, y: isWide ? y + 4 : y - 13, 'text-anchor': 'end' }, row.note), node);
    return { node, x: box.left, width: box.right - box.left, y, info: row.info, series: i };
  });
  bringToLife(svg, marks);
  return { svg };
};

// Tables, made when they are opened, and their CSV.

const csvField = value => {
  if (typeof value === 'number') return String(value);
  let text = String(value ?? '').replace(/\s+/g, ' ');
  // Spreadsheets take such a beginning for a formula.
  if (/^[=+\-@]/.test(text)) text = `'${text}`;
  return /[",']|^ | $/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
const csvText = table => [table.columns, ...table.rows].map(row => row.map(csvField).join(',') + '\r\n').join('');
const download = (name, text) => {
  const link = h('a', { download: name, href: URL.createObjectURL(new Blob([text], { type: 'text/csv' })) });
  link.click();
  URL.revokeObjectURL(link.href);
};
const tableOf = (name, table) => {
  const details = h('details', { class: 'table' }, h('summary', null, `Table (${table.rows.length})`));
  details.addEventListener('toggle', () => {
    if (!details.open || details.children.length > 1) return;
    const shown = table.rows.slice(0, 500);
    const cell = value => h('td', typeof value === 'number' ? { class: 'number' } : null,
      typeof value === 'number' ? digits(value, 5) : value ?? '');
    details.append(...[
      h('button', { type: 'button', click: () => download(`${name}.csv`, csvText(table)) }, 'Download as CSV'),
      shown.length < table.rows.length ? h('small', null, ` The first ${shown.length} rows; the file has all.`) : null,
      h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Table' }, h('table', null,
        h('thead', null, h('tr', null, table.columns.map(column => h('th', { scope: 'col' }, column)))),
        h('tbody', null, shown.map(row => h('tr', null, row.map(cell)))))),
    ].filter(Boolean));
  });
  return details;
};
