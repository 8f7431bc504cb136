// SPDX-License-Identifier: GPL-2.0-or-later
// The flame graph that stack2line --format=flamegraph writes. flamegraph.c says what the data is. All
// text from outside gets to the page by textContent and fillText only.
'use strict';

const $ = id => document.getElementById(id);
const data = JSON.parse($('data').textContent);
$('data').textContent = '';
const strings = data.strings;

const ROW = 18; // pixels
const NARROW = 1; // pixels: what is not as wide is not drawn
const diff = data.diff || null; // two dumps: weights are those of the side whose widths are drawn, `other` the other's
const FRAME = 6, NODE = diff ? 5 : 4; // numbers each
const [NAME, OBJECT, REASON, LANGUAGE, KIND, FLAGS] = [0, 1, 2, 3, 4, 5];
const INLINED = 1, DOUBTFUL = 2;
const frameOf = (frame, what) => data.frames[frame * FRAME + what];
const frameCount = data.frames.length / FRAME;
const nameOf = frame => strings[frameOf(frame, NAME)];
const GROUP = 0, JIT = 2, UNNAMED = 5; // of CALL_KINDS; after UNNAMED there is no code either

// ---- the tree, from the roots on ----

// LAST: the child before it; -1: none.
function addChild(tree, up, last, node) {
	if (last < 0)
		tree.first[up] = node;
	else
		tree.next[last] = node;
}

// Nodes come root first, each before its children, of which each has all of its own before the next.
function buildStacks() {
	const n = data.nodes.length / NODE;
	const tree = {
		n, frame: new Uint32Array(n), depth: new Uint32Array(n), place: new Uint32Array(n),
		self: new Float64Array(n), total: new Float64Array(n), end: new Uint32Array(n),
		otherSelf: new Float64Array(diff ? n : 0), other: new Float64Array(diff ? n : 0),
		parent: new Int32Array(n).fill(-1), first: new Int32Array(n).fill(-1), next: new Int32Array(n).fill(-1),
		expand() {},
	};
	const path = [], last = new Int32Array(n).fill(-1);
	for (let i = 0; i < n; i++) {
		const depth = data.nodes[i * NODE], up = depth ? path[depth - 1] : -1;
		tree.depth[i] = depth;
		tree.frame[i] = data.nodes[i * NODE + 1];
		tree.total[i] = tree.self[i] = data.nodes[i * NODE + 2];
		tree.place[i] = data.nodes[i * NODE + 3];
		if (diff)
			tree.other[i] = tree.otherSelf[i] = data.nodes[i * NODE + 4];
		tree.parent[i] = up;
		path[depth] = i;
		if (up < 0)
			continue;
		addChild(tree, up, last[up], i);
		last[up] = i;
	}
	for (let i = n - 1; i >= 0; i--) {
		tree.end[i] = Math.max(tree.end[i], i + 1);
		const up = tree.parent[i];
		if (up < 0)
			continue;
		tree.total[up] += tree.total[i];
		if (diff)
			tree.other[up] += tree.other[i];
		tree.end[up] = Math.max(tree.end[up], tree.end[i]);
	}
	data.nodes = null;
	return tree;
}

const stacks = buildStacks();
let all = stacks.total[0];
const exact = Math.max(all, diff ? stacks.other[0] : 0) <= Number.MAX_SAFE_INTEGER;
const marks = new Map(); // node -> [[mark, weight]...]
for (let i = 0; i < data.marks.length; i += 3) {
	const node = data.marks[i];
	marks.set(node, [...(marks.get(node) || []), [data.marks[i + 1], data.marks[i + 2]]]);
}

// ---- the tree of callers: from each function up to its roots ----

