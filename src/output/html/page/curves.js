/* Curves: how the course of a metric is drawn in a plot, with its gaps and gates. */
const Curves = (() => {
  let hatch = null;

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
    const {course} = device, [a, b] = Axis.window(), {min, max} = row.data;
    let low = 0, high = 0;
    for (let i = Axis.indexOf(course, a); i < course.count && course.begin[i] < b; i++) {
      if (min[i] < low) low = min[i];
      if (max[i] > high) high = max[i];
    }
    const other = row.other && row.other.data, base = device.other && device.other.course;
    for (let i = other ? Axis.indexOf(base, a) : 0; other && i < base.count && base.begin[i] < b; i++) {
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
    const {device, row} = strip, {course} = device, g = u.ctx, c = Lanes.colours(), [a, b] = Axis.window();
    const from = Axis.indexOf(course, a), ratio = devicePixelRatio || 1;
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
      const base = device.other.course, first = Axis.indexOf(base, a);
      let last = first;
      while (last < base.count && base.begin[last] < b) last++;
      g.strokeStyle = c.dim;
      g.stroke(curve(u, base, row.other.data, first, last, null).line);
    }
    paintCurve(u, g, c, device, row.data, from, to);
    paintGates(u, g, c, strip, from, to);
    g.restore();
  }

  return {holesOf, range, paint, forgetColours: () => { hatch = null; }};
})();
