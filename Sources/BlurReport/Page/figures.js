// The figures of one workload. Each figure can draw itself for a given width and the current choice.

const figures = [];
const figure = (id, title, caption, draw) => {
  const node = h('figure', { id });
  figures.push({ node, id, title, caption, draw });
  return node;
};
/** Draws a figure. Its function `draw` returns the plot, null if the filters leave nothing to show, or
 * undefined to hide the figure. */
const drawFigure = ({ node, id, title, caption, draw }) => {
  // A hidden element has no width, so the figure is shown before its width is read.
  node.hidden = false;
  const { paddingLeft, paddingRight } = getComputedStyle(node);
  const room = node.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
  const drawn = draw(Math.max(200, Math.floor(room)));
  const wasOpen = node.querySelector('details.table')?.open;
  const head = [h('h3', null, title), h('p', null, typeof caption === 'function' ? caption() : caption)];
  node.hidden = drawn === undefined;
  if (!drawn) {
    return node.replaceChildren(...head, h('p', { class: 'nothing' }, state.error === 'certified'
      ? 'No kernel that was measured for this choice has a certificate.'
      : 'Nothing was measured for this choice.'));
  }
  const table = drawn.table ? tableOf(id, drawn.table) : '';
  node.replaceChildren(...head, drawn.svg, drawn.legend ?? '', drawn.more ?? '', table);
  if (wasOpen && table) table.open = true;
};
const sections = [];
const section = (id, title, ...children) => {
  const present = children.flat().filter(Boolean);
  if (!present.length) return;
  const node = h('section', { id }, h('h2', null, title), present);
  const link = h('a', { href: `#${id}` }, title);
  sections.push({ node, link });
  document.getElementById('plots').append(node);
  document.getElementById('contents').append(link);
};
/** Draws all figures. A section is hidden, together with its link, if all its figures are hidden. */
const drawFigures = () => {
  for (const { node } of sections) node.hidden = false;
  figures.forEach(drawFigure);
  for (const { node, link } of sections) {
    const own = figures.filter(figure => node.contains(figure.node));
    link.hidden = node.hidden = own.length > 0 && own.every(figure => figure.node.hidden);
  }
};