// A node stands for the places in `stacks` where a way up has come to, each with the weight that it began
// with. Its children are made when they are to be seen.
function buildCallers() {
	const tree = {
		n: 1, frame: [0], depth: [0], self: [0], total: [all], other: [diff ? stacks.other[0] : 0], parent: [-1], first: [-1], next: [-1],
		ways: [null],
	};
	tree.add = (up, frame, way) => {
		const node = tree.n++;
		tree.frame.push(frame);
		tree.depth.push(tree.depth[up] + 1);
		tree.self.push(0);
		tree.total.push(way.total);
		tree.other.push(way.otherTotal);
		tree.parent.push(up);
		tree.first.push(-1);
		tree.next.push(-1);
		tree.ways.push(way);
		return node;
	};
	tree.expand = up => {
		const way = tree.ways[up];
		tree.ways[up] = null;
		if (!way)
			return;
		const groups = new Map();
		for (let i = 0; i < way.at.length; i++) {
			const at = up ? stacks.parent[way.at[i]] : way.at[i];
			if (at <= 0) {
				tree.self[up] += way.weight[i];
				continue;
			}
			const frame = stacks.frame[at];
			let group = groups.get(frame);
			if (!group)
				groups.set(frame, group = {at: [], weight: [], total: 0, other: [], otherTotal: 0});
			group.at.push(at);
			group.weight.push(way.weight[i]);
			group.total += way.weight[i];
			group.other.push(way.other[i]);
			group.otherTotal += way.other[i];
		}
		let last = -1;
		for (const [frame, group] of [...groups].sort((a, b) => b[1].total - a[1].total)) {
			const node = tree.add(up, frame, group);
			addChild(tree, up, last, node);
			last = node;
		}
	};
	const root = {at: [], weight: [], other: []};
	for (let i = 1; i < stacks.n; i++)
		if (stacks.self[i] || stacks.otherSelf[i]) {
			root.at.push(i);
			root.weight.push(stacks.self[i]);
			root.other.push(stacks.otherSelf[i] || 0);
		}
	tree.ways[0] = root;
	return tree;
}

// ---- state ----

let callers = null; // made when it is wanted
let view = stacks;
let zoom = 0, selected = -1, hovered = -1;
let span = null; // of the weight of `zoom`, what is shown: [from, to]; null: all
const COLORINGS = [...(diff ? ['self', 'total'] : []), 'kind', 'object', 'language'];
let icicle = false, theme = '', coloring = COLORINGS[0];
let oldWidths = false; // of a difference
let query = '', matches = null; // by frame, or null
const chosen = new Set(); // functions, by functionOf()
let boxes = [], rows = []; // what is to be seen: {node, x, width, row}; by row, from left to right
let height = 0;

const isDark = () => theme ? theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
const functionOf = frame => frameOf(frame, NAME) + ':' + frameOf(frame, OBJECT);

function percent(part, whole) {
	if (!whole)
		return '0 %';
	const share = 100 * part / whole;
	return part && share < 0.01 ? '< 0.01 %' : share.toFixed(2) + ' %';
}

const count = weight => (exact ? '' : '\u2248 ') + weight.toLocaleString('en-US');

// The weight of the stacks that have a frame which is WANTED, each counted once.
function weightOf(wanted, weights = stacks.total) {
	let sum = 0;
	for (let i = 1; i < stacks.n;) {
		if (wanted(stacks.frame[i])) {
			sum += weights[i];
			i = stacks.end[i];
		} else {
			i++;
		}
	}
	return sum;
}

const marksOf = node => view === stacks && !oldWidths && marks.get(node); // marks are of new

const totals = new Map(); // of functions
function totalsOf(frame) {
	const key = functionOf(frame);
	if (!totals.has(key)) {
		const same = new Uint8Array(frameCount);
		for (let i = 1; i < frameCount; i++)
			same[i] = functionOf(i) === key;
		let self = 0, otherSelf = 0, places = 0;
		for (let i = 1; i < stacks.n; i++)
			if (same[stacks.frame[i]]) {
				self += stacks.self[i];
				otherSelf += diff ? stacks.otherSelf[i] : 0;
				places++;
			}
		const other = diff ? weightOf(f => same[f], stacks.other) : 0;
		totals.set(key, {total: weightOf(f => same[f]), self, other, otherSelf, places});
	}
	return totals.get(key);
}

// ---- differences ----

// [OLD, NEW] of a weight of the side that is drawn, and the other's.
const pairOf = (weight, other) => oldWidths ? [weight, other] : [other, weight];
const allOf = () => pairOf(all, stacks.other[0]);

// As shares of both sides, or weights.
function differenceOf(weight, other) {
	const [old, now] = pairOf(weight, other), [allOld, allNow] = allOf();
	return diff.normalized ? now / (allNow || 1) - old / (allOld || 1) : now - old;
}

function pairText(weight, other) {
	const [old, now] = pairOf(weight, other), [allOld, allNow] = allOf();
	const difference = differenceOf(weight, other), size = Math.abs(difference);
	return `old ${count(old)} (${percent(old, allOld)}), new ${count(now)} (${percent(now, allNow)}), difference ` +
		(difference < 0 ? '\u2212' : '+') + (diff.normalized ? percent(size, 1) : count(size));
}

