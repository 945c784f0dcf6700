/* The table of all metrics over what is shown: the window and the range of frame lengths. */
const Table = (() => {
  const NUMBERS = ['total', 'mean', 'min', 'p50', 'p95', 'p99', 'max'];
  let body, heads, caption, box;

  /* Values of the samples that are shown, and how many samples each stands for. */
  function shownValues(device, row) {
    const {course, keep} = device, [a, b] = Axis.window(), values = [], weights = [];
    let low = Infinity, high = -Infinity;
    for (let i = Axis.indexOf(course, a); i < course.count && course.begin[i] < b; i++) {
      if ((keep && !keep[i]) || !Number.isFinite(row.data.mean[i])) continue;
      values.push(row.data.mean[i]);
      weights.push(course.arrays.samples[i]);
      low = Math.min(low, row.data.min[i]);
      high = Math.max(high, row.data.max[i]);
    }
    return {values, weights, low, high};
  }

  const rank = (sorted, percent) => sorted[Math.max(Math.ceil(percent / 100 * sorted.length), 1) - 1];

  /* Statistics of a part of the run; percentiles only where every sample is at hand. */
  function statistics(device, row) {
    if (!row.data) return {};
    const {values, weights, low, high} = shownValues(device, row), n = values.length;
    if (!n) return {};
    const weight = weights.reduce((s, w) => s + w, 0), sum = values.reduce((s, v, i) => s + v * weights[i], 0);
    const out = {total: row.total === null ? null : sum, mean: sum / weight, min: low, max: high};
    if (device.course.each > 1) return out;
    const sorted = Float64Array.from(values).sort();
    return {...out, p50: rank(sorted, 50), p95: rank(sorted, 95), p99: rank(sorted, 99)};
  }

  const isPart = () => State.state.window !== null || State.state.lengths !== null;

  function compute() {
    for (const device of Report.devices)
      for (const row of device.rows) row.shown = isPart() ? statistics(device, row) : null;
  }

  const valueOf = (row, key) => row.shown ? row.shown[key] ?? null : row[key] ?? null;
  const COLUMNS = [
    ...NUMBERS.map(key => ({key, title: key, of: row => valueOf(row, key), show: row => figure(valueOf(row, key), row)})),
    {key: 'load', title: 'of peak', of: row => row.load, show: row => Numbers.isNone(row.load) ? '' :
      element('span', {class: 'share'}, element('span', {class: 'bar', 'aria-hidden': 'true'}, element('span', {style: 'width:' + Math.min(100, row.load * 100).toFixed(1) + '%'})),
        figure(row.load * 100, {scale: 'plain', symbol: '%', joined: true}))},
  ];
  const AGAINST = [
    {key: 'before', title: 'B mean', of: row => row.other ? row.other.mean : null, show: row => figure(row.other ? row.other.mean : null, row)},
    {key: 'change', title: 'change', of: row => row.change ? row.change.change : null, show: row => row.change ?
      element('span', {class: 'change ' + row.change.verdict, title: row.change.why || (Numbers.isNone(row.change.noise) ? '' : 'noise ' + Numbers.percent(row.change.noise))},
        Numbers.signed(row.change.change) + ' ' + row.change.verdict) : ''},
  ];
  const columns = () => Report.baseline ? [...COLUMNS, ...AGAINST] : COLUMNS;

  function matches(row) {
    const words = State.state.query.toLowerCase().split(/\s+/).filter(Boolean);
    const text = [row.name, row.title, row.neutral, row.description].filter(Boolean).join(' ').toLowerCase();
    return words.every(word => text.includes(word));
  }

  /* Rows as they stand: found, and in order. What has no data comes last. */
  function rows() {
    const all = Report.devices.flatMap(device => device.rows.filter(matches).map(row => ({device, row})));
    const key = State.state.sort.replace(/^-/, ''), down = State.state.sort.startsWith('-') ? -1 : 1;
    if (key === 'name') return all.sort((a, b) => down * nameOf(a.row).localeCompare(nameOf(b.row)));
    const column = columns().find(c => c.key === key);
    if (!column) return all;
    const value = ({row}) => column.of(row), none = v => Numbers.isNone(v);
    return all.sort((a, b) => none(value(a)) - none(value(b)) || (none(value(a)) ? 0 : down * (value(a) - value(b))));
  }

  function sortBy(key) {
    const {sort} = State.state, first = key === 'name' ? key : '-' + key, second = key === 'name' ? '-name' : key;
    State.set({sort: sort === first ? second : sort === second ? '' : first});
  }

  function lineOf({device, row}, several) {
    const none = row.data ? null : row.why;
    return element('tr', {class: none ? 'none' : null},
      element('th', {scope: 'row'}, element('button', {type: 'button', class: 'link', title: row.description || row.name, onclick: () => Charts.reveal(device, row.name)}, nameOf(row)),
        row.joined || !row.symbol ? null : element('span', {class: 'unit'}, ' ' + row.symbol), several ? element('span', {class: 'unit'}, ' ' + device.title) : null),
      none ? element('td', {colspan: columns().length, class: 'why'}, 'no data: ' + none) : columns().map(c => element('td', {}, c.show(row))));
  }

  function draw() {
    const shown = rows(), {sort} = State.state, several = Report.devices.length > 1, [a, b] = Axis.window();
    heads.replaceChildren(...[{key: 'name', title: 'metric'}, ...columns()].map(c => {
      const is = sort.replace(/^-/, '') === c.key;
      return element('th', {scope: 'col', 'aria-sort': is ? (sort.startsWith('-') ? 'descending' : 'ascending') : 'none'},
        element('button', {type: 'button', onclick: () => sortBy(c.key)}, c.title, element('span', {class: 'arrow', 'aria-hidden': 'true'}, is ? (sort.startsWith('-') ? '▾' : '▴') : '')));
    }));
    body.replaceChildren(...shown.map(line => lineOf(line, several)));
    const long = Report.devices.some(d => d.course && d.course.each > 1);
    caption.textContent = shown.length + ' metrics over ' + (isPart() ? Numbers.moment(a, b - a) + ' to ' + Numbers.moment(b, b - a) +
      (State.state.lengths ? ', frames in the chosen range' : '') + '; means are those of samples' + (long ? '; no percentiles of a part: samples were put together' : '')
      : 'the whole run');
  }

  const cell = text => /[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;

  /* What is shown, as RFC 4180 has it: base units, all digits. */
  function csv() {
    const extra = Report.baseline ? ['baseline_mean', 'change', 'verdict'] : [], number = v => Numbers.isNone(v) ? '' : String(v);
    const simulated = Report.report.simulated ? ['simulated'] : [];
    const lines = [['device', ...simulated, 'name', 'title', 'unit', ...NUMBERS, 'of_peak', ...extra, 'why']];
    for (const {device, row} of rows())
      lines.push([device.title, ...simulated.map(() => String(device.head.simulated)), row.name, row.title, row.unit,
        ...NUMBERS.map(key => number(valueOf(row, key))), number(row.load),
        ...(extra.length ? [number(row.other && row.other.mean), number(row.change && row.change.change), row.change ? row.change.verdict : ''] : []), row.why || '']);
    return lines.map(line => line.map(cell).join(',')).join('\r\n') + '\r\n';
  }

  function save() {
    const url = URL.createObjectURL(new Blob([csv()], {type: 'text/csv'}));
    const link = element('a', {href: url, download: (Report.report.file || 'report').replace(/^.*\//, '').replace(/\.\w+$/, '') + '.csv'});
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  }

  function build() {
    heads = element('tr', {});
    body = element('tbody', {});
    caption = element('caption', {});
    box = element('section', {class: 'all', 'aria-labelledby': 'table'}, element('h2', {id: 'table'}, 'All metrics'),
      element('p', {class: 'controls'}, element('button', {type: 'button', onclick: save}, 'CSV of what is shown')),
      element('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'all metrics'}, element('table', {class: 'metrics'}, caption, element('thead', {}, heads), body)));
    return box;
  }

  return {build, draw, compute, matches, csv};
})();
