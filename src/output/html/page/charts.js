/* Charts: one strip a metric, all on one time axis with one cursor, drawn when they come into view. */
const Charts = (() => {
  const HEIGHT = 96, ROWS_TOLD = 100;
  const strips = [];
  let cursor = null, observer, frame = 0, quiet = false;

  function options(strip, width) {
    const {device, row} = strip, c = Lanes.colours();
    const axis = {stroke: c.dim, grid: {stroke: c.line, width: 1}, ticks: {show: false}, font: '11px system-ui, sans-serif'};
    return {
      width, height: HEIGHT, padding: [6, Axis.RIGHT, 4, 0], legend: {show: false},
      scales: {x: {time: false, range: (_, min, max) => [min, max]}, y: {range: () => Curves.range(device, row)}},
      axes: [{...axis, size: 0, splits: (u, _, a, b) => Axis.ticks(a, b, u.bbox.width / devicePixelRatio), values: (_, s) => s.map(() => '')},
        {...axis, size: Axis.SIZE, gap: 4, space: 24, values: (_, s) => s.map(v => {
          const {digits, unit} = Numbers.parts(v, row);
          return v === 0 ? '0' : digits.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '') + (unit ? ' ' + unit : '');
        })}],
      series: [{}, {paths: () => null, points: {show: false}}],
      cursor: {y: false, points: {show: false}, drag: {x: true, y: false, setScale: false}, sync: {key: 'time', setSeries: false, scales: ['x', null]},
        bind: {dblclick: () => () => State.set({window: null})}},
      hooks: {
        draw: [u => Curves.paint(u, strip)],
        setSelect: [u => selected(u)],
        setCursor: [u => pointed(u)],
      },
    };
  }

  function selected(u) {
    if (u.select.width < 3) return;
    const a = u.posToVal(u.select.left, 'x'), b = u.posToVal(u.select.left + u.select.width, 'x');
    u.setSelect({left: 0, top: 0, width: 0, height: 0}, false);
    Axis.show([a, b]);
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
    const {course} = device, i = Axis.indexOf(course, time), hole = Curves.holesOf(device, row).find(h => h.begin <= time && time < h.end);
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
    const device = Report.devices.find(d => d.course && d.course.count), [a, b] = Axis.window();
    if (!device) return;
    const at = cursor === null ? (by > 0 ? Axis.indexOf(device.course, a) : Axis.indexOf(device.course, b) - 1) : Axis.indexOf(device.course, cursor) + by;
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
    const {course} = strip.device, [a, b] = Axis.window();
    strip.plot = new uPlot(options(strip, strip.plotBox.clientWidth), [Array.from(course.begin), Array.from(strip.row.data.mean)], strip.plotBox);
    strip.plot.setScale('x', {min: a, max: b});
    strip.plot.root.setAttribute('aria-hidden', 'true');
  }

  function update(strip) {
    strip.stale = false;
    if (!strip.plot) return create(strip);
    const [a, b] = Axis.window();
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
    Curves.forgetColours();
    for (const strip of strips) {
      if (strip.plot) strip.plot.destroy();
      strip.plot = null;
    }
    refresh();
  }

  /* The chart as a table: what lies in the window. */
  function fillNumbers(strip) {
    const {device: {course}, row, device} = strip, [a, b] = Axis.window(), several = course.each > 1, lines = [];
    const first = Axis.indexOf(course, a);
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
    for (const row of rows) by.set(row.why || 'not known', [...by.get(row.why || 'not known') || [], row]);
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
    const [a, b] = Axis.window(), box = event.target.closest('.plot, .lanes');
    if (!box) return;
    const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
    if (event.ctrlKey || event.metaKey) Axis.zoom(Math.exp(Math.max(-50, Math.min(50, event.deltaY)) / 120), cursor);
    else if (Math.abs(sideways) > Math.abs(event.shiftKey ? 0 : event.deltaY)) Axis.pan([a, b], sideways / 600 * (b - a));
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

  return {build, step, point, reveal, refresh, repaint, rebuild, printing, setNames, wheel, readOut, strips, cursor: () => cursor};
})();