const isSelf = () => coloring === 'self' && view === stacks;
const differenceAt = (node, tree = view) => isSelf() ?
	differenceOf(stacks.self[node], stacks.otherSelf[node]) : differenceOf(tree.total[node], tree.other[node]);

// The largest of all nodes but the root, by what colours are of. In the view of callers it is that of totals.
let largest = 0;
function findLargest() {
	largest = 0;
	for (let i = 1; i < stacks.n; i++)
		largest = Math.max(largest, Math.abs(differenceAt(i, stacks)));
}

const isDifference = () => coloring === 'self' || coloring === 'total';

// Red: more than in OLD, blue: less; the more the darker, as flamegraph.pl has it.
function differenceColor(share, dark) {
	if (!share)
		return dark ? '#3e4044' : '#ececea';
	const hue = share > 0 ? 2 : 216, size = Math.sqrt(Math.min(Math.abs(share), 1));
	return dark ? `hsl(${hue} ${30 + 45 * size}% ${28 + 17 * size}%)` : `hsl(${hue} 100% ${94 - 30 * size}%)`;
}

function setWidths(old) {
	if (old === oldWidths)
		return;
	oldWidths = old;
	[stacks.total, stacks.other, stacks.self, stacks.otherSelf] = [stacks.other, stacks.total, stacks.otherSelf, stacks.self];
	all = stacks.total[0];
	totals.clear();
	const callersShown = view !== stacks;
	callers = null;
	view = stacks;
	if (callersShown)
		setCallers(true);
	$('widths').textContent = old ? 'Widths: old' : 'Widths: new';
	$('widths').setAttribute('aria-pressed', old);
	search(query);
	setIcicle(icicle);
	drawLegend();
}

// ---- search ----

// By frame: object: and file: say what to search, /.../ is a regular expression.
function compileQuery(text) {
	const [, field, rest] = /^(?:(object|file):)?(.*)$/s.exec(text);
	const regular = /^\/(.+)\/$/s.exec(rest);
	const expression = regular ? new RegExp(regular[1], 'i') : null;
	const lower = rest.toLowerCase();
	const fits = s => expression ? expression.test(s) : s.toLowerCase().includes(lower);
	const found = new Uint8Array(frameCount), known = strings.map(() => -1);
	const test = string => known[string] < 0 ? known[string] = +fits(strings[string]) : known[string];

	if (!rest)
		return null;
	if (field === 'file') {
		const files = new Set();
		for (let i = 0; i < data.places.length; i += 3)
			if (test(data.places[i]))
				files.add(i / 3 + 1);
		for (let i = 1; i < stacks.n; i++)
			found[stacks.frame[i]] |= files.has(stacks.place[i]);
		return found;
	}
	for (let i = 1; i < frameCount; i++)
		found[i] = test(frameOf(i, field === 'object' ? OBJECT : NAME));
	return found;
}

function search(text) {
	query = text;
	const out = $('matched');
	out.className = '';
	try {
		matches = text ? compileQuery(text) : null;
		if (matches) {
			const sum = weightOf(f => matches[f]);
			out.textContent = `matched ${percent(sum, all)} (${count(sum)})`;
		} else {
			out.textContent = '';
		}
	} catch (error) {
		matches = null;
		out.className = 'warn';
		out.textContent = 'no regular expression: ' + error.message;
	}
	draw();
	remember();
}

// ---- colours ----

// Hue, saturation.
const KIND_COLORS = [[50, 18], [28, 82], [95, 48], [208, 62], [282, 46], [0, 0], [352, 68]];

function hash(text) {
	let h = 2166136261;
	for (let i = 0; i < text.length && i < 200; i++)
		h = Math.imul(h ^ text.charCodeAt(i), 16777619);
	h = Math.imul(h ^ h >>> 15, 2246822507);
	return (h ^ h >>> 13) >>> 0;
}

// What colours stand for: the legend's words.
function classOf(frame) {
	const kind = frameOf(frame, KIND);
	if (coloring === 'kind' || kind === GROUP || kind >= UNNAMED)
		return data.kinds[kind];
	if (coloring === 'object')
		return strings[frameOf(frame, OBJECT)] || 'unknown object';
	if (kind === JIT)
		return data.kinds[JIT];
	return {c: 'C or unknown', 'c++': 'C++', rust: 'Rust', go: 'Go', ocaml: 'OCaml', haskell: 'Haskell', assembly: 'assembly'}[
		strings[frameOf(frame, LANGUAGE)]] || 'unknown';
}

