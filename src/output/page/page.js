// SPDX-License-Identifier: GPL-2.0-or-later
// What mouse, keys and buttons do.

const zoomTo = node => go({zoom: pathOf(node), span: ''});
const showSandwich = fn => go({view: 'sandwich', of: String(fn), zoom: '', span: '', icicle: '1'});

function scrollToRow(row) {
	const top = topOf(row), bottom = top + ROW - scroller.clientHeight;
	scroller.scrollTop = Math.max(Math.min(scroller.scrollTop, top), bottom);
}

function select(node) {
	selected = node;
	if (node)
		scrollToRow(node.row);
	showDetails();
	drawSoon();
}

// Shows FROM to TO of the weight of `zoom`, or as much as there is.
function setSpan(change, from, to) {
	const size = Math.min(Math.max(to - from, zoom.total * 1e-9), zoom.total);
	const start = Math.min(Math.max(from, 0), zoom.total - size);
	change({span: size < zoom.total ? start + '~' + (start + size) : ''});
}

// Shows FACTOR of what is shown, around X.
function zoomAround(change, x, factor, by = 0) {
	const [from, to] = span(), at = from + x * pixel;
	setSpan(change, at + (from - at) * factor + by, at + (to - at) * factor + by);
}

// ---- matches ----

// Selects the next matching node of the stacks, or of the drawn ones of another view, and zooms to it if it
// is not drawn.
function nextMatch(by) {
	const {n} = stacks;
	if (!matches || state.view !== 'stacks')
		return selectDrawn(boxes().map(box => box.node).filter(node => node && matches?.[node.frame]), by);
	let at = selected ? selected.entries[0][0] : 0;
	for (let left = n; left > 0; left--) {
		at = (at + by + n) % n;
		if (matches[stacks.frame[at]] && stacks.total[at])
			break;
	}
	selectStack(at);
}

const selectDrawn = (nodes, by) => select(nodes.at((nodes.indexOf(selected) + by) % nodes.length) || null);

function selectStack(at) {
	const path = [];
	for (; at; at = stacks.parent[at])
		path.unshift(stacks.frame[at]);
	const node = nodeAt(path.join('.'));
	if (!boxOf(node))
		zoomTo(node);
	select(node);
}

// Adds the function NAME to what is searched, whose weight is counted once.
function addToSearch(name) {
	const names = state.q.startsWith('/^(') ? state.q.slice(3, -3) + '|' : '';
	search('/^(' + names + name.replace(/[^\w]/g, '\\$&') + ')$/');
	$('search').value = state.q;
}

const search = q => (state.q && q ? adjust : go)({q});

// ---- keys and buttons ----

// Selects the box beside, or the caller, or the widest callee.
function move(by, down) {
	const node = selected || zoom, beside = rows[node.row - firstRow].map(box => box.node).filter(Boolean);
	if (!selected)
		select(zoom);
	else if (by)
		select(beside[beside.indexOf(node) + by] || node);
	else if (down * node.step < 0)
		select(node.parent || node);
	else
		select(node.children().filter(boxOf).sort((a, b) => b.total - a.total)[0] || node);
}

function escape() {
	if (state.zoom || state.span)
		zoomTo(view[0]);
	else
		go({q: $('search').value = '', focus: '', hide: ''});
}

function toggleMenu() {
	const open = document.body.classList.toggle('menu');
	$('menu').setAttribute('aria-expanded', open);
}

const current = () => frames[(selected || zoom).frame];

const BUTTONS = {
	reset: () => go({zoom: '', span: '', focus: '', hide: ''}),
	next: () => nextMatch(1),
	previous: () => nextMatch(-1),
	sandwich: () => showSandwich(current().fn),
	focus: () => go({focus: String(current().fn), zoom: '', span: ''}),
	hide: () => go({hide: [...hidden(), current().fn].join('.'), zoom: '', span: ''}),
	add: () => addToSearch(current().name),
	widths: () => go({widths: swapped() ? 'new' : 'old'}),
	theme: () => go({theme: isDark() ? 'light' : 'dark'}),
	menu: toggleMenu,
};

const KEYS = {
	Enter: () => zoomTo(selected || zoom),
	Backspace: () => zoomTo(state.span ? zoom : zoom.parent || zoom),
	ArrowLeft: () => move(-1, 0),
	ArrowRight: () => move(1, 0),
	ArrowUp: () => move(0, isIcicle() ? -1 : 1),
	ArrowDown: () => move(0, isIcicle() ? 1 : -1),
};

function pressInSearch(event) {
	if (event.key === 'Escape')
		search(event.target.value = '');
	if (event.key === 'Escape' || event.key === 'Enter')
		canvas.focus();
}

