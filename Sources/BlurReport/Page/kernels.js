// The sections about kernels: certificates, the fastest kernels, and a card for each kernel of this build.

const certificateTable = rows => {
  const columns = new Set(rows.flatMap(Object.keys));
  const isNumber = text => text !== undefined && text !== '' && Number.isFinite(Number(text));
  const value = text => isNumber(text) ? Number(text) : text;
  const order = data.certificates.columns.filter(column => columns.has(column));
  return { columns: order, rows: rows.map(row => order.map(column => value(row[column]))) };
};
const certifiedText = row =>
  plural(digits(row.levels), 'level') + (row.uncertainty > 0 ? ` ± ${digits(row.uncertainty)}` : '');
/** Returns the line that shows the certificates of a kernel in a plot. Bars show the known uncertainty of
 * each certificate. */
const certificateLine = ([name, list]) => ({
  name, style: style(list[0].kernel), line: true,
  points: list.sort((a, b) => a.at - b.at).map(row => ({
    x: row.at, y: row.levels,
    ends: row.uncertainty > 0
      ? [Math.max(row.levels - row.uncertainty, row.levels / 100), row.levels + row.uncertainty] : null,
    info: {
      title: row.kernel, command: row.command,
      facts: [
        ['case', `${row.format}, sigma ${digits(row.at)}, ${row.edge}, ${row.isa}`],
        ['worst error', certifiedText(row)],
        ['promise', row.promise ?? 'none'], ...row.violation ? [['broken', row.violation]] : [],
      ],
    },
  })),
});
const drawCertificates = width => {
  const isKnown = certificates.some(row => row.format === state.format);
  const format = isKnown ? state.format : certificates[0].format;
  const rows = certificates.filter(row => row.format === format && row.levels > 0 && row.at > 0
    && !state.hidden.has(row.kernel));
  const lines = groups(rows, row => `${row.kernel}${row.edge === 'clamp' ? '' : ` ${row.edge}`}`);
  const series = [...lines].map(certificateLine).sort((a, b) => a.points.at(-1).y - b.points.at(-1).y);
  if (!series.length) return null;
  const drawn = drawXY({
    title: 'Worst error of any image', series, ends: true,
    rules: [{ y: bound(format), label: isIn8Bits(format) ? '1 level' : '10⁻³ of full scale' }],
    x: {
      title: `sigma, pixels → (${format})`, log: true,
      only: [...new Set(rows.map(row => row.at))].sort((a, b) => a - b),
    },
    y: { title: '↑ worst error of any image, levels', log: true },
  }, width);
  return { ...drawn, table: certificateTable(certificates) };
};

/** Draws the fastest kernel of each workload. A click chooses the workload for the plots below. */
const drawFastest = table => () => {
  const show = place => () => {
    for (const [key] of dimensions) state[key] = cases[place][key];
    state.isErrorChosen = false;
    refresh();
    document.getElementById('error-time').scrollIntoView();
  };
  const button = (cell, row, children) => h('button', { type: 'button', click: show(cell.place) }, children);
  const { sigmas, rows } = table;
  return {
    svg: matrixOf(table, button),
    table: {
      columns: ['workload', 'sigma', 'fastest', 'median_ns', 'runner_up', 'lead', 'lead_low', 'lead_high'],
      rows: rows.flatMap(row => row.cells.map((cell, i) => cell && [
        row.title, sigmas[i], cell.kernels.join(' '), cell.time, cell.runnerUp, cell.lead, cell.leadLow,
        cell.leadHigh,
      ]).filter(Boolean)),
    },
  };
};

// The cards of the kernels.

