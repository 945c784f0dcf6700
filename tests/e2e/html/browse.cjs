// Drives a headless Chromium over pages of sextant, as a reader would: browse.cjs CHROMIUM FOLDER, in which test_browser.py
// put frames.html, against.html, long.html, the numbers of frames.html as frames.json, and node_modules.
'use strict';
const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const [chromium, folder] = process.argv.slice(2);
const puppeteer = require(path.join(folder, 'node_modules', 'puppeteer-core'));
const address = name => 'file://' + path.join(folder, name);
const trouble = [];
// A busy machine is slower than the 2 s that a quiet one has to keep.
const patience = () => Math.max(1, os.loadavg()[0] / os.cpus().length);

async function open(browser, name, hash = '', width = 1280) {
  const page = await browser.newPage();
  page.on('console', m => trouble.push(`${name}: console ${m.type()}: ${m.text()}`));
  page.on('pageerror', e => trouble.push(`${name}: ${e.message}`));
  page.on('dialog', d => { trouble.push(`${name}: a dialog: ${d.message()}`); d.dismiss(); });
  page.on('request', r => /^(file|data|blob):/.test(r.url()) || trouble.push(`${name}: asks for ${r.url()}`));
  await page.emulateMediaFeatures([{name: 'prefers-color-scheme', value: 'light'}, {name: 'prefers-reduced-motion', value: 'reduce'}]);
  await page.setViewport({width, height: 900});
  const begin = performance.now();
  await page.goto(address(name) + hash, {waitUntil: 'domcontentloaded'});
  await page.waitForSelector('html[data-ready=yes]', {timeout: 60000});
  page.took = performance.now() - begin;
  return page;
}

const settled = page => page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 180)))));
const hash = page => page.evaluate(() => new URLSearchParams(location.hash.slice(1)));
const param = async (page, name) => page.evaluate(n => new URLSearchParams(location.hash.slice(1)).get(n), name);
const windowOf = page => page.evaluate(() => Axis.window());
const visible = (page, selector) => page.$$eval(selector, all => all.filter(e => e.checkVisibility()).length);
const click = (page, label) => page.evaluate(l => document.querySelector(`button[aria-label="${l}"]`).click(), label);

// The middle of the plot of one metric, in the window.
async function plotOf(page, name) {
  await page.evaluate(n => { const s = Charts.strips.find(x => x.row.name === n); s.box.scrollIntoView({block: 'center'}); }, name);
  await page.waitForFunction(n => Charts.strips.find(x => x.row.name === n).plot, {}, name);
  await settled(page);
  return page.evaluate(n => {
    const box = Charts.strips.find(x => x.row.name === n).plot.over.getBoundingClientRect();
    return {left: box.left, right: box.right, y: box.top + box.height / 2};
  }, name);
}

async function opens(browser) {
  const times = [];
  for (const name of ['long.html', 'frames.html', 'long.html', 'frames.html']) {
    const page = await open(browser, name);
    times.push([name, page.took]);
    await page.close();
  }
  for (const name of ['long.html', 'frames.html']) {
    const best = Math.min(...times.filter(([n]) => n === name).map(([, t]) => t));
    assert.ok(best < 2000 * patience(), `${name} takes ${best} ms to open`);
  }
  return times.map(([n, t]) => `${n} ${t.toFixed(0)} ms`).join(', ');
}

