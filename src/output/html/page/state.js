/* What the reader chose; it stands in the URL's fragment, so that a link shows the same. */
const State = (() => {
  const state = {window: null, lengths: null, query: '', sort: '', names: 'title', theme: 'auto', closed: new Set()};
  const listeners = [];
  let writing = 0;

  const pairOf = text => {
    const pair = (text || '').split('~').map(Number);
    return pair.length === 2 && pair.every(Number.isFinite) && pair[0] < pair[1] ? pair : null;
  };

  function read() {
    const p = new URLSearchParams(location.hash.slice(1));
    const names = ['title', 'vendor', 'neutral'], themes = ['auto', 'light', 'dark'];
    state.window = pairOf(p.get('t'));
    state.lengths = pairOf(p.get('length'));
    state.query = p.get('q') || '';
    state.sort = p.get('sort') || '';
    state.names = names.includes(p.get('names')) ? p.get('names') : 'title';
    state.theme = themes.includes(p.get('theme')) ? p.get('theme') : 'auto';
    state.closed = new Set((p.get('closed') || '').split(' ').filter(Boolean));
  }

  function write() {
    const p = new URLSearchParams();
    if (state.window) p.set('t', state.window.map(v => +v.toPrecision(9)).join('~'));
    if (state.lengths) p.set('length', state.lengths.map(v => +v.toPrecision(6)).join('~'));
    if (state.query) p.set('q', state.query);
    if (state.sort) p.set('sort', state.sort);
    if (state.names !== 'title') p.set('names', state.names);
    if (state.theme !== 'auto') p.set('theme', state.theme);
    if (state.closed.size) p.set('closed', [...state.closed].join(' '));
    history.replaceState(null, '', '#' + p.toString());
  }

  /* Listeners are called once for all changes of a moment. */
  function set(changes) {
    Object.assign(state, changes);
    clearTimeout(writing);
    writing = setTimeout(write, 120);
    for (const listener of listeners) listener(changes);
  }

  const listen = listener => listeners.push(listener);
  addEventListener('hashchange', () => {
    read();
    for (const listener of listeners) listener(state);
  });
  read();
  return {state, set, listen, write};
})();

/* An element: attributes, event handlers, and children; text is text, never markup. */
function element(name, attributes, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (value === true) node.setAttribute(key, '');
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(key, value);
  }
  node.append(...children.flat().filter(child => child !== null && child !== undefined && child !== false));
  return node;
}

/* A number whose digits line up with those below it. */
function figure(value, of) {
  const {digits, unit} = Numbers.parts(value, of);
  return element('span', {class: 'figure'}, element('span', {class: 'digits'}, digits), element('span', {class: 'prefix'}, unit));
}

/* The name of a row in the words that were chosen. */
function nameOf(row) {
  const {names} = State.state;
  return names === 'neutral' ? row.neutral || row.title : names === 'vendor' ? row.name : row.title;
}