function hueOf(frame) {
	const kind = frameOf(frame, KIND);
	if (coloring === 'kind' || kind === GROUP || kind >= UNNAMED)
		return KIND_COLORS[kind];
	const name = classOf(frame);
	const fixed = {'C or unknown': [208, 50], 'C++': [28, 78], Rust: [12, 66], Go: [186, 55], OCaml: [44, 80],
		Haskell: [268, 45], assembly: [330, 45], unknown: [0, 4], [data.kinds[JIT]]: KIND_COLORS[JIT]}[name];
	const h = hash(name);
	return coloring === 'language' && fixed ? fixed : [h % 360, 42 + (h >>> 10) % 34];
}

let colors = []; // by frame
function colorOf(frame) {
	if (colors[frame])
		return colors[frame];
	const [hue, saturation] = hueOf(frame), shade = hash(nameOf(frame)) % 9;
	const inlined = frameOf(frame, FLAGS) & INLINED;
	const lightness = isDark() ? (inlined ? 43 : 32) + shade : (inlined ? 79 : 65) + shade;
	const strength = isDark() ? saturation * .72 : saturation;
	return colors[frame] = `hsl(${hue} ${strength}% ${lightness}%)`;
}

function legendItem(text, color) {
	const item = document.createElement('span'), patch = document.createElement('canvas');
	patch.width = patch.height = 12;
	const context = patch.getContext('2d');
	context.fillStyle = color;
	context.fillRect(0, 0, 12, 12);
	item.append(patch, text);
	return item;
}

function drawLegend() {
	if (isDifference()) {
		const what = isSelf() ? 'self weight' : 'weight';
		$('legend').replaceChildren(legendItem(`more ${what} than in old`, differenceColor(1, isDark())),
			legendItem('less', differenceColor(-1, isDark())), legendItem('the same', differenceColor(0, isDark())),
			oldWidths ? 'what only new has is not drawn' : 'what only old has is not drawn: see Widths (w)');
		return;
	}
	const weights = new Map();
	for (let i = 1; i < stacks.n; i++) {
		const name = classOf(stacks.frame[i]);
		const known = weights.get(name) || {weight: 0, frame: stacks.frame[i]};
		known.weight += stacks.self[i];
		if (!(frameOf(stacks.frame[i], FLAGS) & INLINED))
			known.frame = stacks.frame[i];
		weights.set(name, known);
	}
	const order = [...weights].sort((a, b) => b[1].weight - a[1].weight);
	$('legend').replaceChildren(...order.slice(0, 24).map(([name, {weight, frame}]) =>
		legendItem(cut(name, 60) + (weight ? ' ' + percent(weight, all) : ''), colorOf(frame))));
	if (order.length > 24)
		$('legend').append(`and ${order.length - 24} more`);
}

// ---- layout ----

const canvas = $('canvas'), scroller = $('scroller'), context = canvas.getContext('2d');
const FONT = '12px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace';
let letter = 7; // the width of one

function ancestors(node) {
	const path = [];
	for (let at = view.parent[node]; at >= 0; at = view.parent[at])
		path.unshift(at);
	return path;
}

// Children of NODE, which is at X: those wide enough, and one box for what is between.
function layChildren(node, x, scale, pending) {
	view.expand(node);
	let narrow = 0;
	const row = view.depth[node] + 1;
	const flush = at => {
		if (narrow * scale >= NARROW)
			addBox({node: -1, x: at - narrow * scale, width: narrow * scale, row, weight: narrow});
		narrow = 0;
	};
	for (let child = view.first[node]; child >= 0; child = view.next[child]) {
		const width = view.total[child] * scale;
		if (width >= NARROW) {
			flush(x);
			addBox({node: child, x, width, row});
			if (x < scroller.clientWidth && x + width > 0)
				pending.push(child, x);
		} else {
			narrow += view.total[child];
		}
		x += width;
	}
	flush(x);
}

// What of it is to be seen.
function addBox(box) {
	const end = Math.min(box.x + box.width, scroller.clientWidth);
	box.x = Math.max(box.x, 0);
	box.width = end - box.x;
	if (box.width <= 0)
		return;
	(rows[box.row] = rows[box.row] || []).push(box);
	boxes.push(box);
}