async function zooms(page) {
  const whole = await windowOf(page), plot = await plotOf(page, 'frame_time');
  await page.mouse.move(plot.left + 100, plot.y);
  await page.mouse.down();
  await page.mouse.move(plot.left + 300, plot.y, {steps: 4});
  await page.mouse.up();
  await settled(page);
  const [a, b] = await windowOf(page), scale = (whole[1] - whole[0]) / (plot.right - plot.left);
  assert.ok(Math.abs((b - a) / (200 * scale) - 1) < 0.05, `dragged 200 pixels, window is ${a} to ${b}`);
  assert.equal((await param(page, 't')).split('~').length, 2);
  const [min, max] = await page.evaluate(() => { const {x} = Charts.strips.find(s => s.plot && s.visible).plot.scales; return [x.min, x.max]; });
  assert.deepEqual([min, max], [a, b]);
  await page.keyboard.press('ArrowRight');
  await settled(page);
  assert.ok((await windowOf(page))[0] > a, 'ArrowRight does not pan');
  await page.keyboard.press('+');
  await settled(page);
  const [c, d] = await windowOf(page);
  assert.ok(d - c < (b - a) * 0.7, '+ does not zoom');
  await page.keyboard.press('0');
  await settled(page);
  assert.deepEqual(await windowOf(page), whole);
  assert.equal(await param(page, 't'), null);
}

async function pointsAtAll(page) {
  const plot = await plotOf(page, 'gpu_time');
  await page.mouse.move(plot.left + 250, plot.y);
  await settled(page);
  const found = await page.evaluate(() => Charts.strips.filter(s => s.plot && s.visible).map(s => ({name: s.row.name, left: s.plot.cursor.left, note: s.note.textContent})));
  assert.ok(found.length > 1, 'one chart alone in view');
  assert.equal(new Set(found.map(f => Math.round(f.left))).size, 1, JSON.stringify(found));
  assert.ok(found.every(f => f.note !== 'mean'), JSON.stringify(found));
  await page.mouse.move(5, 5);
  await settled(page);
  await page.keyboard.press(']');
  await settled(page);
  assert.match(await page.$eval('#announce', e => e.textContent), /^sample \d+ at /);
}

async function searches(page) {
  const before = await visible(page, '.metrics tbody tr'), strips = await visible(page, '.strip');
  await page.keyboard.press('/');
  await page.keyboard.type('frame time');
  await settled(page);
  const after = await visible(page, '.metrics tbody tr');
  assert.ok(after >= 1 && after < before, `${after} of ${before} rows`);
  assert.ok(await visible(page, '.strip') < strips, 'charts are not searched');
  assert.equal(await param(page, 'q'), 'frame time');
  await page.keyboard.press('Escape');
  await settled(page);
  assert.equal(await visible(page, '.metrics tbody tr'), before);
}

async function folds(page) {
  const key = await page.$eval('details.section[open]', e => e.dataset.key);
  await page.click(`details.section[data-key="${key}"] > summary`);
  await settled(page);
  assert.equal(await param(page, 'closed'), key);
  assert.equal(await visible(page, `details.section[data-key="${key}"] .strip`), 0);
  await page.click(`details.section[data-key="${key}"] > summary`);
  await settled(page);
  assert.equal(await param(page, 'closed'), null);
}

async function changesColours(page) {
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await paper();
  await page.keyboard.press('t');
  await settled(page);
  const dark = await paper();
  assert.notEqual(light, dark);
  assert.equal(await param(page, 'theme'), 'dark');
  await page.select('select[aria-label=colours]', 'auto');
  await settled(page);
  assert.equal(await paper(), light);
}

async function changesNames(page) {
  const first = () => page.$eval('.metrics tbody th', e => e.textContent);
  const title = await first();
  await page.select('select[aria-label="names of metrics"]', 'vendor');
  await settled(page);
  assert.notEqual(await first(), title);
  const neutral = await page.evaluate(() => { State.set({names: 'neutral'}); return Report.devices[0].rows.find(r => r.neutral); });
  await settled(page);
  assert.ok((await page.$$eval('.metrics tbody th', all => all.map(e => e.textContent))).some(t => t.startsWith(neutral.neutral)));
  await page.keyboard.press('n');
  await settled(page);
  assert.equal(await first(), title);
}

