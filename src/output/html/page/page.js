/* The page: head, tools, and what follows when the reader chooses something. */
const Page = (() => {
  const NAMES = ['title', 'vendor', 'neutral'], THEMES = ['auto', 'light', 'dark'];
  let search, names, theme, moment, span, pending = 0, resting = 0;

  const isDark = () => State.state.theme === 'dark' || (State.state.theme === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches);
  const next = (list, value) => list[(list.indexOf(value) + 1) % list.length];
  const nextNames = () => State.set({names: next(NAMES, State.state.names)});
  const nextTheme = () => State.set({theme: isDark() ? 'light' : 'dark'});
  const announce = text => { document.getElementById('announce').textContent = text; };
  const help = () => document.getElementById('help').showModal();

  function head() {
    const {report} = Report, devices = Report.devices;
    const told = devices.map(d => [d.title, d.head.driver, d.catalog_title !== d.title ? d.catalog_title : null].filter(Boolean).join(' · '));
    return [element('h1', {}, report.file ? report.file.replace(/^.*\//, '') : 'A run',
      report.simulated ? element('span', {class: 'badge'}, 'simulated') : null,
      report.baseline ? element('span', {class: 'versus'}, ' against ' + (report.baseline.file || 'B').replace(/^.*\//, '')) : null),
    ...told.map(text => element('p', {class: 'machine'}, text))];
  }

  const button = (text, label, act) => element('button', {type: 'button', 'aria-label': label, title: label, onclick: act}, text);
  const select = (label, list, act) => element('select', {'aria-label': label, onchange: act}, list.map(([value, text]) => element('option', {value}, text)));

  function tools() {
    search = element('input', {id: 'search', type: 'search', placeholder: 'search metrics', 'aria-label': 'search metrics',
      oninput: () => State.set({query: search.value})});
    names = select('names of metrics', [['title', 'titles'], ['vendor', 'vendor’s names'], ['neutral', 'neutral names']], () => State.set({names: names.value}));
    theme = select('colours', THEMES.map(t => [t, t]), () => State.set({theme: theme.value}));
    moment = element('span', {class: 'moment', 'aria-hidden': 'true'});
    span = element('span', {class: 'span'});
    return element('div', {class: 'tools', role: 'toolbar', 'aria-label': 'what is shown'}, search, names, theme,
      element('span', {class: 'zooms'}, button('−', 'zoom out', () => Axis.zoom(1 / 0.6, Charts.cursor())), button('+', 'zoom in', () => Axis.zoom(0.6, Charts.cursor())),
        button('‹', 'earlier', () => panBy(-0.5)), button('›', 'later', () => panBy(0.5)), button('whole run', 'show the whole run', () => State.set({window: null}))),
      span, moment, button('?', 'keys', help));
  }

  function panBy(share) {
    const [a, b] = Axis.window();
    Axis.pan([a, b], (b - a) * share);
  }

  /* What one point of a chart stands for. */
  function fineness() {
    const several = Report.devices.length > 1;
    return Report.devices.filter(d => d.course).map(d => {
      const {course} = d, length = course.count && course.timed ? (course.end[0] - course.begin[0]) : 0;
      return (several ? d.title + ': ' : '') + (course.each === 1 ? 'Every sample is here; where there are more than pixels, the line is their mean and the band shows how far they reach.' :
        'Finest stretch: ' + Numbers.count(course.each) + ' samples' + (length ? ' (' + Numbers.seconds(length) + ')' : '') +
        '; the line is their mean, the band reaches from the smallest to the largest.');
    }).join(' ');
  }

  function about() {
    const {report} = Report;
    return [element('details', {}, element('summary', {}, 'About this page'), element('ul', {},
      element('li', {}, 'Written by sextant ' + report.version + '. ' + fineness()),
      Report.devices.map(d => element('li', {}, d.title + ': catalog ', element('code', {}, d.head.catalog), ' ' + d.catalog_hash +
        (d.head.set ? ', set ' + d.head.set : '') + ', source ' + (d.head.source || 'not known') +
        (d.constants.length ? '; constants ' + d.constants.map(c => c.name + ' ' + c.value).join(', ') : ''))),
      element('li', {}, 'Charts by uPlot 1.6.32, © 2022 Leon Sorokin, MIT licence. The page needs no network.')))];
  }

  function setTheme() {
    const {theme: chosen} = State.state;
    if (chosen === 'auto') document.documentElement.removeAttribute('data-theme');
    else document.documentElement.setAttribute('data-theme', chosen);
  }

  /* What the search leaves of the charts. */
  function find() {
    const visible = new Set();
    for (const strip of Charts.strips) {
      const is = Table.matches(strip.row);
      strip.box.hidden = !is;
      if (is) visible.add(strip.box.closest('details'));
    }
    for (const section of document.querySelectorAll('details.section')) section.hidden = State.state.query !== '' && !visible.has(section);
  }

  function tell() {
    const [a, b] = Axis.window();
    search.value = State.state.query;
    names.value = State.state.names;
    theme.value = State.state.theme;
    span.textContent = Numbers.moment(a, b - a) + ' – ' + Numbers.moment(b, b - a);
  }

  /* The table is worked out once the hand rests. */
  function tabulate() {
    Table.compute();
    Table.draw();
    Charts.readOut();
  }

  function settle(changes) {
    if ('lengths' in changes) Histogram.filter();
    clearTimeout(resting);
    resting = setTimeout(tabulate, 100);
    if ('names' in changes) Charts.setNames();
    if ('query' in changes) find();
    if ('closed' in changes)
      for (const box of document.querySelectorAll('details.section[data-key]')) box.open = !State.state.closed.has(box.dataset.key);
    Charts.refresh();
    Histogram.draw();
    Histogram.tell();
    tell();
  }

  /* What the eye follows moves at once, the rest with the next picture. */
  function changed(changes) {
    setTheme();
    tell();
    if ('theme' in changes) { Charts.rebuild(); Lanes.draw(); Histogram.draw(); }
    Lanes.draw();
    const all = changed.pending = {...changed.pending, ...changes};
    cancelAnimationFrame(pending);
    pending = requestAnimationFrame(() => { changed.pending = {}; settle(all); });
  }

  function show(at) {
    const [a, b] = Axis.window();
    moment.textContent = at === null ? '' : Numbers.moment(at, b - a);
  }

  async function start() {
    setTheme();
    await Report.load();
    document.getElementById('head').append(...head());
    const main = document.getElementById('main');
    main.append(...Lead.build());
    const frames = Histogram.build(), lanes = Lanes.build(), charts = Charts.build();
    main.append(element('section', {id: 'course', class: 'course', 'aria-label': 'course over time'},
      element('div', {class: 'sticky'}, tools(), element('div', {class: 'lane-box'}, lanes)),
      frames, element('p', {class: 'dim fineness'}, fineness()), ...charts), Table.build());
    document.getElementById('foot').append(...about());
    document.body.append(Keys.build());
    Histogram.filter();
    State.listen(changed);
    settle({names: 1, query: 1, closed: 1});
    tabulate();
    addEventListener('keydown', Keys.pressed);
    addEventListener('wheel', Charts.wheel, {passive: false});
    addEventListener('beforeprint', Charts.printing);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => changed({theme: State.state.theme}));
    let width = innerWidth;
    addEventListener('resize', () => {
      if (innerWidth === width) return;
      width = innerWidth;
      Charts.rebuild();
      Histogram.draw();
    });
    document.documentElement.dataset.ready = 'yes';
  }

  return {start, nextNames, nextTheme, announce, help, moment: show};
})();
Page.start().catch(error => {
  document.getElementById('main').append(element('p', {class: 'warning'}, 'This page could not be shown: ' + error.message + '. A browser of 2023 or later can.'));
  throw error;
});
