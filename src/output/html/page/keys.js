/* The keyboard. */
const Keys = (() => {
  const WORDS = [['← →', 'pan'], ['+ −', 'zoom'], ['0', 'whole run'], ['[ ]', 'cursor by one sample'], ['/', 'search'],
    ['n', 'names'], ['t', 'light or dark'], ['Esc', 'clear search and filter'], ['?', 'this list']];

  function pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
    const field = event.target.closest('input, select, textarea');
    if (field && event.key !== 'Escape') return;
    const [a, b] = Axis.window(), act = {
      ArrowLeft: () => Axis.pan([a, b], (a - b) / 5), ArrowRight: () => Axis.pan([a, b], (b - a) / 5),
      '+': () => Axis.zoom(0.6, Charts.cursor()), '=': () => Axis.zoom(0.6, Charts.cursor()), '-': () => Axis.zoom(1 / 0.6, Charts.cursor()), 0: () => State.set({window: null}),
      '[': () => Charts.step(-1), ']': () => Charts.step(1), '/': () => document.getElementById('search').focus(),
      n: Page.nextNames, t: Page.nextTheme, '?': () => Page.help(), Escape: () => { if (field) field.blur(); State.set({query: '', lengths: null}); },
    }[event.key];
    if (!act || (event.key.startsWith('Arrow') && event.target.closest('.scroll'))) return;
    event.preventDefault();
    act();
  }

  const build = () => element('dialog', {id: 'help', 'aria-label': 'keys'}, element('h2', {}, 'Keys'),
    element('dl', {}, WORDS.map(([key, word]) => [element('dt', {}, element('kbd', {}, key)), element('dd', {}, word)]).flat()),
    element('p', {class: 'dim'}, 'Drag over a chart to zoom in, twice click for the whole run, Ctrl and the wheel to zoom, Shift and the wheel to pan.'),
    element('form', {method: 'dialog'}, element('button', {}, 'close')));

  return {pressed, build};
})();
