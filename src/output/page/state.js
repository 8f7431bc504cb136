// SPDX-License-Identifier: GPL-2.0-or-later
// What the page shows is a function of `state`, which its address holds: a link reproduces a view, and
// Back undoes a step.

const DEFAULTS = {q: '', view: 'stacks', of: '', zoom: '', span: '', focus: '', hide: '', icicle: '', color: '', theme: '',
	widths: '', sort: 'self'};

let state = DEFAULTS;
let stacks, functions; // what filters leave, and the sums of its functions
let view = []; // roots of the trees that are shown
let matches = null; // what the search finds, by frame; null: no search
let zoom = null, selected = null, hovered = null; // nodes

const isIcicle = () => state.icicle === '1';
const swapped = () => diff && (state.widths ? state.widths === 'old' : diff.old_widths);
const hidden = () => state.hide.split('.').map(Number).filter(fn => frames[fn]?.fn);

// [from, to]: what is shown of the weight of `zoom`.
function span() {
	const [from, to] = state.span.split('~').map(Number);
	return to > from ? [from, to] : [0, zoom.total];
}

// ---- the address ----

const words = () => new URLSearchParams(Object.entries(state).filter(([key, value]) => value !== DEFAULTS[key])).toString();

function write(how) {
	try {
		if (words() !== location.hash.slice(1))
			history[how](null, '', '#' + words());
	} catch (error) {
		// Where the address cannot be changed, the page works without links and Back.
	}
}

// Changes the state by a step that Back undoes.
function go(change) {
	state = {...state, ...change};
	write('pushState');
	show();
}

// Changes it as a part of the last step. Browsers limit how often the address changes.
let writing = 0;
function adjust(change) {
	state = {...state, ...change};
	clearTimeout(writing);
	writing = setTimeout(write, 200, 'replaceState');
	show();
}

function read() {
	clearTimeout(writing);
	state = {...DEFAULTS, ...Object.fromEntries(new URLSearchParams(location.hash.slice(1)))};
	$('search').value = state.q;
	show();
}

// ---- showing the state ----

const stacksOf = remembered((focus, hide, swapped) => filterStacks(frames[focus] ? Number(focus) : 0, new Set(hidden()), swapped));
const functionsOf = remembered(countFunctions);

const viewOf = remembered((stacks, kind, of) => {
	if (kind === 'sandwich')
		return sandwichTrees(Number(of));
	return kind === 'callers' ? callersTree() : stacksTree();
});

const matchesOf = remembered(q => {
	$('matched').className = '';
	try {
		return compileQuery(q);
	} catch (error) {
		$('matched').className = 'warn';
		$('matched').textContent = 'no regular expression: ' + error.message;
		return null;
	}
});

function showMatched() {
	if (matches)
		$('matched').textContent = 'matched ' + weightText(...weightOf(matches));
	else if (!$('matched').className)
		$('matched').textContent = '';
	$('next').disabled = $('previous').disabled = !matches;
}

const restyle = remembered((dark, coloring) => {
	document.documentElement.dataset.theme = dark ? 'dark' : 'light';
	styles = {};
	colors = [];
});

const showLegend = remembered(() => $('legend').replaceChildren(...isDifference() ? [] : classLegend()));

const nameOf = fn => cut(frames[fn].name, 60);

function showFilters() {
	const focus = frames[state.focus] ? ['only stacks with ' + nameOf(state.focus)] : [];
	$('filters').textContent = [...focus, ...hidden().map(fn => 'without ' + nameOf(fn))].join(', ');
	$('reset').disabled = !state.zoom && !state.span && !$('filters').textContent;
}

// A button with data-set changes the state to what it says, or back if it is so already.
const changeOf = button => Object.fromEntries(new URLSearchParams(button.dataset.set));
const isSet = change => Object.entries(change).slice(0, 1).every(([key, value]) => state[key] === value);

function showButtons() {
	for (const button of document.querySelectorAll('[data-set]'))
		button.setAttribute('aria-pressed', isSet(changeOf(button)));
	$('color').value = coloring();
	$('widths').setAttribute('aria-pressed', Boolean(swapped()));
	document.body.dataset.view = state.view;
	$('compared').hidden = !isDifference();
}

// Scrolls to what is zoomed to, if that has changed.
const scrollToZoom = remembered((zoom, icicle) => {
	scroller.scrollTop = icicle ? 0 : scroller.scrollHeight;
	scrollToRow(zoom.row);
});

function show() {
	restyle(isDark(), coloring());
	stacks = stacksOf(state.focus, state.hide, swapped());
	functions = functionsOf(stacks);
	const shown = viewOf(stacks, state.view, state.of);
	if (shown !== view)
		selected = hovered = null;
	view = shown;
	zoom = nodeAt(state.zoom);
	matches = matchesOf(state.q);
	showMatched();
	showFilters();
	showButtons();
	showLegend(stacks, coloring(), isDark());
	showDetails();
	if (state.view === 'table') {
		showTable();
		return;
	}
	layout();
	scrollToZoom(zoom, isIcicle(), view);
	draw();
}
