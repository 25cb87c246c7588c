// Plots of changes: comparisons of two sides, such as two builds, and histories over many days.

// The verdicts in the order in which they are shown: the worst first and the undecided ones last. Each has a
// shape and a CSS class for its colour.
const verdicts = [
  { name: 'wrong', shape: shapes[3], style: 'bad' }, { name: 'regressed', shape: shapes[2], style: 'bad' },
  { name: 'suspect', shape: shapes[2], style: 'suspected' },
  { name: 'missing', shape: shapes[0], style: 'suspected' },
  { name: 'improved', shape: shapes[4], style: 'good' }, { name: 'same', shape: shapes[1], style: 'even' },
  { name: 'not slower', shape: shapes[1], style: 'even' },
  { name: 'can\'t tell', shape: shapes[0], style: 'open' },
];
const rankOf = item => verdicts.findIndex(verdict => verdict.name === item.verdict);
const fieldKeys = ['scene', 'kernel', 'isa', 'format', 'size', 'sigma', 'threads', 'edge', 'pace'];
const words = fields => fieldKeys.filter(key => fields[key]).map(key => key === 'sigma'
  ? `sigma ${digits(Number(fields.sigma))}` : key === 'threads' ? `${fields.threads}T` : fields[key]);
/** Returns a function that labels a case by only those parts of its name that differ between the cases. */
const labeller = items => {
  const kinds = of => new Set(items.map(of)).size;
  const common = ['edge', 'threads', 'format', 'size', 'sigma', 'kernel', 'pace'].filter(key =>
    kinds(item => item.fields[key]) === 1 && items.length > 1);
  const kernel = item => item.fields.kernel;
  if (kinds(item => `${kernel(item)}/${item.fields.isa}`) === kinds(kernel)) common.push('isa');
  return fields => words(Object.fromEntries(Object.entries(fields).filter(([key]) => !common.includes(key))))
    .join(' ') || fields.kernel;
};
const changeInfo = item => ({
  title: words(item.fields).join(', '), command: item.command,
  facts: [
    ['verdict', item.verdict],
    item.ratio && ['change',
      `${percent(item.ratio[0])} [${percent(item.ratio[1])}, ${percent(item.ratio[2])}]`],
    item.ratio && ['times', `${duration(item.base)} to ${duration(item.head)}`], ['pairs', item.pairs],
    item.detects && ['smallest detectable', percent(1 + item.detects)],
    ...item.remarks.map(text => ['note', text]),
  ].filter(Boolean),
});
const drawChange = item => (node, x, y, box) => {
  const { shape, style } = verdicts[rankOf(item)] ?? verdicts.at(-1);
  const mark = at => s('path', {
    class: `estimate ${style}`, transform: `translate(${at} ${y})`, d: shape(5),
  });
  // A wrong or missing case may have no time. Its mark is drawn at the right end, and its label says that
  // there is no time.
  if (!item.ratio) return node.append(mark(box.right - 8));
  const [middle, low, high] = item.ratio.map(ratio => x.at(ratio));
  node.append(s('line', { class: `interval ${style}`, x1: low, x2: high, y1: y, y2: y }), mark(middle));
};
const changeColumns = ['kernel', 'isa', 'threads', 'format', 'size', 'sigma', 'edge'];
const changeTable = all => ({
  columns: [...changeColumns, 'verdict', 'ratio', 'low', 'high', 'base_ns', 'head_ns', 'pairs', 'detects',
    'remarks', 'command'],
  rows: all.map(i => [
    ...changeColumns.map(key => i.fields[key]), i.verdict, ...i.ratio ?? [null, null, null], i.base, i.head,
    i.pairs, i.detects, i.remarks.join('; '), i.command,
  ]),
});
/** Draws the cases of a comparison, ordered by verdict and then by effect. Undecided cases are set apart. */
const drawForest = comparison => width => {
  const all = comparison.cases.filter(item => !state.hidden.has(item.fields.kernel));
  const size = item => item.ratio ? Math.abs(Math.log(item.ratio[0])) : Infinity;
  const items = all.filter(item => item.ratio || ['wrong', 'missing'].includes(item.verdict))
    .sort((a, b) => rankOf(a) - rankOf(b) || size(b) - size(a));
  if (!items.length) return null;
  const limit = comparison.all ? items.length : 30, first = items.slice(0, limit);
  const label = labeller(items), t = comparison.threshold;
  const rowOf = item => ({
    name: label(item.fields), note: item.verdict + (item.ratio ? '' : ', no time'),
    info: changeInfo(item), draw: drawChange(item),
  });
  const [open, decided] = [true, false].map(isOpen =>
    first.filter(item => (item.verdict === 'can\'t tell') === isOpen));
  const apart = open.length && decided.length
    ? [{ heading: `Undecided: ${open.length}, the largest effects first` }] : [];
  const drawn = drawRows({
    title: 'Ratios of times', middle: 1, bands: [[1 / (1 + t), 1 + t]],
    values: [1 / (1 + t), 1 + t, ...first.flatMap(item => item.ratio ?? [])],
    x: { title: '← head faster · head slower →', log: true, format: wholePercent },
    rows: [...decided.map(rowOf), ...apart, ...open.map(rowOf)],
  }, width);
  const rest = items.length - limit;
  const showAll = () => {
    comparison.all = true;
    refresh();
  };
  const more = rest > 0 ? h('button', { type: 'button', click: showAll }, `Show ${rest} more`) : null;
  return { ...drawn, more, table: changeTable(all) };
};

