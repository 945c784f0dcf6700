/* How long frames took, and a range of that which everything else is limited to. */
const Histogram = (() => {
  const HEIGHT = 132, LEFT = 48, RIGHT = 12, BOTTOM = 22;
  let device, other, canvas, low, high, told, drag = null;

  const bins = () => device.histogram.counts.length - 1;
  const top = () => device.histogram.width_ns * bins() / 1e9;

  /* Which samples of each device lie within the range of lengths; null: all. */
  function filter() {
    const range = State.state.lengths;
    for (const d of Report.devices) {
      d.keep = null;
      if (!range || !d.course || !d.histogram) continue;
      const {shortest_ns: shortest, longest_ns: longest} = d.course.arrays;
      d.keep = Uint8Array.from(d.course.begin, (begin, i) => {
        const least = shortest ? shortest[i] / 1e9 : lengthOf(d.course, i), most = longest ? longest[i] / 1e9 : least;
        return most >= range[0] && least <= range[1] ? 1 : 0;
      });
    }
  }

  /* The difference of whole nanoseconds, which those of seconds are not. */
  const lengthOf = (course, i) => (course.arrays.end_ns[i] - course.arrays.begin_ns[i]) / 1e9;

  function drawCounts(g, c, histogram, width, colour, scale) {
    const most = Math.max(...histogram.counts), full = top() * 1e9;
    g.fillStyle = colour;
    histogram.counts.forEach((count, i) => {
      if (!count) return;
      const from = Math.min(i * histogram.width_ns, full) / full, to = Math.min((i + 1) * histogram.width_ns, full * (1 + 1 / bins())) / full;
      const height = Math.max(1.5, Math.sqrt(count / most) * (HEIGHT - BOTTOM - 22)), room = width * bins() / (bins() + 1);
      g.fillRect(LEFT + from * room, HEIGHT - BOTTOM - height, Math.max(1, (to - from) * room - scale), height);
    });
  }

  function draw() {
    if (!canvas) return;
    const ratio = devicePixelRatio || 1, c = Lanes.colours(), total = canvas.clientWidth, width = total - LEFT - RIGHT;
    canvas.width = total * ratio;
    canvas.height = HEIGHT * ratio;
    const g = canvas.getContext('2d'), room = width * bins() / (bins() + 1);
    g.scale(ratio, ratio);
    g.globalAlpha = State.state.lengths ? 0.35 : 1;
    drawCounts(g, c, device.histogram, width, c.accent, 1);
    g.globalAlpha = 1;
    const range = State.state.lengths, x = seconds => LEFT + Math.min(1 + 1 / bins(), seconds / top()) * room;
    if (range) {
      g.save();
      g.beginPath();
      g.rect(x(range[0]), 0, x(range[1]) - x(range[0]), HEIGHT);
      g.clip();
      drawCounts(g, c, device.histogram, width, c.accent, 1);
      g.restore();
      g.strokeStyle = c.ink;
      g.strokeRect(x(range[0]), 0.5, x(range[1]) - x(range[0]), HEIGHT - BOTTOM);
    }
    if (other && other.histogram) {
      g.globalAlpha = 0.6;
      drawCounts(g, c, other.histogram, width, c.dim, 3);
      g.globalAlpha = 1;
    }
    g.fillStyle = c.dim;
    g.font = '11px system-ui, sans-serif';
    g.textAlign = 'center';
    for (const t of Axis.ticks(0, top(), width)) if (x(t) < total - 70) g.fillText(Numbers.seconds(t), x(t), HEIGHT - 6);
    g.textAlign = 'right';
    g.fillText('longer', total - 2, HEIGHT - 6);
    g.fillText(Numbers.count(Math.max(...device.histogram.counts)), LEFT - 6, 12);
    g.fillText('0', LEFT - 6, HEIGHT - BOTTOM);
    g.textAlign = 'left';
    g.fillText('frames (heights are square roots)', LEFT + 6, 12);
  }

  function tell() {
    const range = State.state.lengths;
    low.value = range ? +(range[0] * 1e3).toPrecision(6) : '';
    high.value = range ? +(range[1] * 1e3).toPrecision(6) : '';
    if (!range) {
      told.textContent = 'Drag over the histogram, or type, to see only frames of such a length.';
      return;
    }
    const kept = device.keep ? device.keep.reduce((n, k, i) => n + (k ? device.course.arrays.samples[i] : 0), 0) : 0;
    told.textContent = (device.course.each > 1 ? 'Stretches with such a frame hold ' : '') + Numbers.count(kept) + ' of ' +
      Numbers.count(device.head.samples) + ' frames' + (device.course.each > 1 ? '.' : ' are that long; the rest is pale in the charts and left out of the table.');
  }

  function typed() {
    const from = low.value === '' ? 0 : Number(low.value) / 1e3, to = high.value === '' ? device.head.duration_ns / 1e9 : Number(high.value) / 1e3;
    State.set({lengths: (low.value === '' && high.value === '') || !(from < to) ? null : [from, to]});
  }

  function timeAt(event) {
    const room = (canvas.clientWidth - LEFT - RIGHT) * bins() / (bins() + 1), share = (event.offsetX - LEFT) / room;
    return share >= 1 ? Math.max(top(), device.head.duration_ns / 1e9) : Math.max(0, share * top());
  }

  function dragged(event) {
    if (drag === null) return;
    const at = timeAt(event);
    if (Math.abs(at - drag) > top() / 400) State.set({lengths: [Math.min(drag, at), Math.max(drag, at)]});
  }

  function build() {
    device = Report.devices.find(d => d.histogram && d.course);
    if (!device) return null;
    other = device.other;
    canvas = element('canvas', {class: 'histogram', 'aria-hidden': 'true', onpointermove: dragged,
      onpointerdown: event => { drag = timeAt(event); canvas.setPointerCapture(event.pointerId); },
      onpointerup: () => { drag = null; }, ondblclick: () => State.set({lengths: null})});
    const field = label => element('input', {type: 'number', min: 0, step: 'any', 'aria-label': label, onchange: typed});
    low = field('shortest frame in ms');
    high = field('longest frame in ms');
    told = element('span', {class: 'dim', role: 'status'});
    const counts = device.histogram.counts, edge = i => Numbers.seconds(i * device.histogram.width_ns / 1e9);
    return element('section', {class: 'frames', 'aria-labelledby': 'frames'}, element('h2', {id: 'frames'}, 'Frame times'), canvas,
      element('p', {class: 'controls'}, 'from ', low, ' to ', high, ' ms ',
        element('button', {type: 'button', onclick: () => State.set({lengths: null})}, 'all frames'), ' ', told),
      element('details', {}, element('summary', {}, 'numbers'), element('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'numbers of frame times'},
        element('table', {}, element('caption', {}, 'Frames by length'), element('thead', {}, element('tr', {}, element('th', {scope: 'col'}, 'longer than'), element('th', {scope: 'col'}, 'up to'), element('th', {scope: 'col'}, 'frames'))),
          element('tbody', {}, counts.map((n, i) => n ? element('tr', {}, element('th', {scope: 'row'}, edge(i)),
            element('td', {}, i === bins() ? 'any' : edge(i + 1)), element('td', {}, Numbers.count(n))) : null).filter(Boolean))))));
  }

  return {build, draw, tell: () => canvas && tell(), filter, lengthOf};
})();
