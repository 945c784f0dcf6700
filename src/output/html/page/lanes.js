/* Lanes above the charts: the whole run with the window in it, and what went on: frames, groups, processes. */
const Lanes = (() => {
  const OVERVIEW = 44, LANE = 18, AXIS = 16, EDGE = 8;
  const TITLES = {process: 'processes', group: 'groups', frame: 'frames'};
  let canvas, tip, drag = null, overview = null, pointed = null;
  const lanes = [];

  const hue = text => [...text].reduce((h, c) => (h * 31 + c.codePointAt(0)) % 360, 7);

  /* Neighbours with the same label become one region. */
  function regionsOf(device, label) {
    const {course, head} = device, own = label === 'frame' && head.kind === 'frame', regions = [];
    if (!course || (own && course.each > 1)) return regions;
    for (let i = 0; i < course.count; i++) {
      const text = Report.labelAt(course, label, i) ?? (own ? String(i) : null), last = regions[regions.length - 1];
      if (text === null) continue;
      if (last && last.text === text && !own && course.begin[i] <= last.end * (1 + 1e-9) + 1e-9)
        last.end = Math.max(last.end, course.end[i]);
      else
        regions.push({text, begin: course.begin[i], end: course.end[i]});
    }
    return regions;
  }

  function gapsOf(device) {
    const end = Report.extent()[1];
    return device.gaps.filter(g => g.begin_ns !== null).map(g => ({begin: g.begin_ns / 1e9,
      end: g.end_ns === null ? end : g.end_ns / 1e9,
      text: (g.text || 'no samples') + (g.lost ? ' (' + Numbers.count(g.lost) + ' lost)' : '')}));
  }

  function collect() {
    const several = Report.devices.length > 1;
    for (const device of Report.devices)
      for (const label of ['process', 'group', 'frame']) {
        const regions = regionsOf(device, label);
        if (regions.length > 1 || (label !== 'process' && regions.length))
          lanes.push({title: (several ? device.title + ': ' : '') + TITLES[label], label, regions});
      }
  }

  function colours() {
    const style = getComputedStyle(document.documentElement), of = name => style.getPropertyValue(name).trim();
    return {ink: of('--ink'), dim: of('--dim'), line: of('--line'), accent: of('--accent'), soft: of('--soft'),
      dark: of('--dark') === '1'};
  }

  /* The envelope of the metric that says most, over the whole run. */
  function drawOverview(g, c, left, width, all) {
    const device = Report.devices.find(d => d.course && d.course.count);
    const x = t => left + (t - all[0]) / (all[1] - all[0]) * width;
    g.fillStyle = c.soft;
    g.fillRect(left, 0, width, OVERVIEW);
    overview = overview || (device ? leading(device) : null);
    if (overview) {
      g.fillStyle = c.dim;
      for (let i = 0; i < device.course.count; i++) {
        const value = overview.values[i], from = x(device.course.begin[i]);
        if (!Number.isFinite(value)) continue;
        const height = Math.max(1, Math.min(1, value / overview.top) * (OVERVIEW - 6));
        g.fillRect(Math.floor(from), OVERVIEW - height, Math.max(1, Math.ceil(x(device.course.end[i])) - Math.floor(from)), height);
      }
    }
    const [a, b] = State.state.window || all;
    g.fillStyle = c.dark ? 'rgba(0,0,0,.55)' : 'rgba(255,255,255,.7)';
    g.fillRect(left, 0, Math.max(0, x(a) - left), OVERVIEW);
    g.fillRect(x(b), 0, Math.max(0, left + width - x(b)), OVERVIEW);
    g.strokeStyle = c.accent;
    g.lineWidth = 2;
    g.strokeRect(x(a) + 1, 1, Math.max(2, x(b) - x(a) - 2), OVERVIEW - 2);
  }

  /* What the overview shows: how long frames took (the longest are cut), else the most loaded unit, else what there is. */
  function leading(device) {
    const {course, histogram} = device;
    if (histogram) {
      const longest = course.arrays.longest_ns;
      return {title: 'Frame time', top: histogram.width_ns * (histogram.counts.length - 1) / 1e9,
        values: course.begin.map((_, i) => longest ? longest[i] / 1e9 : Histogram.lengthOf(course, i))};
    }
    const drawn = device.rows.filter(r => r.data);
    const row = drawn.find(r => r.neutral === 'gpu.busy') || drawn.filter(r => !Numbers.isNone(r.load)).sort((a, b) => b.load - a.load)[0] || drawn[0];
    return row ? {title: row.title, top: row.max || 1, values: row.data.max} : null;
  }

  /* The one time axis of all charts below. */
  function drawAxis(g, c, top, left, width) {
    const [a, b] = Axis.window(), timed = Report.devices.some(d => d.course && d.course.timed);
    g.fillStyle = c.dim;
    g.font = '11px system-ui, sans-serif';
    g.textAlign = 'center';
    g.textBaseline = 'middle';
    for (const t of Axis.ticks(a, b, width)) {
      const x = left + (t - a) / (b - a) * width;
      if (x > left + width - 24 || x < left) continue;
      g.fillText(timed ? Numbers.moment(t, b - a) : String(Math.round(t)), x, top + AXIS / 2);
    }
  }

  function drawLane(g, c, lane, top, left, width) {
    const [a, b] = Axis.window(), x = t => left + (t - a) / (b - a) * width;
    let used = -1;
    g.save();
    g.beginPath();
    g.rect(left, top, width, LANE);
    g.clip();
    lane.regions.forEach((region, i) => {
      const from = x(region.begin), to = x(region.end);
      if (to < left || from > left + width || to <= used + 0.5) return;
      g.fillStyle = lane.label === 'frame' ? (i % 2 ? c.line : c.soft) :
        'hsl(' + hue(region.text) + ' ' + (c.dark ? '35% 38%' : '45% 82%') + ')';
      g.fillRect(Math.max(from, used), top + 1, Math.max(1, to - Math.max(from, used)), LANE - 3);
      used = to;
      if (to - from < 26) return;
      g.fillStyle = c.ink;
      g.font = '11px system-ui, sans-serif';
      g.textBaseline = 'middle';
      g.save();
      g.beginPath();
      g.rect(Math.max(from, left), top, to - Math.max(from, left) - 3, LANE);
      g.clip();
      g.fillText(region.text, Math.max(from, left) + 4, top + LANE / 2);
      g.restore();
    });
    g.restore();
  }

  function draw() {
    if (!canvas) return;
    const {left, width} = Axis.area(canvas.clientWidth), ratio = devicePixelRatio || 1;
    const height = OVERVIEW + 6 + lanes.length * LANE + AXIS;
    canvas.style.height = height + 'px';
    canvas.width = Math.round(canvas.clientWidth * ratio);
    canvas.height = Math.round(height * ratio);
    const g = canvas.getContext('2d'), c = colours();
    g.scale(ratio, ratio);
    drawOverview(g, c, left, width, Report.extent());
    lanes.forEach((lane, i) => drawLane(g, c, lane, OVERVIEW + 5 + i * LANE, left, width));
    drawAxis(g, c, height - AXIS, left, width);
    if (left < 100) return;
    g.textAlign = 'left';
    g.font = '13px system-ui, sans-serif';
    if (overview) g.fillText(overview.title + ', whole run', 0, 9, left - 12);
    lanes.forEach((lane, i) => g.fillText(lane.title, 0, OVERVIEW + 5 + i * LANE + LANE / 2, left - 12));
  }

  const laneAt = y => lanes[Math.floor((y - OVERVIEW - 5) / LANE)];

  function regionAt(event) {
    const {left, width} = Axis.area(canvas.clientWidth), lane = laneAt(event.offsetY), [a, b] = Axis.window();
    const time = a + (event.offsetX - left) / width * (b - a);
    return lane && lane.regions.find(r => r.begin <= time && time < r.end);
  }

  function moved(event) {
    const {left, width} = Axis.area(canvas.clientWidth), all = Report.extent();
    const time = all[0] + (event.offsetX - left) / width * (all[1] - all[0]);
    if (!drag) {
      const region = event.offsetY > OVERVIEW ? regionAt(event) || null : null;
      if (region !== pointed) {
        pointed = region;
        Charts.repaint();
      }
      tip.textContent = region ? region.text + ', ' + Numbers.seconds(region.end - region.begin) : '';
      canvas.style.cursor = region ? 'pointer' : 'ew-resize';
      return;
    }
    const [a, b] = drag.window, by = time - drag.time;
    if (drag.part === 'new') Axis.show([Math.min(drag.time, time), Math.max(drag.time, time)]);
    else if (drag.part === 'begin') Axis.show([Math.min(a + by, b), b]);
    else if (drag.part === 'end') Axis.show([a, Math.max(b + by, a)]);
    else Axis.pan(drag.window, by);
  }

  function pressed(event) {
    const region = event.offsetY > OVERVIEW ? regionAt(event) : null;
    if (region) Axis.show([region.begin, region.end]);
    if (event.offsetY > OVERVIEW) return;
    const {left, width} = Axis.area(canvas.clientWidth), all = Report.extent(), window = Axis.window();
    const x = t => left + (t - all[0]) / (all[1] - all[0]) * width, at = event.offsetX;
    const whole = !State.state.window;
    drag = {window, time: all[0] + (at - left) / width * (all[1] - all[0]),
      part: whole ? 'new' : Math.abs(at - x(window[0])) < EDGE ? 'begin' : Math.abs(at - x(window[1])) < EDGE ? 'end' :
        at > x(window[0]) && at < x(window[1]) ? 'all' : 'new'};
    canvas.setPointerCapture(event.pointerId);
  }

  function build() {
    collect();
    tip = element('span', {class: 'tip', 'aria-hidden': 'true'});
    canvas = element('canvas', {class: 'lanes', 'aria-hidden': 'true', onpointermove: moved, onpointerdown: pressed,
      onpointerup: () => { drag = null; }, onpointercancel: () => { drag = null; },
      onpointerleave: () => { pointed = null; tip.textContent = ''; Charts.repaint(); }, ondblclick: () => State.set({window: null})});
    return [canvas, tip];
  }

  return {build, draw, gapsOf, colours, pointed: () => pointed};
})();