document.addEventListener('keydown', event => {
	const {key, target} = event, button = document.querySelector('[data-key="' + CSS.escape(key) + '"]');
	if (event.ctrlKey || event.altKey || event.metaKey || target === $('color') || $('keys').matches(':popover-open'))
		return;
	if (target === $('search'))
		return pressInSearch(event);
	const act = [document.body, canvas].includes(target) && state.view !== 'table' ? KEYS[key] : null;
	if (!act && !button && key !== 'Escape' && key !== '/')
		return;
	event.preventDefault();
	if (key === '/')
		$('search').focus();
	else if (key === 'Escape')
		escape();
	else if (act)
		act();
	else if (!button.disabled && button.offsetParent)
		button.click();
});

for (const [id, act] of Object.entries(BUTTONS))
	$(id).addEventListener('click', act);
for (const button of document.querySelectorAll('[data-set]'))
	button.addEventListener('click', () => {
		const change = changeOf(button), keys = Object.keys(change);
		go(isSet(change) ? Object.fromEntries(keys.map(key => [key, DEFAULTS[key]])) : change);
	});
$('color').addEventListener('change', event => go({color: event.target.value}));

let typing = 0;
$('search').addEventListener('input', event => {
	clearTimeout(typing);
	typing = setTimeout(() => search(event.target.value), 120);
});

// ---- the mouse ----

let drag = null; // since the button is pressed: {x, y, top, from, to, moved}

function dragTo({clientX, clientY}) {
	const x = clientX - drag.x, y = clientY - drag.y;
	drag.moved ||= Math.abs(x) + Math.abs(y) > 4;
	if (!drag.moved)
		return;
	scroller.scrollTop = drag.top - y;
	setSpan(adjust, drag.from - x * pixel, drag.to - x * pixel);
}

function hover(event) {
	const box = boxAt(event);
	hovered = box && box.node;
	canvas.style.cursor = box ? 'pointer' : 'default';
	showTip(box, event.clientX, event.clientY);
	frameBox($('hovered'), hovered);
}

function leave() {
	hovered = null;
	showTip(null);
	frameBox($('hovered'), null);
}

canvas.addEventListener('pointerdown', event => {
	const [from, to] = span();
	drag = {x: event.clientX, y: event.clientY, top: scroller.scrollTop, from, to, moved: false};
	canvas.setPointerCapture(event.pointerId);
});
canvas.addEventListener('pointermove', event => event.buttons && drag ? dragTo(event) : hover(event));
canvas.addEventListener('pointerleave', leave);

canvas.addEventListener('click', event => {
	const box = boxAt(event);
	if (!box || drag?.moved)
		return;
	leave();
	if (!box.node)
		zoomAround(go, event.offsetX, 1 / 8);
	else if (event.shiftKey)
		addToSearch(labelOf(box.node));
	else {
		selected = box.node;
		zoomTo(box.node);
	}
});

// Ctrl+wheel zooms around the mouse, a sideways wheel moves; another one scrolls, as everywhere.
canvas.addEventListener('wheel', event => {
	const factor = event.ctrlKey || event.metaKey ? Math.exp(event.deltaY / 300) : 1, by = event.deltaX * pixel;
	if (factor === 1 && !by)
		return;
	event.preventDefault();
	zoomAround(state.span ? adjust : go, event.offsetX, factor, by);
}, {passive: false});

scroller.addEventListener('scroll', () => {
	leave();
	drawSoon();
});

// ---- the window ----

new ResizeObserver(() => {
	const bottom = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < ROW;
	layout();
	if (!isIcicle() && bottom)
		scroller.scrollTop = scroller.scrollHeight;
	draw();
}).observe(scroller);
prefersDark.addEventListener('change', show);
addEventListener('popstate', read);

// Paper has all rows, on white.
function print(on) {
	printing = on;
	show();
}
addEventListener('beforeprint', () => print(true));
addEventListener('afterprint', () => print(false));

// ---- the start ----

function summarize() {
	const {command, host, date, field} = data, weight = diff ? '' : ' ' + count(everything.total[0]);
	$('title').textContent = $('title').title = command;
	document.title = [diff ? 'Differential flame graph' : 'Flame graph', command, host, date].join(', ');
	$('summary').textContent = ['weight' + weight + ': ' + (field ? 'field ' + cut(field, 60) + ' of the dump' : 'as the dump counts') +
		(data.unit ? ', ' + data.unit : ''), count(everything.n - 1) + ' frames', host, date].join('; ');
	document.body.classList.toggle('diff', Boolean(diff));
}

function summarizeDifference() {
	const {total, other} = everything, side = (name, weight) => cut(name, 80) + ', weight ' + count(weight);
	$('sides').textContent = 'old: ' + side(diff.old, other[0]) + '; new: ' + side(diff.new, total[0]) + '; ' +
		(diff.normalized ? 'normalized: shares are compared' : 'absolute: weights are compared');
}

summarize();
if (diff)
	summarizeDifference();
read();
