'use strict';
// The building blocks of plots: elements, numbers, scales, marks and the texts about marks. Everything from
// the data is set as text or as an attribute, never as markup.

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

// Numbers as text for people.

const digits = (value, count = 3) => {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size < 1e-4 || size >= 1e6) {
    const [mantissa, exponent] = value.toExponential(count - 1).split('e');
    const power = [...String(Number(exponent))]
      .map(c => c === '-' ? '⁻' : '⁰¹²³⁴⁵⁶⁷⁸⁹'[c]).join('');
    return Number(mantissa) === 1 ? '10' + power : `${Number(mantissa)}·10${power}`;
  }
  return String(Number(value.toPrecision(Math.max(count, Math.min(15, Math.ceil(Math.log10(size)))))));
};
const duration = (ns, count = 3) => {
  if (ns === null || ns === undefined || !Number.isFinite(ns)) return '–';
  const units = [['s', 1e9], ['ms', 1e6], ['µs', 1e3]];
  const [unit, size] = units.find(unit => ns >= unit[1] * 0.9995) ?? ['ns', 1];
  return `${digits(ns / size, count)} ${unit}`;
};
/** Returns an interval in brackets. `count` is the number of significant digits of its ends. */
const interval = (low, high, count = 3) => `[${digits(low, count)}, ${digits(high, count)}]`;
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
const plural = (count, word, words = word + 's') => `${count} ${String(count) === '1' ? word : words}`;
const groups = (items, key) => {
  const map = new Map();
  for (const item of items) map.has(key(item)) ? map.get(key(item)).push(item) : map.set(key(item), [item]);
  return map;
};

// Scales and their ticks.

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
/**
 * Returns a scale that maps values to pixels from `from` to `to`, with its ticks and its lowest and highest
 * value.
 *
 * The optional properties of `axis` are: `log` for a logarithmic scale, `range` for fixed ends, `zero` to
 * include 0, `only` for a list of the allowed ticks, and `spacing` for the distance between ticks in pixels.
 */
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

// Marks. Each kernel has a colour, a shape and a dash pattern, which are the same in all plots.

const shapes = [
  r => `M${-r} 0A${r} ${r} 0 1 1 ${r} 0A${r} ${r} 0 1 1 ${-r} 0Z`,
  r => `M${-r} ${-r}H${r}V${r}H${-r}Z`,
  r => `M0 ${-1.25 * r}L${1.2 * r} ${r}H${-1.2 * r}Z`,
  r => `M0 ${-1.35 * r}L${1.35 * r} 0L0 ${1.35 * r}L${-1.35 * r} 0Z`,
  r => `M0 ${1.25 * r}L${1.2 * r} ${-r}H${-1.2 * r}Z`,
  r => `M${-r} ${-r / 3}H${-r / 3}V${-r}H${r / 3}V${-r / 3}H${r}`
    + `V${r / 3}H${r / 3}V${r}H${-r / 3}V${r / 3}H${-r}Z`,
  r => `M0 ${-0.5 * r}L${0.7 * r} ${-1.2 * r}L${1.2 * r} ${-0.7 * r}L${0.5 * r} 0`
    + `L${1.2 * r} ${0.7 * r}L${0.7 * r} ${1.2 * r}L0 ${0.5 * r}L${-0.7 * r} ${1.2 * r}`
    + `L${-1.2 * r} ${0.7 * r}L${-0.5 * r} 0L${-1.2 * r} ${-0.7 * r}L${-0.7 * r} ${-1.2 * r}Z`,
];
const dashes = [null, '7 3', '2 3', '8 3 2 3'];
const styleOf = index => index < 0 ? { colour: 'copy', shape: shapes[0], dash: '4 4' } : {
  colour: `k${index % 7}`, shape: shapes[(index + Math.floor(index / 7)) % 7],
  dash: dashes[Math.floor(index / 7) % dashes.length],
};
/** Returns the style of a plug-in's kernel: grey, with a shape and a dash that depend only on its name. */
const peerStyle = name => {
  const hash = [...name].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)) % 9973, 7);
  return { colour: 'peer', shape: shapes[hash % 7], dash: dashes[hash % 4] };
};
const symbol = (style, r = 5) => s('path', { d: style.shape(r), class: `symbol ${style.colour}` });
const swatch = style => s('svg', { class: 'swatch', width: 26, height: 14, 'aria-hidden': 'true' },
  s('path', { d: 'M1 7H25', class: `line ${style.colour}`, 'stroke-dasharray': style.dash }),
  s('g', { transform: 'translate(13 7)' }, symbol(style, 4)));

// The text about a mark, shown on hover and on focus, and read by screen readers.

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
    command && !isPinned && h('small', null, 'Click or press Enter to keep this open and copy the command.'),
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

/** Makes the marks of a plot react to the pointer, which selects the nearest one, and to the arrow keys. The
 * tab key stops only once at each plot. */
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
  svg.addEventListener('click', event => {
    const mark = near(event);
    if (mark) light(mark, true);
    else hideTip();
  });
  svg.addEventListener('focusin', event => {
    const mark = marks.find(mark => mark.node === event.target);
    if (mark && event.target.matches(':focus-visible')) light(mark);
  });
  svg.addEventListener('focusout', () => { if (!pinned) light(null); });
  svg.addEventListener('keydown', event => {
    const i = marks.findIndex(mark => mark.node === event.target);
    if (i < 0) return;
    if (event.key === 'Enter' || event.key === ' ') light(marks[i], true);
    const steps = {
      ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -i, End: marks.length - 1 - i,
    };
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
