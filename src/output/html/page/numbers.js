/* Numbers as people read them: three digits, SI for counts and rates, IEC for sizes. */
const Numbers = (() => {
  const SI = ['', 'k', 'M', 'G', 'T', 'P', 'E'];
  const IEC = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];
  const FINE = [[1, ''], [1e-3, 'm'], [1e-6, 'µ'], [1e-9, 'n']];
  const NONE = {digits: '–', unit: ''};

  const isNone = value => value === null || value === undefined || !Number.isFinite(value);

  function three(value) {
    const size = Math.abs(value);
    if (size === 0) return '0';
    if (size < 0.0005) return value.toExponential(2);
    if (size >= 99950) return value.toExponential(2);
    return value.toFixed(size >= 99.95 ? 0 : size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3);
  }

  function scaled(value, base, units) {
    let step = 0;
    while (step < 6 && Math.abs(value) >= base * 0.9995) {
      value /= base;
      step++;
    }
    const digits = step === 0 && Number.isInteger(value) ? String(value) : three(value);
    return {digits, unit: units[step]};
  }

  function fine(value, symbol) {
    const size = Math.abs(value);
    if (size >= 0.9995 || size === 0) {
      const big = scaled(value, 1000, SI);
      return symbol === 's' ? {digits: three(value), unit: 's'} : {digits: big.digits, unit: big.unit + symbol};
    }
    const [factor, prefix] = FINE.find(([f]) => size >= f * 0.9995) || FINE[3];
    return {digits: three(value / factor), unit: prefix + symbol};
  }

  /* Digits, and the prefix with what belongs to it; `of` has scale, symbol and joined. */
  function parts(value, of) {
    if (isNone(value)) return NONE;
    if (of.scale === 'iec' && of.joined) return scaled(value, 1024, IEC);
    if (of.scale === 'fine') return fine(value, of.symbol);
    if (of.scale === 'plain' && of.joined) return {digits: three(value), unit: of.symbol};
    const {digits, unit} = scaled(value, 1000, SI);
    return {digits, unit: of.joined ? unit + of.symbol : unit};
  }

  /* A value for a sentence, its unit with it. */
  function text(value, of) {
    const {digits, unit} = parts(value, of);
    const tail = of.joined || of.scale === 'fine' || isNone(value) ? unit : (unit + ' ' + (of.symbol || '')).trim();
    return tail ? digits + ' ' + tail : digits;
  }

  const SECONDS = {scale: 'fine', symbol: 's', joined: true};
  const seconds = value => text(value, SECONDS);

  /* A moment of the run, as fine as the window needs. */
  function moment(value, span) {
    const decimals = span > 100 ? 0 : span > 10 ? 1 : span > 1 ? 2 : span > 0.1 ? 3 : span > 0.01 ? 4 : span > 0.001 ? 5 : 6;
    if (span < 0.02 && Math.abs(value) < 1) return (value * 1e3).toFixed(Math.max(0, decimals - 3)) + ' ms';
    if (value < 120 || !Number.isFinite(value)) return value.toFixed(decimals) + ' s';
    const minutes = Math.floor(value / 60), rest = (value - 60 * minutes).toFixed(decimals);
    return minutes + ':' + (parseFloat(rest) < 10 ? '0' : '') + rest;
  }

  const count = value => String(value).replace(/\B(?=(\d{3})+$)/g, '\u202f');
  const percent = share => isNone(share) ? '–' : three(share * 100) + ' %';
  const signed = share => isNone(share) ? '–' : (share > 0 ? '+' : share < 0 ? '−' : '±') + three(Math.abs(share) * 100) + ' %';

  return {parts, text, seconds, moment, count, percent, signed, three, isNone};
})();