async function sorts(page) {
  const means = () => page.evaluate(() => Table.csv().trim().split('\r\n').slice(1).map(l => l.match(/,([^,]*),[^,]*,[^,]*,[^,]*,[^,]*,[^,]*,[^,]*,[^,]*$/)[1]).filter(Boolean).map(Number));
  await page.evaluate(() => [...document.querySelectorAll('.metrics thead button')].find(b => b.textContent.startsWith('mean')).click());
  await settled(page);
  const sorted = await means();
  assert.deepEqual(sorted, [...sorted].sort((a, b) => b - a));
  assert.equal(await page.$eval('.metrics thead th[aria-sort=descending]', e => e.textContent.trim().startsWith('mean')), true);
  await page.evaluate(() => State.set({sort: ''}));
  await settled(page);
}

// The range of the histogram, against means worked out here from the export.
async function filters(page) {
  const rows = JSON.parse(fs.readFileSync(path.join(folder, 'frames.json'), 'utf8'));
  await page.type('input[aria-label="shortest frame in ms"]', '40');
  await page.keyboard.press('Tab');
  await settled(page);
  const kept = rows.filter(r => r.end - r.begin >= 40e6), want = name => {
    const values = kept.map(r => r[name]).filter(v => v !== null);
    return values.reduce((s, v) => s + v, 0) / values.length;
  };
  const shown = await page.evaluate(() => Report.devices[0].rows.filter(r => r.data).map(r => [r.name, r.shown.mean, r.shown.p99]));
  assert.ok(kept.length > 5 && kept.length < rows.length / 10, `${kept.length} frames`);
  const near = (is, want) => Math.abs(is - want) <= 1e-9 * Math.abs(is);  // the export is in base units, as what is shown
  for (const [name, mean, p99] of shown) {
    const values = kept.map(r => r[name]).filter(v => v !== null).sort((a, b) => a - b), expected = want(name);
    if (!values.length) { assert.equal(mean ?? null, null, name); continue; }
    assert.ok(near(mean, expected), `${name}: ${mean} is not ${expected}`);
    assert.ok(near(p99, values[Math.max(Math.ceil(0.99 * values.length), 1) - 1]), name);
  }
  assert.match(await page.$eval('.frames [role=status]', e => e.textContent), new RegExp('^' + kept.length + ' of '));
  await page.evaluate(() => [...document.querySelectorAll('.frames button')].find(b => b.textContent === 'all frames').click());
  await settled(page);
  assert.equal(await param(page, 'length'), null);
}

async function explains(page) {
  const text = await page.evaluate(async () => {
    const strip = Charts.strips.find(s => s.row.name === 'gpu_time_share');
    strip.formula.open = true;
    strip.numbers.open = true;
    await new Promise(done => setTimeout(done, 100));
    return [strip.formulaBox.textContent, strip.table.querySelector('caption').textContent, strip.table.querySelectorAll('tbody tr').length];
  });
  assert.match(text[0], /= [\d.]+ [GM] \* 100 \/ [\d.]+ [GM]/);
  assert.match(text[1], /in the window$/);
  assert.equal(text[2], 100);
}

async function showsNamesAsText(page) {
  assert.equal(await page.$$eval('body img, body b b', all => all.length), 0);
  const title = await page.$eval('.machine', e => e.textContent);
  assert.ok(title.startsWith('</script><img src=x onerror=alert(1)>"\'&😀'), title);
  const groups = await page.evaluate(() => Report.devices[0].course.strings);
  assert.ok(groups.includes('Shadow/</script><b>') && groups.some(g => g.includes('🎮')), groups);
  const gap = await page.evaluate(() => Lanes.gapsOf(Report.devices[0])[0].text);
  assert.equal(gap, 'the <device> slept (7 lost)');
}

async function hasLandmarks(page) {
  for (const landmark of ['header', 'main', 'footer']) assert.equal((await page.$$(landmark)).length, 1, landmark);
  assert.equal((await page.$$('h1')).length, 1);
  const unnamed = await page.$$eval('button, select, input', all => all.filter(e => !(e.getAttribute('aria-label') || e.textContent.trim())).length);
  assert.equal(unnamed, 0);
  await page.keyboard.press('?');
  assert.equal(await page.$eval('dialog', e => e.open), true);
  await page.keyboard.press('Escape');
  assert.equal(await page.$eval('dialog', e => e.open), false);
}

