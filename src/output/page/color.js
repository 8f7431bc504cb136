// SPDX-License-Identifier: GPL-2.0-or-later
// Colours, most of which page.css has, and the legend.

const prefersDark = matchMedia('(prefers-color-scheme: dark)');
const isDark = () => !printing && (state.theme ? state.theme === 'dark' : prefersDark.matches);

let styles = {}; // page.css's, by name; emptied if the theme changes
const styleOf = name => styles[name] ??= getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();

const COLORINGS = [...$('color').options].map(option => option.value).slice(diff ? 0 : 2);
const coloring = () => COLORINGS.includes(state.color) ? state.color : diff ? 'self' : 'kind';
const isDifference = () => ['self', 'total'].includes(coloring());

function hash(text) {
	let h = 2166136261;
	for (const letter of text.slice(0, 200))
		h = Math.imul(h ^ letter.codePointAt(0), 16777619);
	return (h ^ h >>> 15) >>> 0;
}

const hasKindColor = kind => coloring() === 'kind' || kind === GROUP || kind >= UNNAMED;

// The legend's word for FRAME.
function classOf({kind, object, language}) {
	if (hasKindColor(kind))
		return data.kinds[kind];
	if (coloring() === 'object')
		return object || 'unknown object';
	return kind === JIT ? data.kinds[JIT] : language || 'unknown';
}

// Hue and saturation, as CSS has them.
function hueOf(frame) {
	const name = classOf(frame), h = hash(name);
	const fixed = styleOf(data.kinds.includes(name) ? 'kind-' + frame.kind : 'language-' + name.replaceAll('+', 'p'));
	return hasKindColor(frame.kind) || coloring() === 'language' && fixed ? fixed : h % 360 + ' ' + (42 + (h >>> 10) % 34) + '%';
}

let colors = []; // by frame; emptied if the theme or their meaning changes

function colorOf(number) {
	const frame = frames[number], least = styleOf(frame.inlined ? 'inlined' : 'lightness');
	return colors[number] ??= `hsl(${hueOf(frame)} ${Number(least) + hash(frame.name) % 9}%)`;
}

// Red: more than in OLD, blue: less; the more, the darker, like flamegraph.pl. SHARE: -1 to 1.
function differenceColor(share) {
	const size = Math.sqrt(Math.min(Math.abs(share), 1)), [pale, strong] = styleOf('difference').split(' ').map(Number);
	return share ? `hsl(${share > 0 ? 2 : 216} 75% ${pale + (strong - pale) * size}%)` : styleOf('same');
}

function legendItem(text, color) {
	const item = document.createElement('span'), patch = document.createElement('i');
	patch.style.background = color;
	item.append(patch, text);
	return item;
}

function classLegend() {
	const classes = new Map();
	for (let i = 1; i < stacks.n; i++) {
		const frame = stacks.frame[i], name = classOf(frames[frame]), known = classes.get(name) || {weight: 0, frame};
		known.weight += stacks.self[i];
		if (!frames[frame].inlined)
			known.frame = frame;
		classes.set(name, known);
	}
	const order = [...classes].sort((a, b) => b[1].weight - a[1].weight);
	const items = order.slice(0, 24).map(([name, {weight, frame}]) =>
		legendItem(cut(name, 60) + (weight ? ' ' + percent(weight, stacks.total[0]) : ''), colorOf(frame)));
	return order.length > 24 ? [...items, 'and ' + (order.length - 24) + ' more'] : items;
}