function layout() {
	const width = scroller.clientWidth;
	const [from, to] = span || [0, view.total[zoom]];
	const scale = to > from ? width / (to - from) : 0;
	boxes = [];
	rows = [];
	for (const node of [...ancestors(zoom), zoom])
		addBox({node, x: 0, width, row: view.depth[node]});
	const pending = [zoom, -from * scale];
	while (pending.length) {
		const x = pending.pop(), node = pending.pop();
		layChildren(node, x, scale, pending);
	}
	for (const row of rows)
		row.sort((a, b) => a.x - b.x);
	for (const box of boxes)
		if (box.node < 0)
			box.from = from + box.x / scale;
	height = rows.length * ROW + 4;
	const visible = Math.max(scroller.clientHeight, 1), ratio = devicePixelRatio || 1;
	$('spacer').style.height = Math.max(height, visible) + 'px';
	canvas.style.width = width + 'px';
	canvas.style.height = visible + 'px';
	canvas.width = Math.round(width * ratio);
	canvas.height = Math.round(visible * ratio);
	context.setTransform(ratio, 0, 0, ratio, 0, 0);
	context.font = FONT;
	letter = context.measureText('mmmmmmmmmm').width / 10;
}

// The upper edge of a row in the canvas.
function topOf(row) {
	const top = icicle ? row * ROW : Math.max(height, scroller.clientHeight) - (row + 1) * ROW;
	return top - scroller.scrollTop;
}

// ---- drawing ----

const cut = (text, letters) => text.length <= letters ? text : [...text.slice(0, letters)].slice(0, letters - 1).join('') + '\u2026';

const unit = data.unit ? `weight (${cut(data.unit, 60)})` : 'weight';
const rootText = () => diff ? `all: ${unit}: ${pairText(all, stacks.other[0])}` : `all: ${unit} ${count(all)}`;
const labelOf = node => node ? nameOf(view.frame[node]) : rootText();

function drawText(text, x, y, width) {
	const letters = Math.floor((width - 6) / letter);
	if (letters < 3)
		return;
	const shown = cut(text, letters);
	if (/^[\x20-\x7e\u2026]*$/.test(shown)) {
		context.fillText(shown, x + 3, y + ROW - 5);
		return;
	}
	context.save();
	context.beginPath();
	context.rect(x, y, width - 2, ROW);
	context.clip();
	context.fillText(shown, x + 3, y + ROW - 5);
	context.restore();
}

function fillOf(box, dark) {
	if (box.node < 0)
		return dark ? '#3a3c40' : '#dcdcd6';
	if (!box.node)
		return dark ? '#4a4c50' : '#c9c9c2';
	const frame = view.frame[box.node];
	if (matches && matches[frame])
		return dark ? '#a03aa0' : '#ee7fee';
	return isDifference() ? differenceColor(differenceAt(box.node) / (largest || 1), dark) : colorOf(frame);
}

function drawBox(box, dark) {
	const y = topOf(box.row), {x} = box, width = Math.max(box.width - (box.width > 3 ? 1 : 0), .7);
	const above = view.depth[zoom] > box.row;
	const wrong = marksOf(box.node);
	context.globalAlpha = above ? .55 : 1;
	context.fillStyle = fillOf(box, dark);
	context.fillRect(x, y, width, ROW - 1);
	if (wrong) {
		context.fillStyle = dark ? '#ff5a4a' : '#c00000';
		const share = Math.max(...wrong.map(mark => mark[1])) / view.total[box.node];
		context.fillRect(x, icicle ? y : y + ROW - 4, Math.max(width * share, 1), 3);
	}
	if (box.node > 0 && chosen.size && chosen.has(functionOf(view.frame[box.node])))
		outline(box, dark ? '#7fd4ff' : '#005a9c', 1.5);
	if (box.node >= 0 && width > 18) {
		context.fillStyle = dark ? '#f2f2ee' : '#161616';
		drawText(labelOf(box.node), x, y, width);
	}
	context.globalAlpha = 1;
	if (box.node >= 0 && box.node === selected)
		outline(box, dark ? '#fff' : '#000', 2);
	else if (box.node >= 0 && box.node === hovered)
		outline(box, dark ? '#ccc' : '#444', 1);
}

function outline(box, color, line) {
	context.strokeStyle = color;
	context.lineWidth = line;
	context.strokeRect(box.x + line / 2, topOf(box.row) + line / 2, Math.max(box.width - line - .5, 1), ROW - line - 1);
}

function draw() {
	const dark = isDark(), visible = scroller.clientHeight;
	context.clearRect(0, 0, canvas.width, canvas.height);
	for (let row = 0; row < rows.length; row++) {
		const top = topOf(row);
		if (rows[row] && top > -ROW && top < visible)
			for (const box of rows[row])
				drawBox(box, dark);
	}
}

