// The two kinds of plots (points over two axes, and rows over one common axis), and the tables of their data.

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
const plotOf = (title, width, height) => s('svg', {
  class: 'plot', viewBox: `0 0 ${width} ${height}`, width, height, role: 'group', 'aria-label': title,
});

// Labels. The width of each text is measured, because it decides where the label fits.

const pen = document.createElement('canvas').getContext('2d');
const widthOf = text => {
  pen.font = '12px system-ui, sans-serif';
  return pen.measureText(text).width;
};
/** Returns small boxes along a line through several points, so that labels avoid the line itself. */
const boxesAlong = points => points.slice(1).flatMap(([x, y], i) => {
  const [x0, y0] = points[i], steps = Math.ceil(Math.hypot(x - x0, y - y0) / 4) || 1;
  return Array.from({ length: steps + 1 }, (_, k) => {
    const [px, py] = [x0 + (x - x0) * k / steps, y0 + (y - y0) * k / steps];
    return [px - 1, py - 1, px + 1, py + 1];
  });
});
// The positions that are tried for a label: first next to its point, above, below and diagonal, then further
// away with a line to the point.
const nearPlaces = [
  [9, 4, 'start'], [-9, 4, 'end'], [0, -10, 'middle'], [0, 19, 'middle'],
  [8, -7, 'start'], [8, 16, 'start'], [-8, -7, 'end'], [-8, 16, 'end'],
];
const farPlaces = [24, 38].flatMap(far => [
  [far * 0.7, -far * 0.7, 'start'], [far * 0.7, far * 0.7 + 8, 'start'], [-far * 0.7, -far * 0.7, 'end'],
  [-far * 0.7, far * 0.7 + 8, 'end'], [0, -far, 'middle'], [0, far + 8, 'middle'],
]);
/** Puts the name of each mark where it covers no other mark, line or name. A name that fits nowhere is left
 * out. The first marks have the first choice of places. */
const drawLabels = (svg, marks, lines, box) => {
  const taken = [...marks.map(mark => [mark.x - 6, mark.y - 6, mark.x + 6, mark.y + 6]), ...lines];
  const isFree = area => area[0] >= box.left && area[2] <= box.right && area[1] >= box.top
    && area[3] <= box.bottom
    && !taken.some(t => area[0] < t[2] && t[0] < area[2] && area[1] < t[3] && t[1] < area[3]);
  for (const mark of marks) {
    const width = widthOf(mark.label);
    const areaOf = ([dx, dy, anchor]) => {
      const x = mark.x + dx - (anchor === 'start' ? 0 : anchor === 'end' ? width : width / 2);
      return [x - 2, mark.y + dy - 10, x + width + 2, mark.y + dy + 3];
    };
    const place = [...nearPlaces, ...farPlaces].find(place => isFree(areaOf(place)));
    if (!place) continue;
    const [dx, dy, anchor] = place;
    const end = [mark.x + dx, mark.y + dy - (dy > 0 ? 9 : -2)];
    const leader = farPlaces.includes(place)
      ? s('path', { class: 'leader', d: `M${mark.x} ${mark.y}L${end[0]} ${end[1]}` }) : null;
    taken.push(areaOf(place));
    if (leader) taken.push(...boxesAlong([[mark.x, mark.y], end]));
    if (leader) svg.insertBefore(leader, svg.querySelector('.series'));
    svg.append(s('text', { class: 'label', x: mark.x + dx, y: mark.y + dy, 'text-anchor': anchor },
      mark.label));
  }
};

/** Puts names at the right ends of lines, spread apart vertically. Names that do not fit are left out. */
const drawEnds = (svg, ends, box) => {
  const room = Math.max(1, Math.floor((box.bottom - box.top) / 14));
  const shown = ends.slice(0, room).sort((a, b) => a.y - b.y);
  let y = box.top - 8;
  const places = shown.map(end => (y = Math.max(end.y, y + 14)));
  let limit = box.bottom + 14;
  for (let i = places.length - 1; i >= 0; i--) limit = places[i] = Math.min(places[i], limit - 14);
  shown.forEach((end, i) => svg.append(s('g', { class: 'series', 'data-series': end.series },
    s('path', {
      class: `leader ${end.style.colour}`,
      d: `M${end.x + 5} ${end.y}L${box.right + 10} ${places[i]}`,
    }),
    s('g', { transform: `translate(${box.right + 15} ${places[i]})` }, symbol(end.style, 3.2)),
    s('text', { class: 'label', x: box.right + 22, y: places[i] + 4 }, end.label))));
};

