/* The report: what the page holds, its charts' numbers unpacked. Values are in base units. */
const Report = (() => {
  const NO_LABEL = 0xffffffff, MIXED = 0xfffffffe;
  const KINDS = {f64: Float64Array, f32: Float32Array, u32: Uint32Array, u8: Uint8Array};
  const report = JSON.parse(document.getElementById('report').textContent);

  async function unpack(id) {
    const text = atob(document.getElementById(id).textContent), packed = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) packed[i] = text.charCodeAt(i);
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }

  /* Reads arrays one after another; each stands by bytes. */
  function reader(bytes, count) {
    let at = 0;
    return kind => {
      const out = new KINDS[kind](count), size = out.BYTES_PER_ELEMENT, raw = new Uint8Array(out.buffer);
      for (let b = 0; b < size; b++)
        for (let i = 0; i < count; i++) raw[i * size + b] = bytes[at++];
      return out;
    };
  }

  /* Samples of several contexts come as they end: the charts want them as they began. */
  function orderOf(begin) {
    const order = Array.from(begin.keys());
    return order.some((_, i) => i && begin[i] < begin[i - 1]) ? order.sort((a, b) => begin[a] - begin[b]) : null;
  }

  function sorted(array, order) {
    return order ? array.map((_, i) => array[order[i]]) : array;
  }

  /* Without times the axis counts samples. */
  function setTimes(course) {
    const {begin_ns: begin, end_ns: end, samples} = course.arrays;
    course.timed = begin.length > 0 && begin.every((b, i) => Number.isFinite(b) && Number.isFinite(end[i]));
    course.begin = new Float64Array(course.count);
    course.end = new Float64Array(course.count);
    for (let i = 0, sample = 0; i < course.count; sample += samples[i++]) {
      course.begin[i] = course.timed ? begin[i] / 1e9 : sample;
      course.end[i] = course.timed ? Math.max(begin[i], end[i]) / 1e9 : sample + samples[i];
    }
  }

  const scaledBy = (array, factor) => factor === 1 ? array : Float64Array.from(array, value => value * factor);

  async function readCourse(device, id) {
    const layout = device.course;
    if (!layout) return;
    const next = reader(await unpack(id), layout.count);
    const course = {each: layout.each, count: layout.count, strings: layout.strings, arrays: {}};
    for (const [name, kind] of layout.arrays) course.arrays[name] = next(kind);
    for (const index of layout.rows) {
      const row = device.rows[index], data = {};
      for (const [name, kind] of layout.of_each_row) data[name] = next(kind);
      const mean = data.value || data.mean;
      row.data = {
        min: scaledBy(data.value || data.min, row.factor),
        max: scaledBy(data.value || data.max, row.factor),
        mean: scaledBy(mean, row.factor),
        quality: data.quality,
      };
    }
    const order = orderOf(course.arrays.begin_ns);
    for (const name of Object.keys(course.arrays)) course.arrays[name] = sorted(course.arrays[name], order);
    for (const row of device.rows)
      for (const name of row.data && order ? Object.keys(row.data) : []) row.data[name] = sorted(row.data[name], order);
    setTimes(course);
    device.course = course;
  }

  /* The head's facts of a device and its body in one object. */
  function join(of) {
    of.of_devices.forEach((body, i) => Object.assign(body, {head: of.devices.find(d => d.id === body.id), index: i}));
    const titles = of.of_devices.map(d => d.title);
    of.of_devices.forEach((d, i) => {
      if (titles.filter(t => t === d.title).length > 1) d.title += ' (' + d.head.catalog + (i ? ', device ' + i : '') + ')';
    });
    return of.of_devices;
  }

  const labelAt = (course, label, i) => {
    const array = course.arrays[label], value = array ? array[i] : NO_LABEL;
    if (value === NO_LABEL) return null;
    if (value === MIXED) return 'several';
    return /^(group\d?|process|reason)$/.test(label) ? course.strings[value] : String(value);
  };

  const devices = join(report);
  const baseline = report.baseline ? join(report.baseline) : null;

  async function load() {
    for (const device of devices) await readCourse(device, 'course-' + device.index);
    for (const device of baseline || []) await readCourse(device, 'baseline-' + device.index);
    pair();
  }

  /* Finds the row of the baseline, and what the comparison said, for each row. */
  function pair() {
    for (const device of devices) {
      const other = (baseline || []).find(b => b.head.catalog === device.head.catalog && b.index === device.index) ||
        (baseline || []).find(b => b.head.catalog === device.head.catalog);
      device.other = other || null;
      for (const row of device.rows) {
        row.other = other ? other.rows.find(r => r.name === row.name) || null : null;
        row.change = report.comparison ?
          report.comparison.changes.find(c => c.name === row.name && c.device === device.head.id) || null : null;
        row.gates = gatesOf(device, row);
      }
    }
  }

  function gatesOf(device, row) {
    return report.gate_lines.filter(line => line.of_samples && line.device === device.head.id &&
      [row.name, row.neutral].some(n => n && n.toLowerCase() === line.metric.toLowerCase()))
      .map(line => ({...report.gates[line.gate], above: line.above}));
  }

  /* Why a stretch has no value: the first that holds of its quality. A row's own reason says more than two of them. */
  const NOT_COLLECTED = 1, UNDEFINED = 8;
  function reasonOf(row, quality) {
    const reason = report.no_data.find(r => (quality & r.quality) === r.quality) || {quality: UNDEFINED};
    return [NOT_COLLECTED, UNDEFINED].includes(reason.quality) && row.why || reason.why || '';
  }

  /* By the names that rows and traces have; the glossary says what they mean. */
  const RESERVATIONS = [[16, 'lost: samples are missing in it'], [32, 'wrapped: it may have passed its largest value'],
    [64, 'multiplexed: counted for a part and scaled'], [128, 'stretched: longer than was asked for']];
  const reservationsOf = quality => RESERVATIONS.filter(([bit]) => quality & bit).map(([, text]) => text).join('; ');

  /* The whole time of all devices, in seconds (or samples, where no device has times). */
  function extent() {
    let low = Infinity, high = -Infinity;
    for (const {course} of devices) {
      if (!course || !course.count) continue;
      low = Math.min(low, course.begin[0]);
      for (const end of course.end) high = Math.max(high, end);
    }
    return low < high ? [low, high] : [0, 1];
  }

  return {report, devices, baseline, load, extent, labelAt, reasonOf, reservationsOf};
})();