let drawing = false;
function drawSoon() {
	if (!drawing)
		requestAnimationFrame(() => {
			drawing = false;
			draw();
		});
	drawing = true;
}

// ---- words about frames ----

function line(text, className) {
	const div = document.createElement('div');
	div.className = className || '';
	div.textContent = text;
	return div;
}

function placeText(node) {
	const place = view === stacks ? stacks.place[node] : 0;
	if (!place)
		return '';
	const [file, from, to] = data.places.slice(place * 3 - 3, place * 3);
	return strings[file] + (from ? ':' + from + (to > from ? '\u2013' + to : '') : '');
}

function whatIs(node) {
	const frame = view.frame[node], flags = frameOf(frame, FLAGS);
	return [data.kinds[frameOf(frame, KIND)], flags & INLINED ? 'inlined' : '', flags & DOUBTFUL ? 'doubtful' : '',
		strings[frameOf(frame, OBJECT)], placeText(node)].filter(s => s).join(', ');
}

function weightText(node) {
	if (diff)
		return `weight: ${pairText(view.total[node], view.other[node])}` +
			(view === stacks ? `; self: ${pairText(view.self[node], view.otherSelf[node])}` : '');
	const total = view.total[node], parts = ['weight ' + count(total), `${percent(total, all)} of all`];
	if (zoom && zoom !== node)
		parts.push(`${percent(total, view.total[zoom])} of what is shown`);
	if (view === stacks)
		parts.push(`self ${count(view.self[node])} (${percent(view.self[node], all)})`);
	return parts.join(', ');
}

function functionText(frame) {
	const {total, self, other, otherSelf, places} = totalsOf(frame);
	if (diff)
		return `the function in all stacks: total: ${pairText(total, other)}; self: ${pairText(self, otherSelf)}`;
	return `the function in all stacks: total ${count(total)} (${percent(total, all)}), self ${count(self)} (${percent(self, all)}), ` +
		`in ${places.toLocaleString('en-US')} place${places === 1 ? '' : 's'}`;
}

function describe(node, limit) {
	if (!node)
		return [line(rootText(), 'name')];
	const frame = view.frame[node], name = nameOf(frame), lines = [];
	const length = name.length > limit ? ` (${name.length.toLocaleString('en-US')} characters)` : '';
	lines.push(line(cut(name, limit) + length, 'name'), line(whatIs(node), 'weak'), line(weightText(node)));
	if (frameOf(frame, KIND))
		lines.push(line(functionText(frame), 'weak'));
	if (frameOf(frame, REASON))
		lines.push(line(strings[frameOf(frame, REASON)], 'warn'));
	for (const [mark, weight] of marksOf(node) || [])
		lines.push(line(`${data.mark_texts[mark]}: ${percent(weight, view.total[node])} of it`, 'warn'));
	return lines;
}

function chosenText() {
	const sum = weightOf(f => chosen.has(functionOf(f)));
	return `${chosen.size} function${chosen.size === 1 ? '' : 's'} selected: ${count(sum)} (${percent(sum, all)}), stacks with several counted once`;
}

function describeSelected() {
	const lines = describe(selected >= 0 ? selected : zoom, 20000);
	if (chosen.size)
		lines.unshift(line(chosenText()));
	$('panel').replaceChildren(...lines);
	$('reset').disabled = !zoom && !span;
}

function showTip(box, x, y) {
	const tip = $('tip');
	tip.hidden = !box;
	if (!box)
		return;
	tip.replaceChildren(...(box.node < 0 ?
		[line(`too narrow to draw: ${count(box.weight)} (${percent(box.weight, all)}); click to see it`)] :
		describe(box.node, 400)));
	const {width, height: tall} = tip.getBoundingClientRect();
	tip.style.left = Math.max(4, Math.min(x + 14, innerWidth - width - 6)) + 'px';
	tip.style.top = (y + 18 + tall > innerHeight ? Math.max(4, y - tall - 12) : y + 18) + 'px';
}

// ---- doing things ----

function refresh() {
	layout();
	describeSelected();
	draw();
	remember();
}

function scrollToRow(row) {
	const top = topOf(row);
	if (top < 0)
		scroller.scrollTop += top;
	else if (top + ROW > scroller.clientHeight)
		scroller.scrollTop += top + ROW - scroller.clientHeight;
}