/**
 * Draws a line across the plot, with a band from `low` to `high` if these are given.
 *
 * Returns the label of the line, which is added to the plot last, so that nothing covers it.
 */
const drawRule = (svg, rule, x, y, box) => {
  const isUpright = rule.x !== undefined;
  const at = isUpright ? x.at(rule.x) : y.at(rule.y);
  if (isUpright && rule.low !== undefined) {
    const [low, high] = [x.at(rule.low), x.at(rule.high)];
    svg.append(s('rect', {
      class: 'band copy', x: low, width: Math.max(1, high - low), y: box.top, height: box.bottom - box.top,
    }));
  }
  const ends = isUpright ? { x1: at, x2: at, y1: box.top, y2: box.bottom }
    : { y1: at, y2: at, x1: box.left, x2: box.right };
  const place = isUpright ? { x: at + 5, y: y ? box.top + 12 : box.bottom - 3, 'text-anchor': 'start' }
    : { x: box.right - 4, y: at + 12, 'text-anchor': 'end' };
  svg.append(s('line', { class: 'rule', ...ends }));
  return s('text', { class: 'label copy', ...place }, rule.label);
};

/** Returns both ends of a point's interval along the time axis, or null if the point has no interval. */
const endsOf = (p, spec, x, y) => {
  const [low, high] = p.ends ?? [];
  if (!p.ends) return null;
  return spec.labels ? [[x.at(low), y.at(p.y)], [x.at(high), y.at(p.y)]]
    : [[x.at(p.x), y.at(low)], [x.at(p.x), y.at(high)]];
};
/** Draws the line, intervals and marks of one series. Returns the marks and the right end of the line. */
const drawSeries = (svg, series, i, spec, x, y) => {
  const points = series.points.filter(p =>
    Number.isFinite(p.x) && Number.isFinite(p.y) && (!spec.y.log || p.y > 0));
  const group = s('g', {
    class: `series${series.faint ? ' faint' : ''}`, 'data-series': i, 'data-name': series.name,
  });
  if (series.line && points.length > 1) {
    group.append(s('path', {
      class: `line ${series.style.colour}`, 'stroke-dasharray': series.style.dash,
      d: points.map((p, k) => `${k ? 'L' : 'M'}${x.at(p.x).toFixed(1)} ${y.at(p.y).toFixed(1)}`).join(''),
    }));
  }
  const marks = points.filter(p => p.info).map(p => {
    const ends = endsOf(p, spec, x, y);
    if (ends) {
      group.append(s('line', {
        class: `line ends ${series.style.colour}`, x1: ends[0][0], y1: ends[0][1], x2: ends[1][0],
        y2: ends[1][1],
      }));
    }
    const node = s('g', { class: 'mark', transform: `translate(${x.at(p.x)} ${y.at(p.y)})` },
      symbol(series.style, p.big ? 7 : series.line ? 4 : 5.5));
    group.append(node);
    return {
      node, ends, x: x.at(p.x), y: y.at(p.y), info: p.info, series: i, label: series.name,
      first: p.first ?? 1,
    };
  });
  svg.append(group);
  const last = points.at(-1);
  const tail = last && {
    x: x.at(last.x), y: y.at(last.y), label: series.name, style: series.style, series: i,
  };
  return { marks, tail };
};