const caseKey = (path, fields) => JSON.stringify([path, fields.kernel, fields.isa, fields.format, fields.size,
  Number(fields.sigma), Number(fields.threads), fields.edge, fields.pace ?? 'warm', fields.scene ?? '']);
const casesByKey = data.histories.length
  ? new Map(measured.map(item => [caseKey(data.files[item.file].path, item), item])) : new Map();
const drawHistory = history => width => {
  const dates = history.files.map(file => Date.parse(file.date));
  const fieldsOf = name => Object.fromEntries(name.split('/').slice(1).map(part => part.split('=')));
  const chosen = history.trends.map(trend => ({ trend, fields: fieldsOf(trend.name) }))
    .filter(({ fields }) => !state.hidden.has(fields.kernel)
      && ['format', 'size', 'edge'].every(name => fields[name] === state[name])
      && (fields.scene ?? '') === state.scene && (fields.pace ?? 'warm') === state.pace
      && Number(fields.sigma) === state.sigma && Number(fields.threads) === state.threads);
  const rows = [];
  const seriesOf = ({ trend, fields }) => {
    const first = trend.times.find(time => time), label = seriesName(fields);
    const points = trend.times.map((time, i) => {
      if (!time) return null;
      const file = history.files[i], step = trend.steps.find(step => step.file === file.path);
      const item = casesByKey.get(caseKey(file.path, fields));
      rows.push([fields.kernel, fields.isa, file.path, file.date, time, item?.low, item?.high, step?.change,
        step?.p]);
      const facts = [
        ['file', file.path], ['date', file.date.slice(0, 10)],
        ['time', `${duration(time)}${item ? `; ${duration(item.low)} to ${duration(item.high)}` : ''}`],
        ['since the first', percent(time / first)],
        step && ['step', percent(1 + step.change) + (step.isOfMachine ? ', which memcpy made too' : '')],
      ].filter(Boolean);
      return {
        x: dates[i], y: time / first, big: !!step, ends: item && [item.low / first, item.high / first],
        info: { title: label, facts, command: item?.command },
      };
    }).filter(Boolean);
    return { name: label, style: style(fields.kernel), line: true, points };
  };
  const series = chosen.map(seriesOf).filter(line => line.points.length > 1);
  if (!series.length) return undefined;
  const day = value => new Date(value).toISOString().slice(0, 10);
  const drawn = drawXY({
    title: 'Time over dates', series, ends: true, rules: [{ y: 1, label: 'the first date' }],
    x: { title: 'date →', only: [...new Set(dates)], format: day, spacing: 90 },
    y: { title: '↑ time relative to the first date', log: true, format: wholePercent },
  }, width);
  const columns = ['kernel', 'isa', 'file', 'date', 'median_ns', 'low_ns', 'high_ns', 'step', 'p'];
  return { ...drawn, table: { columns, rows } };
};
