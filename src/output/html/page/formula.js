/* A metric's formula, and the same with the numbers of the whole run put in. */
const Formula = (() => {
  const NAME = /[A-Za-z_$][\w$.]*(?:\[[^\]]*\][\w$.]*)?/g;

  function number(value) {
    if (Numbers.isNone(value)) return '–';
    if (Number.isInteger(value) && Math.abs(value) < 1e6) return String(value);
    const {digits, unit} = Numbers.parts(value, {scale: 'si', symbol: '', joined: false});
    return digits + (unit ? ' ' + unit : '');
  }

  /* The formula in pieces: names of operands become what `put` makes of them. */
  function pieces(infix, operands, put) {
    const out = [];
    let at = 0;
    for (const match of infix.matchAll(NAME)) {
      const operand = operands.find(o => o.name === match[0] || '$' + o.name === match[0]);
      if (!operand) continue;
      out.push(infix.slice(at, match.index), put(operand, match[0]));
      at = match.index + match[0].length;
    }
    return [...out, infix.slice(at)];
  }

  function build(device, row) {
    const {formula, description} = row, told = description ? [element('p', {}, description)] : [];
    const known = [['name', row.name], ['neutral name', row.neutral], ['unit', row.unit], ['peak', Numbers.isNone(row.peak) ? null : Numbers.text(row.peak, row)]];
    const facts = element('p', {class: 'dim'}, known.filter(([, v]) => v).map(([k, v], i) => [i ? '; ' : '', k + ' ', element('code', {}, v)]).flat());
    if (!formula || !formula.infix) return [...told, facts, element('p', {}, row.formula ? 'It has no formula here.' : 'It is counted as it is.')];
    const whole = row.total !== null ? row.total : row.mean;
    const having = formula.operands.some(o => !Numbers.isNone(o.value));
    return [...told,
      element('p', {class: 'formula'}, element('b', {}, nameOf(row)), ' = ', pieces(formula.infix, formula.operands, (o, text) => element('span', {class: 'operand', title: o.kind}, text))),
      having ? element('p', {class: 'formula'}, '= ', pieces(formula.infix, formula.operands, o => element('span', {class: 'operand', title: o.name}, number(o.value)))) : null,
      element('p', {class: 'formula'}, '= ', element('b', {}, Numbers.text(whole, row)), ' over the whole run'),
      element('ul', {class: 'operands'}, formula.operands.map(o => element('li', {}, element('code', {}, o.name), ' ' + number(o.value) + ' ' + (o.unit || ''),
        element('span', {class: 'dim'}, ' ' + o.kind + (o.block ? ' of ' + o.block : ''))))),
      facts].filter(Boolean);
  }

  return {build};
})();