/** Draws points and lines over two axes. Series: {name, style, points: [{x, y, ends, info}], line, faint}. */
const drawXY = (spec, width) => {
  const isWide = width > 620, ends = spec.ends && isWide && spec.series.length > 1;
  const height = spec.height ?? (isWide ? 420 : 320);
  const longest = Math.max(0, ...spec.series.map(series => widthOf(series.name)));
  const box = {
    left: spec.left ?? 58, right: width - (ends ? Math.min(220, 34 + longest) : 14), top: 26,
    bottom: height - 44,
  };
  const all = spec.series.flatMap(series => series.points);
  const heights = all.flatMap(p => spec.labels ? p.y : [p.y, ...p.ends ?? []]);
  const x = scale({ spacing: 60, ...spec.x }, all.map(p => p.x), box.left + 8, box.right - 8);
  const y = scale({ spacing: 42, ...spec.y }, heights, box.bottom, box.top);
  const svg = plotOf(spec.title, width, height);
  drawAxes(svg, spec, x, y, box);
  const names = (spec.rules ?? []).map(rule => drawRule(svg, rule, x, y, box));
  const front = (spec.front ?? []).map(p => [x.at(p.x), y.at(p.y)]);
  if (front.length) {
    svg.append(s('path', { class: 'front', d: 'M' + front.map(point => point.join(' ')).join('L') }));
  }
  const drawn = spec.series.map((series, i) => drawSeries(svg, series, i, spec, x, y));
  const marks = drawn.flatMap(({ marks }) => marks);
  if (spec.labels) {
    const rules = (spec.rules ?? []).filter(rule => rule.x !== undefined)
      .map(rule => [[x.at(rule.x), box.top], [x.at(rule.x), box.bottom]]);
    const lines = [front, ...rules, ...marks.map(mark => mark.ends).filter(Boolean)].flatMap(boxesAlong);
    drawLabels(svg, [...marks].sort((a, b) => a.first - b.first), lines, box);
  }
  svg.append(...names);
  if (ends) drawEnds(svg, drawn.map(({ tail }) => tail).filter(Boolean), box);
  bringToLife(svg, marks);
  const legend = (spec.ends && !ends) || spec.legend ? h('ul', { class: 'legend' },
    spec.series.map(series => h('li', null, swatch(series.style), series.name))) : null;
  return { svg, legend };
};

/**
 * Draws rows with a name on the left. Each row draws its own marks over the common axis.
 *
 * A row is {name, note, info, draw(group, x, y, box)}, or {heading} for a line of text between rows.
 */
const drawRows = (spec, width) => {
  const isWide = width > 620;
  const size = isWide ? 26 : 40, top = 8, bottom = top + size * spec.rows.length + 4, height = bottom + 44;
  const longest = Math.max(...spec.rows.map(row => widthOf(row.name ?? '')));
  const left = isWide ? Math.min(0.42 * width, 20 + longest) : 10;
  const box = { left, right: width - (isWide ? 100 : 12), top, bottom };
  const x = scale({ spacing: 70, ...spec.x }, spec.values, box.left + 8, box.right - 8);
  const svg = plotOf(spec.title, width, height);
  const inside = place => Math.min(box.right, Math.max(box.left, place));
  for (const [from, to] of spec.bands ?? []) {
    const [low, high] = [inside(x.at(from)), inside(x.at(to))];
    svg.append(s('rect', { class: 'band', x: low, y: top, height: bottom - top, width: high - low }));
  }
  drawAxes(svg, spec, x, null, box);
  if (spec.middle !== undefined) {
    svg.append(s('line', {
      class: 'rule', x1: x.at(spec.middle), x2: x.at(spec.middle), y1: top, y2: bottom,
    }));
  }
  const names = (spec.rules ?? []).map(rule => drawRule(svg, rule, x, null, box));
  const marks = spec.rows.map((row, i) => {
    const y = top + size * (i + (isWide ? 0.5 : 0.7)), textY = isWide ? y + 4 : y - 13;
    if (row.heading) {
      svg.append(s('line', { class: 'parting', x1: 4, x2: width - 4, y1: y - 11, y2: y - 11 }),
        s('text', { class: 'label heading', x: isWide ? 10 : 8, y: y + 5 }, row.heading));
      return null;
    }
    const limit = isWide ? left - 12 : width - 26 - widthOf(row.note);
    let name = row.name;
    while (name.length > 3 && widthOf(name) > limit) name = name.slice(0, -2) + '…';
    const node = s('g', { class: 'mark row' });
    row.draw(node, x, y, box);
    const anchor = { x: isWide ? left - 8 : 10, 'text-anchor': isWide ? 'end' : 'start' };
    svg.append(s('text', { class: 'label', y: textY, 'font-size': isWide ? 12 : 11, ...anchor }, name),
      s('text', { class: 'label note', x: width - 6, y: textY, 'text-anchor': 'end' }, row.note), node);
    return { node, x: box.left, width: box.right - box.left, y, info: row.info, series: i };
  });
  svg.append(...names);
  bringToLife(svg, marks.filter(Boolean));
  return { svg };
};

