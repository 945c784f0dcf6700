/* Charts: one strip a metric, all on one time axis with one cursor, drawn when they come into view. */
const Charts = (() => {
  const AXIS = 56, RIGHT = 10, HEIGHT = 96, LABEL = 236, NARROW = 720, ROWS_TOLD = 100;
  const strips = [];
  let cursor = null, observer, hatch = null, frame = 0, quiet = false;

  const window_ = () => State.state.window || Report.extent();
  const isNarrow = () => document.documentElement.clientWidth < NARROW;

  /* Where plots lie within a row of this width. */
  function area(total) {
    const label = isNarrow() ? 0 : LABEL;
    return {left: label + AXIS, width: Math.max(40, total - label - AXIS - RIGHT)};
  }

  /* Sets the window, held within the run, never empty. */
  function show([a, b]) {
    const all = Report.extent(), least = (all[1] - all[0]) * 1e-6;
    a = Math.max(all[0], Math.min(a, all[1] - least));
    b = Math.min(all[1], Math.max(b, a + least));
    State.set({window: a <= all[0] && b >= all[1] ? null : [a, b]});
  }

  function pan([a, b], by) {
    const all = Report.extent(), held = Math.max(all[0] - a, Math.min(by, all[1] - b));
    show([a + held, b + held]);
  }

  function zoom(factor, at) {
    const [a, b] = window_(), middle = at ?? cursor ?? (a + b) / 2;
    show([middle - (middle - a) * factor, middle + (b - middle) * factor]);
  }

  /* The first stretch that ends after a time. */
  function indexOf(course, time) {
    let low = 0, high = course.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (course.end[middle] > time) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  const MINUTES = [20, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 86400];

  /* Round times, about one every 90 pixels: in the decimal system, and beyond two minutes as clocks have them. */
  function ticks(a, b, width) {
    const rough = (b - a) / Math.max(2, width / 90), power = 10 ** Math.floor(Math.log10(rough)), out = [];
    const step = (b - a > 120 && MINUTES.find(s => s >= rough)) || [1, 2, 5, 10].map(m => m * power).find(s => s >= rough) || rough;
    for (let t = Math.ceil(a / step) * step; t <= b + step * 1e-6; t += step) out.push(t);
    return out;
  }

  /* Times without a value of this row, and why; neighbours with one reason together. */
  function holesOf(device, row) {
    if (row.holes) return row.holes;
    const {course} = device, holes = Lanes.gapsOf(device);
    const tolerance = course.timed ? medianLength(course) : 0.5;
    for (let i = 0; i < course.count; i++) {
      if (i && course.begin[i] - course.end[i - 1] > tolerance)
        holes.push({begin: course.end[i - 1], end: course.begin[i], text: 'no samples'});
      if (Number.isFinite(row.data.mean[i])) continue;
      const text = Report.reasonOf(row, row.data.quality[i]), last = holes[holes.length - 1];
      if (last && last.text === text && last.end >= course.begin[i] - tolerance) last.end = course.end[i];
      else holes.push({begin: course.begin[i], end: course.end[i], text, skipped: (row.data.quality[i] & 0xc1) === 0xc1});
    }
    return row.holes = holes;
  }

  function medianLength(course) {
    if (course.median) return course.median;
    const lengths = Float64Array.from(course.begin, (b, i) => course.end[i] - b).sort();
    return course.median = lengths[lengths.length >> 1] || 0;
  }

  function range(device, row) {
    const {course} = device, [a, b] = window_(), {min, max} = row.data;
    let low = 0, high = 0;
    for (let i = indexOf(course, a); i < course.count && course.begin[i] < b; i++) {
      if (min[i] < low) low = min[i];
      if (max[i] > high) high = max[i];
    }
    const other = row.other && row.other.data, base = device.other && device.other.course;
    for (let i = other ? indexOf(base, a) : 0; other && i < base.count && base.begin[i] < b; i++) {
      if (other.min[i] < low) low = other.min[i];
      if (other.max[i] > high) high = other.max[i];
    }
    for (const gate of row.gates) high = Math.max(high, gate.limit * 1.1);
    if (row.percent && high <= 100 && high > 40) high = 100;
    else high *= 1.08;
    return [low * 1.08, high > low ? high : low + 1];
  }

  function hatching(g, c) {
    if (hatch && hatch.dark === c.dark) return hatch.pattern;
    const tile = element('canvas', {width: 8, height: 8}), t = tile.getContext('2d');
    t.strokeStyle = c.dim;
    t.globalAlpha = 0.5;
    t.beginPath();
    for (const d of [-8, 0, 8]) { t.moveTo(d, 8); t.lineTo(d + 8, 0); }
    t.stroke();
    hatch = {dark: c.dark, pattern: g.createPattern(tile, 'repeat')};
    return hatch.pattern;
  }

  const isDense = (u, from, to) => to - from > 1.5 * u.bbox.width;

  /* Where there are more samples than pixels: for each pixel their mean as a line, and how far they reach as a band. */
  function reduced(u, course, data, from, to, keep) {
    const line = new Path2D(), band = new Path2D(), x = t => u.valToPos(t, 'x', true), y = v => u.valToPos(v, 'y', true);
    let at = -1, end = -1, last = -10, low = Infinity, high = -Infinity, sum = 0, n = 0;
    const flush = () => {
      if (!n) return;
      const mean = y(sum / n), top = y(high);
      band.rect(at, top, Math.max(1, end - at), Math.max(1, y(low) - top));
      if (at - last > 3) line.moveTo(at, mean);
      else line.lineTo(at, mean);
      line.lineTo(Math.max(at + 1, end), mean);
      last = Math.max(at + 1, end);
      low = Infinity; high = -Infinity; sum = 0; n = 0;
    };
    for (let i = from; i < to; i++) {
      const value = data.mean[i];
      if (!Number.isFinite(value) || (keep && !keep[i])) continue;
      const x0 = Math.floor(x(course.begin[i]));
      if (x0 !== at) { flush(); at = x0; }
      end = Math.ceil(x(course.end[i]));
      low = Math.min(low, data.min[i]);
      high = Math.max(high, data.max[i]);
      sum += value;
      n++;
    }
    flush();
    return {line, band};
  }

  /* Steps of one value each. */
  function path(u, course, values, from, to, keep) {
    const p = new Path2D(), x = t => u.valToPos(t, 'x', true), y = v => u.valToPos(v, 'y', true);
    let down = false;
    for (let i = from; i < to; i++) {
      const value = values[i];
      if (!Number.isFinite(value) || (keep && !keep[i])) { down = false; continue; }
      const x0 = x(course.begin[i]), x1 = Math.max(x(course.end[i]), x0 + 0.5), y0 = y(value);
      if (down && i && course.begin[i] - course.end[i - 1] <= medianLength(course)) p.lineTo(x0, y0);
      else p.moveTo(x0, y0);
      p.lineTo(x1, y0);
      down = true;
    }
    return p;
  }

  /* From the smallest to the largest of each stretch. */
  function band(u, course, data, from, to) {
    const p = new Path2D();
    for (let i = from; i < to; i++) {
      if (!Number.isFinite(data.min[i])) continue;
      const x0 = u.valToPos(course.begin[i], 'x', true), x1 = u.valToPos(course.end[i], 'x', true);
      const top = u.valToPos(data.max[i], 'y', true), bottom = u.valToPos(data.min[i], 'y', true);
      p.rect(x0, top, Math.max(1, x1 - x0 + 0.5), Math.max(1, bottom - top));
    }
    return p;
  }

  /* A thin line over frames that were not measured between frames that were. */
  function bridges(u, course, data, from, to) {
    const p = new Path2D();
    let last = -1;
    for (let i = from; i < to; i++) {
      if (!Number.isFinite(data.mean[i])) {
        if ((data.quality[i] & 0xc1) !== 0xc1) last = -1;
        continue;
      }
      if (last >= 0 && last < i - 1) {
        p.moveTo(u.valToPos(course.end[last], 'x', true), u.valToPos(data.mean[last], 'y', true));
        p.lineTo(u.valToPos(course.begin[i], 'x', true), u.valToPos(data.mean[i], 'y', true));
      }
      last = i;
    }
    return p;
  }

  /* The line of a course and its reach, in whichever way there is room for. */
  function curve(u, course, data, from, to, keep) {
    if (isDense(u, from, to)) return reduced(u, course, data, from, to, keep);
    return {line: path(u, course, data.mean, from, to, keep), band: course.each > 1 ? band(u, course, data, from, to) : null};
  }

  function paintCurve(u, g, c, {course, keep}, data, from, to) {
    const {line, band: reach} = curve(u, course, data, from, to, keep);
    g.fillStyle = g.strokeStyle = c.accent;
    g.globalAlpha = 0.3;
    if (reach) g.fill(reach);
    if (!isDense(u, from, to)) g.stroke(bridges(u, course, data, from, to));
    if (keep) g.stroke(curve(u, course, data, from, to, null).line);
    g.globalAlpha = 1;
    g.lineWidth = 1.4 * (devicePixelRatio || 1);
    g.lineJoin = 'round';
    g.stroke(line);
  }

  function paintGates(u, g, c, strip, from, to) {
    const {device: {course}, row} = strip, style = getComputedStyle(document.documentElement);
    for (const gate of row.gates) {
      const y = u.valToPos(gate.limit, 'y', true), red = style.getPropertyValue('--worse').trim();
      g.fillStyle = red;
      g.globalAlpha = 0.3;
      for (let i = from; i < to; i++) {
        const value = gate.above ? row.data.max[i] : row.data.min[i];
        if (!(gate.above ? value > gate.limit : value < gate.limit)) continue;
        const x0 = u.valToPos(course.begin[i], 'x', true), x1 = u.valToPos(course.end[i], 'x', true), top = u.valToPos(value, 'y', true);
        g.fillRect(x0, Math.min(top, y), Math.max(1, x1 - x0), Math.abs(y - top));
      }
      g.globalAlpha = 1;
      g.strokeStyle = red;
      g.setLineDash([6, 4]);
      g.beginPath();
      g.moveTo(u.bbox.left, y);
      g.lineTo(u.bbox.left + u.bbox.width, y);
      g.stroke();
      g.setLineDash([]);
    }
  }

  function paint(u, strip) {
    const {device, row} = strip, {course} = device, g = u.ctx, c = Lanes.colours(), [a, b] = window_();
    const from = indexOf(course, a), ratio = devicePixelRatio || 1;
    let to = from;
    while (to < course.count && course.begin[to] < b) to++;
    g.save();
    g.beginPath();
    g.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
    g.clip();
    const region = Lanes.pointed();
    if (region) {
      g.fillStyle = c.line;
      g.fillRect(u.valToPos(region.begin, 'x', true), u.bbox.top, Math.max(1, u.valToPos(region.end, 'x', true) - u.valToPos(region.begin, 'x', true)), u.bbox.height);
    }
    for (const hole of holesOf(device, row)) {
      const x0 = u.valToPos(hole.begin, 'x', true), x1 = u.valToPos(hole.end, 'x', true);
      if (x1 - x0 < 3 * ratio || x1 < u.bbox.left || x0 > u.bbox.left + u.bbox.width) continue;
      g.fillStyle = hatching(g, c);
      g.fillRect(x0, u.bbox.top, x1 - x0, u.bbox.height);
    }
    g.lineWidth = ratio;
    if (row.other && row.other.data) {
      const base = device.other.course, first = indexOf(base, a);
      let last = first;
      while (last < base.count && base.begin[last] < b) last++;
      g.strokeStyle = c.dim;
      g.stroke(curve(u, base, row.other.data, first, last, null).line);
    }
    paintCurve(u, g, c, device, row.data, from, to);
    paintGates(u, g, c, strip, from, to);
    g.restore();
  }

  function options(strip, width) {
    const {device, row} = strip, c = Lanes.colours();
    const axis = {stroke: c.dim, grid: {stroke: c.line, width: 1}, ticks: {show: false}, font: '11px system-ui, sans-serif'};
    return {
      width, height: HEIGHT, padding: [6, RIGHT, 4, 0], legend: {show: false},
      scales: {x: {time: false, range: (_, min, max) => [min, max]}, y: {range: () => range(device, row)}},
      axes: [{...axis, size: 0, splits: (u, _, a, b) => ticks(a, b, u.bbox.width / devicePixelRatio), values: (_, s) => s.map(() => '')},
        {...axis, size: AXIS, gap: 4, space: 24, values: (_, s) => s.map(v => {
          const {digits, unit} = Numbers.parts(v, row);
          return v === 0 ? '0' : digits.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '') + (unit ? ' ' + unit : '');
        })}],
      series: [{}, {paths: () => null, points: {show: false}}],
      cursor: {y: false, points: {show: false}, drag: {x: true, y: false, setScale: false}, sync: {key: 'time', setSeries: false, scales: ['x', null]},
        bind: {dblclick: () => () => State.set({window: null})}},
      hooks: {
        draw: [u => paint(u, strip)],
        setSelect: [u => selected(u)],
        setCursor: [u => pointed(u)],
      },
    };
  }

  function selected(u) {
    if (u.select.width < 3) return;
    const a = u.posToVal(u.select.left, 'x'), b = u.posToVal(u.select.left + u.select.width, 'x');
    u.setSelect({left: 0, top: 0, width: 0, height: 0}, false);
    show([a, b]);
  }

  function pointed(u) {
    if (quiet) return;
    const time = u.cursor.left >= 0 ? u.posToVal(u.cursor.left, 'x') : null;
    if (time === cursor) return;
    cursor = time;
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(readOut);
  }

  /* The value under the cursor beside each chart in view; without a cursor, the mean. */
  function readOut() {
    for (const strip of strips) if (strip.visible) tell(strip);
    Page.moment(cursor);
  }

  function tell(strip) {
    const {device, row, value, note} = strip, at = cursor === null ? null : valueAt(device, row, cursor);
    value.replaceChildren(figure(at ? at.value : row.shown ? row.shown.mean : row.mean, row));
    note.textContent = at ? at.note : row.other ? baselineNote(row) : 'mean';
    note.title = note.textContent;
  }

  function baselineNote(row) {
    return row.change ? Numbers.signed(row.change.change) + ' ' + row.change.verdict : 'mean';
  }

  function valueAt(device, row, time) {
    const {course} = device, i = indexOf(course, time), hole = holesOf(device, row).find(h => h.begin <= time && time < h.end);
    if (i >= course.count || course.begin[i] > time || !Number.isFinite(row.data.mean[i]))
      return {value: null, note: hole ? hole.text : 'no sample'};
    const reserve = Report.reservationsOf(row.data.quality[i]);
    const reach = course.each > 1 ? Numbers.text(row.data.min[i], row) + ' to ' + Numbers.text(row.data.max[i], row) : '';
    const group = Report.labelAt(course, 'group', i);
    const before = row.other && row.other.data ? valueAt(device.other, {...row.other, holes: []}, time).value : null;
    const than = Numbers.isNone(before) ? '' : 'B ' + Numbers.text(before, row);
    return {value: row.data.mean[i], note: [reach, than, group, reserve].filter(Boolean).join('; ') || 'at the cursor'};
  }

  /* Moves the cursor to the next or the previous sample of the first device. */
  function step(by) {
    const device = Report.devices.find(d => d.course && d.course.count), [a, b] = window_();
    if (!device) return;
    const at = cursor === null ? (by > 0 ? indexOf(device.course, a) : indexOf(device.course, b) - 1) : indexOf(device.course, cursor) + by;
    const i = Math.max(0, Math.min(device.course.count - 1, at));
    point((device.course.begin[i] + device.course.end[i]) / 2);
    Page.announce('sample ' + i + ' at ' + Numbers.moment(cursor, b - a));
  }

  function point(time) {
    cursor = time;
    quiet = true;
    for (const {plot, visible} of strips)
      if (plot && visible) plot.setCursor({left: plot.valToPos(time, 'x'), top: 5}, false);
    quiet = false;
    readOut();
  }

  function create(strip) {
    if (strip.plot || !strip.plotBox.clientWidth) return;
    const {course} = strip.device, [a, b] = window_();
    strip.plot = new uPlot(options(strip, strip.plotBox.clientWidth), [Array.from(course.begin), Array.from(strip.row.data.mean)], strip.plotBox);
    strip.plot.setScale('x', {min: a, max: b});
    strip.plot.root.setAttribute('aria-hidden', 'true');
  }

  function update(strip) {
    strip.stale = false;
    if (!strip.plot) return create(strip);
    const [a, b] = window_();
    strip.plot.setScale('x', {min: a, max: b});
  }

  /* What is in view at once, the rest when it comes. */
  function refresh() {
    for (const strip of strips) {
      strip.stale = true;
      if (!strip.visible) continue;
      update(strip);
      tell(strip);
      if (strip.numbers.open) fillNumbers(strip);
    }
    Lanes.draw();
  }

  function repaint() {
    for (const strip of strips) if (strip.plot && strip.visible) strip.plot.redraw(false);
  }

  /* New colours or widths: plots are made again. */
  function rebuild() {
    hatch = null;
    for (const strip of strips) {
      if (strip.plot) strip.plot.destroy();
      strip.plot = null;
    }
    refresh();
  }

  /* The chart as a table: what lies in the window. */
  function fillNumbers(strip) {
    const {device: {course}, row, device} = strip, [a, b] = window_(), several = course.each > 1, lines = [];
    const first = indexOf(course, a);
    let total = 0;
    for (let i = first; i < course.count && course.begin[i] < b; i++, total++) {
      if (lines.length === ROWS_TOLD) continue;
      const none = !Number.isFinite(row.data.mean[i]);
      const cells = several ? [row.data.min[i], row.data.mean[i], row.data.max[i]] : [row.data.mean[i]];
      lines.push(element('tr', {}, element('th', {scope: 'row'}, course.timed ? Numbers.moment(course.begin[i], b - a) : String(i)),
        cells.map(v => element('td', {}, figure(v, row))),
        element('td', {class: 'why'}, none ? Report.reasonOf(row, row.data.quality[i]) :
          [Report.labelAt(course, 'group', i), Report.reservationsOf(row.data.quality[i])].filter(Boolean).join('; '))));
    }
    const heads = [course.timed ? 'begins' : 'sample', ...(several ? ['min', 'mean', 'max'] : ['value']), ''];
    strip.table.replaceChildren(element('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'numbers of ' + row.title},
      element('table', {}, element('caption', {}, row.title + ', ' + device.title + ': ' +
        (total > lines.length ? 'the first ' + lines.length + ' of ' : '') + total + (several ? ' stretches' : ' samples') + ' in the window'),
      element('thead', {}, element('tr', {}, heads.map(h => element('th', {scope: 'col'}, h)))), element('tbody', {}, lines))));
  }

  function stripOf(device, row) {
    const strip = {device, row, plot: null, visible: false, stale: true};
    strip.value = element('span', {class: 'value'});
    strip.note = element('span', {class: 'note'}, '');
    strip.plotBox = element('div', {class: 'plot'});
    strip.table = element('div', {});
    strip.formulaBox = element('div', {});
    strip.numbers = element('details', {ontoggle: () => strip.numbers.open && fillNumbers(strip)}, element('summary', {}, 'numbers'), strip.table);
    strip.formula = element('details', {ontoggle: () => strip.formula.open && strip.formulaBox.replaceChildren(...Formula.build(device, row))},
      element('summary', {}, 'formula'), strip.formulaBox);
    strip.name = element('span', {class: 'name', title: row.description || row.name}, nameOf(row));
    strip.box = element('figure', {class: 'strip', id: 'chart-' + device.index + '-' + row.name, tabindex: '-1', 'aria-label': row.title},
      element('figcaption', {}, strip.name, element('span', {class: 'unit'}, row.joined ? '' : row.symbol), strip.value, strip.note),
      strip.plotBox, element('div', {class: 'more-of'}, strip.formula, strip.numbers));
    strips.push(strip);
    return strip.box;
  }

  function sectionOf(device, heading, index) {
    const rows = device.rows.filter(r => r.heading === index), drawn = rows.filter(r => r.data), none = rows.filter(r => !r.data);
    const key = device.index + '.' + index;
    const flat = drawn.filter(r => r.min === 0 && r.max === 0);
    const box = element('details', {class: 'section', 'data-key': drawn.length ? key : null, open: drawn.length > 0 && !State.state.closed.has(key), ontoggle: () => {
      if (!drawn.length) return;
      const closed = new Set(State.state.closed);
      if (box.open) closed.delete(key);
      else closed.add(key);
      if (closed.size !== State.state.closed.size) State.set({closed});
    }}, element('summary', {}, element('h3', {}, heading.id ? element('span', {class: 'id'}, heading.id + ' ') : null, heading.title),
      element('span', {class: 'count'}, !drawn.length ? 'no data' : drawn.length + (drawn.length === 1 ? ' chart' : ' charts'))));
    box.append(...drawn.filter(r => !flat.includes(r)).map(row => stripOf(device, row)));
    if (flat.length) box.append(element('p', {class: 'zero'}, '0 in every sample: ' + flat.map(nameOf).join(', ')));
    const reasons = [...reasonsOf(none)].map(([why, list]) => element('p', {class: 'nodata'}, list.map(nameOf).join(', ') + ': ' + why));
    if (reasons.length && drawn.length) box.append(element('details', {class: 'without'}, element('summary', {}, none.length + ' without data'), reasons));
    else box.append(...reasons);
    return box;
  }

  function reasonsOf(rows) {
    const by = new Map();
    for (const row of rows) by.set(row.why || 'not told', [...by.get(row.why || 'not told') || [], row]);
    return by;
  }

  /* Brings a chart into view, its section open. */
  function reveal(device, name, span) {
    const strip = strips.find(s => s.device === device && s.row.name === name) || strips.find(s => s.device === device);
    if (!strip) return;
    strip.box.closest('details').open = true;
    const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    strip.box.scrollIntoView({block: 'center', behavior: calm ? 'auto' : 'smooth'});
    strip.box.focus({preventScroll: true});
    if (span) point((span[0] + span[1]) / 2);
  }

  function wheel(event) {
    const [a, b] = window_(), box = event.target.closest('.plot, .lanes');
    if (!box) return;
    const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
    if (event.ctrlKey || event.metaKey) zoom(Math.exp(Math.max(-50, Math.min(50, event.deltaY)) / 120));
    else if (Math.abs(sideways) > Math.abs(event.shiftKey ? 0 : event.deltaY)) pan([a, b], sideways / 600 * (b - a));
    else return;
    event.preventDefault();
  }

  function setNames() {
    for (const strip of strips) strip.name.textContent = nameOf(strip.row);
  }

  function build() {
    observer = new IntersectionObserver(entries => {
      for (const entry of entries) {
        const strip = strips.find(s => s.box === entry.target);
        strip.visible = entry.isIntersecting;
        if (!strip.visible) continue;
        if (strip.stale) update(strip);
        tell(strip);
      }
    }, {rootMargin: '150px'});
    const boxes = Report.devices.filter(d => d.course || d.rows.length).flatMap(device => [
      Report.devices.length > 1 ? element('h2', {class: 'device'}, device.title, device.head.simulated ? element('span', {class: 'badge'}, 'simulated') : null) : null,
      ...device.headings.map((heading, i) => sectionOf(device, heading, i))]);
    for (const strip of strips) observer.observe(strip.box);
    return boxes.filter(Boolean);
  }

  /* Paper shows what is open, whether it was in view or not. */
  function printing() {
    for (const strip of strips)
      if (strip.box.closest('details').open) { update(strip); tell(strip); }
  }

  return {build, area, ticks, show, pan, zoom, step, point, reveal, refresh, repaint, rebuild, printing, setNames, wheel, indexOf,
    window: window_, readOut, strips};
})();
