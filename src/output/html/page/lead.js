/* The first screen: what holds the program back, with numbers, and where to look. */
const Lead = (() => {
  const CARDS = 3, LOADS = 3;

  /* Rules have upper limits and lower ones. */
  function side(value, limit) {
    if (value > limit) return 'above';
    return value < limit ? 'below' : 'at';
  }

  function evidence(finding) {
    const direct = !finding.compared || finding.compared === finding.metric;
    const value = direct ? finding.value : finding.measured;
    const of = direct && finding.unit ? finding : {scale: 'si', symbol: '', joined: false};
    const factor = direct && finding.unit ? finding.factor : 1;
    if (Numbers.isNone(value)) return null;
    const {digits, unit} = Numbers.parts(value * factor, of), limit = finding.compared ? Numbers.parts(finding.limit * factor, of) : null;
    return {name: direct ? finding.metric : finding.compared, value: digits + (unit ? ' ' + unit : ''), of: of.joined ? null : of.symbol,
      limit: limit && !Numbers.isNone(finding.limit) ? side(value, finding.limit) + ' ' + limit.digits + (limit.unit ? ' ' + limit.unit : '') : null};
  }

  /* The name of what was compared, in the words that were chosen. */
  function subject(device, name) {
    const row = device.rows.find(r => r.name === name);
    if (row) return element('span', {class: 'subject', title: row.name}, nameOf(row));
    return element('code', {class: 'subject formula'}, name);
  }

  function windowLink(device, finding, window, label) {
    const timed = device.course && device.course.timed && window.begin_ns !== null && window.end_ns !== null;
    const span = timed ? [window.begin_ns / 1e9, window.end_ns / 1e9] : [window.first, window.last + 1];
    const show = () => {
      const margin = (span[1] - span[0]) * 0.25 || 0.5;
      const all = Report.extent();
      State.set({window: [Math.max(all[0], span[0] - margin), Math.min(all[1], span[1] + margin)], lengths: null});
      Charts.reveal(device, finding.metric, span);
    };
    const width = span[1] - span[0];
    const text = timed ? Numbers.moment(span[0], width) + ' – ' + Numbers.moment(span[1], width) :
      'samples ' + window.first + ' – ' + window.last;
    return element('button', {type: 'button', class: 'link', onclick: show, 'aria-label': label + ', ' + text}, text);
  }

  function windowLinks(device, finding) {
    const by_length = [...finding.windows].sort((a, b) => (b.last - b.first) - (a.last - a.first)).slice(0, 3);
    if (!by_length.length || !device.course) return null;
    return element('p', {class: 'windows'}, 'see ', by_length.flatMap((w, i) =>
      [i ? ', ' : null, windowLink(device, finding, w, finding.title)]));
  }

  /* A finding; without a level its title stands elsewhere. */
  function card(device, finding, level) {
    const shown = evidence(finding);
    const share = finding.rows ? finding.samples / finding.rows : null;
    const where = finding.samples === finding.rows ? 'in every sample' :
      'in ' + Numbers.count(finding.samples) + ' of ' + Numbers.count(finding.rows) + ' samples (' + Numbers.percent(share) + ')';
    return element('article', {class: 'card ' + finding.severity},
      level ? element('h' + level, {}, finding.title, element('span', {class: 'severity'}, finding.severity)) : null,
      shown ? element('p', {class: 'evidence'}, element('strong', {}, shown.value),
        shown.of ? element('span', {class: 'of'}, ' ' + shown.of) : null,
        shown.limit ? element('span', {class: 'limit'}, ' ' + shown.limit) : null,
        element('br'), subject(device, shown.name)) : null,
      element('p', {class: 'where'}, where),
      windowLinks(device, finding),
      element('p', {class: 'advice'}, finding.advice),
      finding.sections.length ? element('p', {class: 'sections'}, 'sections: ' + finding.sections.join(', ')) : null);
  }

  /* What the page says in one line: the verdict, or what weighs most. */
  function headline(device, fired) {
    if (device.verdict_line)
      return [device.verdict_heading.replace(/^v/, 'V'), {title: device.verdict_line, advice: device.verdict_advice}];
    if (fired.length) return ['Top finding', fired[0]];
    if (!device.head.samples) return ['Verdict', {title: 'No samples'}];
    if (!device.findings.length) return ['Verdict', {title: 'No rules for this device'}];
    return ['Verdict', {title: device.findings.some(f => !f.why) ? 'No rule fires' : 'No rule could be judged'}];
  }

  function summary(device) {
    const {head} = device, kind = head.kind === 'time' ? 'sample' : head.kind;
    const frames = head.frames;
    const facts = [Numbers.count(head.samples) + ' ' + kind + (head.samples === 1 ? '' : 's')];
    if (head.duration_ns) facts.push('in ' + Numbers.seconds(head.duration_ns / 1e9));
    if (frames && frames.count > 1) {
      facts.push(Numbers.three(frames.fps) + ' frames/s' +
        (frames.fps > frames.fps_each * 1.005 ? ' together, each ' + Numbers.three(frames.fps_each) + '/s' : ''));
      if (!Numbers.isNone(frames.low_1_percent)) facts.push('slowest 1 %: ' + Numbers.three(frames.low_1_percent) + '/s');
      if (frames.stutters) facts.push(frames.stutters + (frames.stutters === 1 ? ' stutter' : ' stutters'));
    }
    if (head.lost || head.lost_more) facts.push((head.lost_more ? 'more than ' : '') + Numbers.count(head.lost) + ' lost');
    return facts;
  }

  /* What takes part of the truth away, said before any number. */
  function warnings(device) {
    const {head} = device, list = [];
    if (head.simulated) list.push('Simulated: these numbers come from a model, not from a real device.');
    if (head.why) list.push('Not measured: ' + head.why + (device.because ? ': ' + device.because : ''));
    if (head.failure) list.push('Incomplete: after ' + Numbers.seconds(head.failure.after_ns / 1e9) + ', ' + head.failure.message +
      (head.failure.because ? ': ' + head.failure.because : ''));
    return list.map(text => element('p', {class: 'warning'}, text));
  }

  function remarks(device) {
    const {head, cost} = device, list = [...head.notes];
    if (cost.measured !== cost.all)
      list.push(Numbers.count(cost.measured) + ' of ' + Numbers.count(cost.all) + ' samples were counted, totals are scaled' +
        (cost.guessed ? ' (' + Numbers.count(cost.guessed) + ' of contexts without any as the others)' : '') +
        (Numbers.isNone(cost.share) ? '' : '; measuring cost ' + Numbers.percent(cost.share) + ' of the CPU time'));
    return list.map(text => element('p', {class: 'remark'}, text));
  }

  function loads(device, level) {
    const near = device.rows.filter(r => !Numbers.isNone(r.load)).sort((a, b) => b.load - a.load).slice(0, LOADS);
    if (!near.length) return null;
    return element('section', {class: 'loads'}, element('h' + level, {}, 'Nearest to their peak'),
      element('ul', {}, near.map(row => element('li', {},
        element('button', {type: 'button', class: 'link', onclick: () => Charts.reveal(device, row.name)}, nameOf(row)),
        element('span', {class: 'bar', 'aria-hidden': 'true'},
          element('span', {style: 'width:' + Math.min(100, row.load * 100).toFixed(1) + '%'})),
        element('span', {class: 'figure'}, element('span', {class: 'digits'}, Numbers.three(row.load * 100)),
          element('span', {class: 'prefix'}, '%'))))));
  }

  function gates() {
    const {report} = Report;
    if (!report.gates || !report.gates.length) return null;
    return element('section', {class: 'gates'}, element('h2', {}, 'Gates'), element('ul', {}, report.gates.map(gate => {
      const state = gate.passed === null ? 'not judged' : gate.passed ? 'passed' : 'failed';
      const row = Report.devices.flatMap(d => d.rows).find(r => r.gates.some(g => g.gate === gate.gate));
      const value = gate.passed === null ? gate.why : row ? Numbers.text(gate.value, row) : Numbers.three(gate.value) + ' ' + gate.unit;
      return element('li', {class: state.replace(' ', '-')}, element('b', {}, state), ' ', element('code', {}, gate.gate), ': ', value);
    })));
  }

  function rest(findings, title, line) {
    if (!findings.length) return null;
    return element('details', {}, element('summary', {}, title + ' (' + findings.length + ')'),
      element('ul', {}, findings.map(f => element('li', {}, element('b', {}, f.title), line(f)))));
  }

  function leadOf(device, several) {
    const fired = device.findings.filter(f => f.fired), [kicker, first] = headline(device, fired);
    const level = several ? 4 : 3, others = fired.filter(f => f !== first);
    const id = 'verdict-' + device.index, busy = loads(device, level);
    const room = busy ? CARDS : CARDS - 1;
    /* Without loads their place is the next finding's. */
    const beside = busy || (others.length ? card(device, others.shift(), level) : null);
    return element('section', {class: 'lead', 'aria-labelledby': id},
      several ? element('h2', {class: 'device'}, device.title) : null,
      element('p', {class: 'facts'}, summary(device).map(f => element('span', {}, f))),
      remarks(device), warnings(device),
      element('div', {class: 'first'},
        element('div', {class: first.rule ? 'verdict' : 'verdict quiet'}, element('p', {class: 'kicker'}, kicker), element(several ? 'h3' : 'h2', {id}, first.title),
          first.rule ? card(device, first, 0) : first.advice ? element('p', {class: 'advice'}, first.advice) : null),
        beside),
      element('div', {class: 'cards'}, others.slice(0, room).map(f => card(device, f, level))),
      others.length > room ? element('details', {class: 'more'}, element('summary', {}, others.length - room + ' more findings'),
        element('div', {class: 'cards'}, others.slice(room).map(f => card(device, f, level)))) : null,
      rest(device.findings.filter(f => !f.fired && !f.why), 'Rules that do not apply', () => ''),
      rest(device.findings.filter(f => !f.fired && f.why), 'Rules that could not be judged', f => ': ' + f.why));
  }

  const COLOURS = {better: 'better', worse: 'worse'};

  /* What became of the baseline: what changed most, and advice that came or went. */
  function comparison() {
    const {report} = Report, c = report.comparison;
    if (!c) return null;
    const told = ['better', 'worse', 'changed'].map(v => [v, c.changes.filter(x => x.verdict === v)]);
    const most = told.flatMap(([, list]) => list).sort((a, b) => Math.abs(b.change) - Math.abs(a.change)).slice(0, 8);
    return element('section', {class: 'comparison', 'aria-labelledby': 'against'},
      element('h2', {id: 'against'}, 'Against ', element('code', {}, report.baseline.file || 'the baseline')),
      c.why_not ? element('p', {class: 'warning'}, (c.comparable ? '' : 'Not comparable: ') + c.why_not) : null,
      element('p', {class: 'facts'}, told.map(([verdict, list]) => element('span', {}, list.length + ' ' + verdict)),
        element('span', {}, c.changes.filter(x => x.verdict === 'same').length + ' the same')),
      element('ul', {class: 'changes'}, most.map(x => {
        const device = Report.devices.find(d => d.head.id === x.device), row = device && device.rows.find(r => r.name === x.name);
        return element('li', {class: COLOURS[x.verdict] || ''},
          row ? element('button', {type: 'button', class: 'link', onclick: () => Charts.reveal(device, row.name)}, nameOf(row)) : x.name,
          element('span', {class: 'figure'}, Numbers.signed(x.change)), element('span', {class: 'verdict-word'}, x.verdict));
      })),
      c.advice.length ? element('ul', {}, c.advice.map(a =>
        element('li', {}, (a.appeared ? 'new: ' : 'gone: ') + a.title))) : null);
  }

  function build() {
    const several = Report.devices.length > 1;
    const seen = [...Report.devices].sort((a, b) => (b.head.samples > 0) - (a.head.samples > 0));
    return [...seen.map(d => leadOf(d, several)), gates(), comparison()].filter(Boolean);
  }

  return {build};
})();