function zoomTo(node, to) {
	zoom = node;
	span = to || null;
	layout();
	scroller.scrollTop = icicle ? 0 : scroller.scrollHeight;
	scrollToRow(view.depth[zoom]);
	refresh();
}

// An eighth of what is shown, around X, or all of BOX if that is less.
function zoomToNarrow(box, x) {
	const scale = scroller.clientWidth / (span ? span[1] - span[0] : view.total[zoom]);
	const end = box.from + box.width / scale, half = scroller.clientWidth / 16 / scale;
	const middle = box.from + (x - box.x) / scale;
	zoomTo(zoom, [Math.max(box.from, middle - half), Math.min(end, middle + half)]);
}

function select(node) {
	selected = node;
	if (node >= 0)
		scrollToRow(view.depth[node]);
	describeSelected();
	drawSoon();
	remember();
}

function setIcicle(on) {
	icicle = on;
	$('icicle').setAttribute('aria-pressed', on);
	zoomTo(zoom);
}

function setCallers(on) {
	if (on === (view !== stacks))
		return;
	callers = callers || buildCallers();
	view = on ? callers : stacks;
	if (diff) {
		findLargest();
		drawLegend();
	}
	zoom = 0;
	selected = hovered = -1;
	$('callers').setAttribute('aria-pressed', on);
	setIcicle(on);
}

function setColoring(by) {
	coloring = COLORINGS.includes(by) ? by : COLORINGS[0];
	$('color').value = coloring;
	recolor();
}

function recolor() {
	document.documentElement.dataset.theme = isDark() ? 'dark' : 'light';
	colors = [];
	if (diff)
		findLargest();
	drawLegend();
	refresh();
}

function toggleTheme() {
	theme = isDark() ? 'light' : 'dark';
	recolor();
}

function toggleHelp() {
	$('keys').hidden = !$('keys').hidden;
	$('help').setAttribute('aria-pressed', !$('keys').hidden);
}

function escape() {
	if (!$('keys').hidden) {
		toggleHelp();
	} else if (zoom || span) {
		zoomTo(0);
	} else {
		chosen.clear();
		$('search').value = '';
		search('');
		select(-1);
	}
}

// To the box beside, or to the widest one above or below.
function move(by, rowBy) {
	const row = view.depth[selected >= 0 ? selected : zoom];
	const from = (rows[row] || []).findIndex(box => box.node === selected);
	if (from < 0)
		return select(zoom);
	let to = null;
	if (by) {
		for (let i = from + by; rows[row][i] && !to; i += by)
			to = rows[row][i].node >= 0 ? rows[row][i] : null;
	} else if (rowBy < 0) {
		return view.parent[selected] >= 0 ? select(view.parent[selected]) : undefined;
	} else {
		for (const box of rows[row + 1] || [])
			if (box.node >= 0 && view.parent[box.node] === selected && (!to || box.width > to.width))
				to = box;
	}
	return to ? select(to.node) : undefined;
}

const KEYS = {
	'/': () => $('search').focus(),
	'?': toggleHelp,
	i: () => setIcicle(!icicle),
	c: () => setCallers(view === stacks),
	t: toggleTheme,
	w: () => diff && setWidths(!oldWidths),
	Enter: () => zoomTo(selected >= 0 ? selected : zoom),
	Backspace: () => zoomTo(span ? zoom : Math.max(view.parent[zoom], 0)),
	Escape: escape,
	ArrowLeft: () => move(-1, 0),
	ArrowRight: () => move(1, 0),
	ArrowUp: () => move(0, icicle ? -1 : 1),
	ArrowDown: () => move(0, icicle ? 1 : -1),
};

document.addEventListener('keydown', event => {
	if (event.ctrlKey || event.altKey || event.metaKey)
		return;
	if (event.target === $('search')) {
		if (event.key === 'Escape' || event.key === 'Enter') {
			if (event.key === 'Escape')
				search($('search').value = '');
			$('search').blur();
			event.preventDefault();
		}
		return;
	}
	const plain = event.target === document.body || event.target === canvas;
	if (KEYS[event.key] && (plain || event.key.length === 1 || event.key === 'Escape')) {
		event.preventDefault();
		KEYS[event.key]();
	}
});

