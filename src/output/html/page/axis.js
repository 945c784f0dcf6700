/* The one time axis: which window of the run is shown, and where plots lie. */
const Axis = (() => {
  const SIZE = 56, RIGHT = 10, LABEL = 236, NARROW = 720;

  const window = () => State.state.window || Report.extent();
  const isNarrow = () => document.documentElement.clientWidth < NARROW;

  /* Where plots lie within a row of this width. */
  function area(total) {
    const label = isNarrow() ? 0 : LABEL;
    return {left: label + SIZE, width: Math.max(40, total - label - SIZE - RIGHT)};
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
    const [a, b] = window(), middle = at ?? (a + b) / 2;
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

  return {SIZE, RIGHT, area, window, show, pan, zoom, ticks, indexOf};
})();