async function findsWindows(page) {
  const clicked = await page.evaluate(() => { const link = document.querySelector('.windows .link'); if (link) link.click(); return link && link.textContent; });
  assert.ok(clicked, 'no finding leads to a window');
  const limits = await page.$$eval('.card .limit', all => all.map(e => e.textContent));
  assert.ok(limits.every(text => /^ (above|below|at) \S/.test(text)), limits.join(';'));
  await settled(page);
  const [a, b] = await windowOf(page), [from, to] = clicked.split(' – ').map(parseFloat);
  assert.ok(a <= from + 0.06 && b >= to - 0.06, `${clicked}: ${a} to ${b}`);
}

async function keepsState(browser) {
  const page = await open(browser, 'frames.html', '#t=1.5~2.5&q=time&names=vendor&theme=dark&sort=-mean');
  await settled(page);
  assert.deepEqual(await windowOf(page), [1.5, 2.5]);
  assert.equal(await page.$eval('#search', e => e.value), 'time');
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
  const odd = await open(browser, 'frames.html', '#t=9~x&q=%3Cimg%3E&sort=nothing&names=7&length=~');
  assert.equal(await odd.evaluate(() => State.state.window), null);
  await page.close();
  await odd.close();
}

async function fitsPhones(browser) {
  for (const name of ['frames.html', 'against.html', 'long.html']) {
    const page = await open(browser, name, '', 360);
    await settled(page);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 360, `${name} is wider than a phone`);
    await page.close();
  }
}

async function pinsBaseline(browser) {
  const page = await open(browser, 'against.html');
  const told = await page.evaluate(() => Report.devices[0].rows.filter(r => r.data).map(r => [r.name, r.mean, r.other && r.other.mean, r.change && r.change.change]));
  assert.ok(told.length > 5 && told.every(([, , before]) => before !== null));
  for (const [name, mean, before, change] of told)
    if (change !== null && before) assert.ok(Math.abs(change - (mean - before) / Math.abs(before)) < 1e-6, `${name}: ${mean} after ${before} is no change of ${change}`);
  assert.equal(await page.$$eval('.comparison', all => all.length), 1);
  assert.ok((await page.$$eval('.metrics thead th', all => all.map(e => e.textContent))).some(t => t.startsWith('change')));
  await page.close();
}

async function tellsStretches(browser) {
  const page = await open(browser, 'long.html');
  assert.match(await page.$eval('.fineness', e => e.textContent), /^Finest stretch: [\d\s\u202f]+ samples \(/);
  assert.equal(await page.$$eval('.badge', all => all.length) > 0, true);
  assert.match(await page.$eval('.warning', e => e.textContent), /^Simulated/);
  await page.close();
}

async function prints(page) {
  await page.emulateMediaType('print');
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  const [plots, open_] = await page.evaluate(() => [Charts.strips.filter(s => s.plot).length, Charts.strips.filter(s => s.box.closest('details').open).length]);
  assert.equal(plots, open_);
  await page.emulateMediaType('screen');
}

(async () => {
  const browser = await puppeteer.launch({executablePath: chromium, args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage']});
  try {
    console.log(await opens(browser));
    const page = await open(browser, 'frames.html');
    for (const step of [showsNamesAsText, hasLandmarks, zooms, pointsAtAll, searches, folds, changesColours, changesNames, sorts, filters, explains, prints, findsWindows]) {
      await step(page);
      console.log('ok', step.name);
    }
    for (const step of [keepsState, fitsPhones, pinsBaseline, tellsStretches]) {
      await step(browser);
      console.log('ok', step.name);
    }
    assert.deepEqual(trouble, []);
  } finally {
    await browser.close();
  }
})().catch(error => {
  console.error(trouble.join('\n'));
  console.error(error);
  process.exit(1);
});