// Tables, which are built when they are first opened, and their CSV files.

const csvField = value => {
  if (typeof value === 'number') return String(value);
  let text = String(value ?? '').replace(/\s+/g, ' ');
  // Spreadsheets would treat text that begins with one of these characters as a formula.
  if (/^[=+\-@]/.test(text)) text = `'${text}`;
  return /[",']|^ | $/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
const csvText = table => [table.columns, ...table.rows]
  .map(row => row.map(csvField).join(',') + '\r\n').join('');
const download = (name, text) => {
  const link = h('a', { download: name, href: URL.createObjectURL(new Blob([text], { type: 'text/csv' })) });
  link.click();
  URL.revokeObjectURL(link.href);
};
const scrolling = (label, ...children) =>
  h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': label }, children);
const headOf = titles => h('thead', null,
  h('tr', null, titles.map(title => h('th', { scope: 'col' }, title))));
const tableOf = (name, table) => {
  const details = h('details', { class: 'table' }, h('summary', null, `Table (${table.rows.length})`));
  details.addEventListener('toggle', () => {
    if (!details.open || details.children.length > 1) return;
    const shown = table.rows.slice(0, 500);
    const cell = value => h('td', typeof value === 'number' ? { class: 'number' } : null,
      typeof value === 'number' ? digits(value, 5) : value ?? '');
    const save = () => download(`${name}.csv`, csvText(table));
    details.append(...[
      h('button', { type: 'button', click: save }, 'Download as CSV'),
      shown.length < table.rows.length
        ? h('small', null, ` Only the first ${shown.length} rows are shown; the CSV file has all.`) : null,
      scrolling('Table', h('table', null, headOf(table.columns),
        h('tbody', null, shown.map(row => h('tr', null, row.map(cell)))))),
    ].filter(Boolean));
  });
  return details;
};

// The matrix of the fastest kernels, with a row for each format and size and a column for each sigma.

/**
 * Returns the matrix of the fastest kernels.
 *
 * `cellOf(cell, row, children)` wraps the contents of a cell in a button or a link.
 */
const matrixOf = ({ sigmas, rows }, cellOf) => {
  const family = cell => !cell.kernels.length ? 'none' : cell.isTie ? 'both' : cell.isOwn ? 'own' : 'peer';
  // A lead below 2 is shown with three digits. With two digits, a narrow lead would look like no lead.
  const lead = (cell, count = cell.lead < 2 ? 3 : 2) => h('small', null, `${digits(cell.lead, count)}× `,
    `${interval(cell.leadLow, cell.leadHigh, count)} ahead of ${cell.runnerUp}`);
  const show = (cell, row) => !cell ? h('td') : h('td', { class: family(cell) }, cellOf(cell, row, [
    h('strong', null, cell.kernels.length ? duration(cell.time) : 'no kernel is close'), ' ',
    cell.kernels.join(', '), cell.runnerUp ? lead(cell) : null,
  ]));
  return scrolling('Fastest kernels', h('table', { class: 'fastest' },
    headOf(['', ...sigmas.map(sigma => `sigma ${digits(sigma)}`)]),
    h('tbody', null, rows.map(row => h('tr', null, h('th', { scope: 'row' }, row.title),
      row.cells.map(cell => show(cell, row)))))));
};