const infoOf = item => ({
  title: seriesName(item),
  facts: [
    ['case', [item.scene, item.format, item.size, `sigma ${digits(item.sigma)}`, item.edge,
      item.pace === 'warm' ? null : item.pace, item.isa, plural(item.threads, 'thread')]
      .filter(Boolean).join(', ')],
    ['time', `${duration(item.time)}, the median of ${item.times.length}; `
      + `${duration(item.low)} to ${duration(item.high)}`],
    item.memcpy !== null
      && ['relative to memcpy', `${digits(item.memcpyLow)} to ${digits(item.memcpyHigh)} times as long`],
    item.error !== null && ['error', plural(digits(item.error), 'level')
      + (item.rms === null ? '' : `; root mean square ${digits(item.rms)}`)],
    item.certified !== null && ['certified', plural(digits(item.certified), 'level')],
    ...Object.entries(item.extras ?? {}),
  ].filter(Boolean),
  command: item.command,
});
const caseColumns = [
  'kernel', 'isa', 'threads', 'format', 'size', 'sigma', 'edge', 'pace', 'median_ns', 'low_ns', 'high_ns',
  'ns_per_pixel', 'samples', 'memcpy_ratio', 'memcpy_ratio_low', 'memcpy_ratio_high', 'max_error_levels',
  'certified_levels', 'psnr_db', 'achieved_sigma', 'plan_ns', 'command',
];
const caseTable = items => {
  const extras = [...new Set(items.flatMap(item => Object.keys(item.extras ?? {})))];
  return {
    columns: [...caseColumns, ...extras],
    rows: items.map(i => [
      i.kernel, i.isa, i.threads, i.format, i.size, i.sigma, i.edge, i.pace, i.time, i.low, i.high,
      i.time / i.pixels, i.times.length, i.memcpy, i.memcpyLow, i.memcpyHigh, i.error, i.certified, i.psnr,
      i.achieved, i.plan, i.command, ...extras.map(name => i.extras?.[name]),
    ]),
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
  const series = items.map(item => {
    const isFirst = front.includes(item), ends = [item.low, item.high];
    const point = { x: item.time, y: level(item), ends, info: infoOf(item), first: isFirst ? 0 : 1 };
    return { name: seriesName(item), style: style(item.kernel), points: [{ ...point, big: isFirst }] };
  });
  const copy = copyOf()[0];
  const range = copy && [Math.min(copy.time, items[0].time) / 1.3, items.at(-1).time * 1.25];
  const drawn = drawXY({
    title: 'Error against time', series, labels: true, legend: true,
    front: front.map(item => ({ x: item.time, y: level(item) })),
    x: { title: 'time of one blur →', log: true, format: duration, spacing: 80, range },
    y: {
      title: `↑ error, levels (${errors[state.error]})`, log: true,
      format: value => value <= zero * 1.001 ? '0' : digits(value),
    },
    rules: copy ? [{ x: copy.time, low: copy.low, high: copy.high, label: 'memcpy' }] : [],
  }, width);
  return { ...drawn, table: caseTable(items) };
};

/** Draws the time per pixel as a function of one part of the workload, such as sigma. */
const drawSweep = (key, axis, title) => width => {
  const value = item => key === 'size' ? item.pixels : item[key];
  const pointOf = item => ({
    x: value(item), y: item.time / item.pixels, ends: [item.low, item.high].map(time => time / item.pixels),
    info: infoOf(item),
  });
  const items = shown(blurs, [key]);
  const sorted = list => [...list].sort((a, b) => value(a) - value(b));
  const only = [...new Set(items.map(value))].sort((a, b) => a - b);
  if (only.length < 2) return undefined;
  const lines = [...groups(items, seriesName)].map(([name, list]) => ({
    name, style: style(list[0].kernel), line: true, points: sorted(list).map(pointOf),
  })).sort((a, b) => a.points.at(-1).y - b.points.at(-1).y);
  const floor = sorted(copyOf([key]));
  const copies = [...groups(floor, value).values()].map(list => pointOf(list[0]));
  if (floor.length) lines.unshift({ name: 'memcpy', style: styleOf(-1), line: true, points: copies });
  const drawn = drawXY({
    title, series: lines, ends: true, x: { log: true, only, ...axis },
    y: { title: '↑ time per pixel, ns', log: true },
  }, width);
  return { ...drawn, table: caseTable([...floor, ...items]) };
};

/** Draws the speed-up with more threads, relative to the smallest number of threads that was measured. */
const drawSpeedUp = width => {
  const items = shown(blurs, ['threads']);
  const counts = [...new Set(items.map(item => item.threads))].sort((a, b) => a - b);
  const pointOf = one => item => {
    const info = infoOf(item), times = one.time / item.time;
    const ends = item === one ? null : [one.low / item.high, one.high / item.low];
    const fact = ['speed-up', `${digits(times)} times${ends ? ` ${interval(...ends)}` : ''}`];
    return { x: item.threads, y: times, ends, info: { ...info, facts: [fact, ...info.facts] } };
  };
  const lines = [...groups(items, seriesName)].map(([name, list]) => {
    const one = list.find(item => item.threads === counts[0]);
    const sorted = one ? [...list].sort((a, b) => a.threads - b.threads) : [];
    return { name, style: style(list[0].kernel), line: true, points: sorted.map(pointOf(one)) };
  }).filter(line => line.points.length > 1).sort((a, b) => b.points.at(-1).y - a.points.at(-1).y);
  if (!lines.length) return undefined;
  const points = counts.map(x => ({ x, y: x / counts[0] }));
  const ideal = { name: 'ideal', style: styleOf(-1), line: true, points };
  const drawn = drawXY({
    title: 'Speed-up over threads', series: [ideal, ...lines], ends: true,
    x: { only: counts, title: 'threads →', format: String },
    y: { title: `↑ times as fast as with ${plural(counts[0], 'thread')}`, zero: true },
  }, width);
  return { ...drawn, table: caseTable(items) };
};

// The frame times of scenes, compared with the time that a screen allows for a frame.

const budgets = [60, 120].map(rate => ({ rate, ms: 1000 / rate }));
/** Draws the frame times of a scene. Of all passes, it shows the one with the median 99th percentile. */
const drawFrames = width => {
  const items = shown(blurs).filter(item => item.frames.length);
  if (!items.length) return undefined;
  const late = times => quantile(times, 0.99);
  const series = items.map(item => {
    const pass = [...item.frames].sort((a, b) => late(a) - late(b))[item.frames.length >> 1];
    const longest = pass.indexOf(Math.max(...pass)), info = infoOf(item);
    const facts = [['longest', `${duration(pass[longest])}, frame ${longest}`], ...info.facts];
    const told = i => i === longest && { ...info, facts };
    const points = pass.map((time, i) => ({ x: i, y: time / 1e6, info: told(i) }));
    return { name: seriesName(item), style: style(item.kernel), line: true, points };
  });
  const most = Math.max(budgets[0].ms, ...series.flatMap(line => line.points.map(p => p.y)));
  const drawn = drawXY({
    title: 'Frame times', series, ends: true,
    rules: budgets.map(({ rate, ms }) => ({ y: ms, label: `${digits(ms)} ms: ${rate} Hz` })),
    x: { title: 'frame →', format: String },
    y: { title: '↑ time of a frame, ms', range: [0, 1.05 * most] },
  }, width);
  const rows = items.flatMap(item => item.frames.flatMap((pass, k) =>
    pass.map((time, i) => [item.kernel, item.isa, k, i, time])));
  return { ...drawn, table: { columns: ['kernel', 'isa', 'pass', 'frame', 'time_ns'], rows } };
};

const scenes = blurs.filter(item => item.scene && Number(item.extras?.frame_p99_ns) > 0);
/** Draws the median, 99th percentile and longest frame time of every scene, with the 60 and 120 Hz limits. */
const drawLateness = width => {
  const items = scenes.filter(item => item.file === state.file && item.threads === state.threads
    && !state.hidden.has(item.kernel));
  if (!items.length || !state.scene) return undefined;
  const ms = (item, name) => Number(item.extras[name]) / 1e6;
  const sorted = [...items].sort((a, b) => ms(b, 'frame_p99_ns') - ms(a, 'frame_p99_ns'));
  const several = new Set(items.map(item => item.kernel)).size > 1;
  const rows = sorted.map(item => ({
    name: several ? `${item.scene}, ${seriesName(item)}` : item.scene,
    note: `${digits(ms(item, 'frame_p99_ns'))} ms`, info: infoOf(item),
    draw: (node, x, y) => {
      const at = ['frame_p50_ns', 'frame_p99_ns', 'frame_max_ns'].map(name => x.at(ms(item, name)));
      const { colour } = style(item.kernel);
      node.append(s('line', { class: `line faint ${colour}`, x1: at[1], x2: at[2], y1: y, y2: y }),
        s('line', { class: `line ${colour}`, x1: at[0], x2: at[1], y1: y, y2: y, 'stroke-width': 5 }),
        s('circle', { class: `sample ${colour}`, cx: at[0], cy: y, r: 4 }));
    },
  }));
  const values = [...budgets.map(({ ms }) => ms), ...items.flatMap(item =>
    ['frame_p50_ns', 'frame_max_ns'].map(name => ms(item, name)))].filter(value => value > 0);
  const drawn = drawRows({
    title: 'Frames of all scenes', rows, values,
    rules: budgets.map(({ rate, ms }) => ({ x: ms, label: `${rate} Hz` })),
    x: { title: 'time of a frame, ms →', log: true },
  }, width);
  return { ...drawn, table: caseTable(sorted) };
};

const drawSamples = width => {
  const items = byTime(shown(blurs)).slice(0, 40);
  if (!items.length) return null;
  const rows = items.map(item => ({
    name: seriesName(item), note: duration(item.time),
    info: { ...infoOf(item), facts: [
      ['samples', item.times.length], ['fastest', duration(Math.min(...item.times), 4)],
      ['median', duration(item.time, 4)],
      ['quartiles', [0.25, 0.75].map(share => duration(quantile(item.times, share), 4)).join(' to ')],
      ['slowest', duration(Math.max(...item.times), 4)],
    ] },
    draw: (node, x, y) => {
      const { colour } = style(item.kernel);
      const at = share => x.at(quantile(item.times, share) / item.time);
      const [low, middle, high] = [0.25, 0.5, 0.75].map(at);
      if (item.times.length >= 10) {
        const width = Math.max(1, high - low);
        node.append(s('rect', { class: `box ${colour}`, x: low, y: y - 7, height: 14, width }),
          s('line', { class: `line ${colour}`, x1: middle, x2: middle, y1: y - 7, y2: y + 7 }));
      }
      item.times.forEach((time, i) => node.append(s('circle', {
        class: `sample ${colour}`, cx: x.at(time / item.time), cy: y + (i * 0.618 % 1 - 0.5) * 8, r: 3.2,
      })));
    },
  }));
  const values = items.flatMap(item => item.times.map(time => time / item.time));
  const drawn = drawRows({
    title: 'Samples', rows, values, middle: 1,
    x: { title: 'sample relative to its kernel’s median →', format: wholePercent },
  }, width);
  return { ...drawn, table: { columns: ['kernel', 'isa', 'sample', 'time_ns'],
    rows: items.flatMap(item => item.times.map((time, i) => [item.kernel, item.isa, i, time])) } };
};