const drawResponse = (entry, kind) => width => {
  const { gaussian, reach } = data.summaries;
  const isWeights = kind === 'weights';
  const place = isWeights ? i => i - reach : i => 0.5 * i / (gaussian.spectrum.length - 1);
  const decibels = value => 20 * Math.log10(Math.max(Math.abs(value), 1e-7));
  const level = isWeights ? Math.abs : decibels;
  const line = (name, values, look) => ({
    name, style: look, line: true,
    points: values.map((value, i) => ({ x: place(i), y: level(value) }))
      .filter(p => p.y >= (isWeights ? 1e-9 : -139)),
  });
  const own = line(entry.kernel, entry.response[kind], { ...style(entry.kernel), dash: null });
  const drawn = drawXY({
    title: `${entry.kernel}: ${isWeights ? 'impulse response' : 'spectrum'}`, height: 230, left: 48,
    legend: true, series: [line('Gaussian', gaussian[kind], styleOf(-1)), own],
    x: isWeights ? { title: 'distance, pixels', spacing: 34, range: [-reach, reach] }
      : { title: 'cycles per pixel', spacing: 34, range: [0, 0.5] },
    y: isWeights ? { title: 'weight (absolute)', log: true, range: [1e-9, 0.3] }
      : { title: 'gain, dB', range: [-145, 5] },
  }, width);
  return { ...drawn, table: {
    columns: [isWeights ? 'distance' : 'frequency', entry.kernel, 'gaussian'],
    rows: entry.response[kind].map((value, i) => [place(i), value, gaussian[kind][i]]),
  } };
};
const certificateList = own => {
  const numbers = row => [row.levels, Number(row.across_achieved_sigma),
    Number(row.across_shift_variance_levels)].map(value => h('td', { class: 'number' }, digits(value)));
  const rows = own.map(row => h('tr', null,
    [row.format, digits(row.at), row.edge].map(text => h('td', null, text)),
    row.skipped ? h('td', { colspan: 3 }, row.skipped) : numbers(row),
    h('td', null, row.violation ? `broken: ${row.violation}` : row.skipped ? '' : 'kept')));
  const titles = ['format', 'sigma', 'edge', 'worst error, levels', 'achieved sigma',
    'shift variance, levels', 'promise'];
  return h('details', { class: 'table' }, h('summary', null, plural(rows.length, 'certificate')),
    h('div', { class: 'scroll' }, h('table', null, headOf(titles), h('tbody', null, rows))));
};
const picturesOf = entry => {
  const picture = (src, text) => h('figure', { class: 'picture' },
    h('img', { src, alt: `${entry.kernel}: ${text}`, width: 160, height: 120 }), h('figcaption', null, text));
  const most = plural(entry.levels, 'level');
  return h('div', { class: 'pictures' }, picture(entry.picture, `result at sigma ${data.summaries.sigma}`),
    entry.difference
      ? picture(entry.difference, `|result − truth| × ${entry.amplification}; at most ${most}`)
      : h('p', { class: 'equal' }, 'Every pixel equals the rounded truth, so no difference is shown.'));
};
const card = entry => {
  const number = data.kernels.indexOf(entry.kernel);
  const own = certificates.filter(row => row.kernel === entry.kernel);
  // A collapsed card has no width, so its figures are drawn when it is opened.
  const toggle = event => figures.filter(({ node }) => event.target.contains(node)).forEach(drawFigure);
  // Cards are collapsed on a narrow screen, such as that of a phone.
  const open = innerWidth > 620 ? '' : null;
  const summary = `${entry.summary[0].toUpperCase()}${entry.summary.slice(1)}. Promise: ${entry.promise}.`;
  const plots = [
    ['weights', 'Impulse response', 'The blur of a single white pixel on black.'],
    ['spectrum', 'Spectrum', 'How much of a wave the blur keeps, from wide waves on the left to fine ones on '
      + 'the right. 0 dB is all of it, −40 dB a hundredth.'],
  ].map(([kind, title, caption]) =>
    figure(`${kind}-${number}`, title, caption, drawResponse(entry, kind)));
  return h('details', { class: 'card', open, id: `kernel-${number}`, toggle },
    h('summary', null, h('h3', null, swatch(style(entry.kernel)), entry.kernel)), h('p', null, summary),
    picturesOf(entry), h('div', { class: 'pair' }, plots), own.length ? certificateList(own) : null);
};