function boxAt(event) {
	const rect = canvas.getBoundingClientRect(), x = event.clientX - rect.left, y = event.clientY - rect.top;
	const down = y + scroller.scrollTop, full = Math.max(height, scroller.clientHeight);
	const row = rows[Math.floor((icicle ? down : full - down) / ROW)] || [];
	let low = 0, high = row.length;
	while (low < high) {
		const middle = low + high >> 1;
		if (row[middle].x <= x)
			low = middle + 1;
		else
			high = middle;
	}
	const box = row[low - 1];
	return box && x < box.x + Math.max(box.width, 1) ? box : null;
}

canvas.addEventListener('mousemove', event => {
	const box = boxAt(event);
	hovered = box ? box.node : -1;
	canvas.style.cursor = box ? 'pointer' : 'default';
	showTip(box, event.clientX, event.clientY);
	drawSoon();
});
canvas.addEventListener('mouseleave', () => {
	hovered = -1;
	showTip(null);
	drawSoon();
});
canvas.addEventListener('click', event => {
	const box = boxAt(event);
	if (!box)
		return;
	showTip(null);
	if (box.node < 0)
		zoomToNarrow(box, event.clientX);
	else if (event.shiftKey && box.node) {
		const key = functionOf(view.frame[box.node]);
		if (!chosen.delete(key))
			chosen.add(key);
		select(box.node);
	} else {
		selected = box.node;
		zoomTo(box.node);
	}
});
scroller.addEventListener('scroll', () => {
	showTip(null);
	drawSoon();
});
const BUTTONS = {reset: () => zoomTo(0), icicle: KEYS.i, callers: KEYS.c, widths: KEYS.w, theme: toggleTheme, help: toggleHelp};
for (const [id, act] of Object.entries(BUTTONS))
	$(id).addEventListener('click', act);
$('color').addEventListener('change', event => setColoring(event.target.value));
let waiting = 0;
$('search').addEventListener('input', event => {
	clearTimeout(waiting);
	waiting = setTimeout(() => search(event.target.value), 120);
});
new ResizeObserver(() => {
	const bottom = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < ROW;
	refresh();
	if (!icicle && bottom)
		scroller.scrollTop = scroller.scrollHeight;
}).observe(scroller);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', recolor);
addEventListener('hashchange', recall);

// ---- what the address says: #q=...&zoom=NODE&view=callers&icicle=1&color=object&theme=dark&widths=old ----

let recalling = false;
function remember() {
	if (recalling)
		return;
	const words = new URLSearchParams();
	if (query)
		words.set('q', query);
	if (zoom && view === stacks)
		words.set('zoom', zoom);
	if (view !== stacks)
		words.set('view', 'callers');
	if (icicle)
		words.set('icicle', 1);
	if (diff && oldWidths !== diff.old_widths)
		words.set('widths', oldWidths ? 'old' : 'new');
	if (coloring !== COLORINGS[0])
		words.set('color', coloring);
	if (theme)
		words.set('theme', theme);
	try {
		history.replaceState(null, '', words.size ? '#' + words : location.pathname + location.search);
	} catch (error) {
		// Where the address may not be changed nothing is remembered.
	}
}

function recall() {
	const words = new URLSearchParams(location.hash.slice(1)), node = Number(words.get('zoom'));
	recalling = true;
	theme = ['dark', 'light'].includes(words.get('theme')) ? words.get('theme') : '';
	if (diff)
		setWidths(words.get('widths') ? words.get('widths') === 'old' : diff.old_widths);
	setColoring(words.get('color'));
	setCallers(words.get('view') === 'callers');
	setIcicle(words.get('icicle') === '1');
	// Callers are numbered as they come to be seen: a number says nothing then.
	zoomTo(view === stacks && node > 0 && node < view.n ? Math.floor(node) : 0);
	search($('search').value = words.get('q') || '');
	recalling = false;
}

function summarizeDifference() {
	const [old, now] = allOf(), side = (name, file, weight) => `${name}: ${cut(file, 80)}, ${unit} ${count(weight)}`;
	document.title = 'Differential flame graph';
	$('summary').textContent = `${side('old', diff.old, old)}; ${side('new', diff.new, now)}; ` +
		(diff.normalized ? 'normalized: shares are compared' : 'absolute: weights are compared');
	$('widths').hidden = false;
	for (const [by, text] of [['total', 'difference, total'], ['self', 'difference, self']]) {
		const option = document.createElement('option');
		option.value = by;
		option.textContent = text;
		$('color').prepend(option);
	}
}

if (diff)
	summarizeDifference();
else
	$('summary').textContent = `${unit} ${exact ? count(all) : data.total}, ${(stacks.n - 1).toLocaleString('en-US')} frames`;
recall();
