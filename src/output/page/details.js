// SPDX-License-Identifier: GPL-2.0-or-later
// Words about frames: the panel below the graph, the tip at the mouse, the table of functions.

const rootText = () => 'weight ' + weightText(stacks.total[0], stacks.other[0]);
const labelOf = node => node.frame ? frames[node.frame].name : 'all: ' + rootText();

// ---- weights ----

// [old, new] of a weight of the side that widths show, and the other's.
const pairOf = (weight, other) => swapped() ? [weight, other] : [other, weight];

function differenceOf(weight, other) {
	const [old, now] = pairOf(weight, other), [allOld, allNow] = pairOf(stacks.total[0], stacks.other[0]);
	return diff.normalized ? now / (allNow || 1) - old / (allOld || 1) : now - old;
}

const isSelf = () => coloring() === 'self' && !view[0].up;
const differenceAt = node => isSelf() ? differenceOf(node.self, node.otherSelf) : differenceOf(node.total, node.other);

// The largest difference of all nodes, which has the strongest colour.
function findLargest(stacks, self) {
	const [weights, others] = self ? [stacks.self, stacks.otherSelf] : [stacks.total, stacks.other];
	return weights.reduce((most, weight, i) => i ? Math.max(most, Math.abs(differenceOf(weight, others[i]))) : most, 0);
}
const largestOf = remembered(findLargest), largest = () => largestOf(stacks, isSelf());

// Of one dump "12 (1.00 %)"; of two both, and the difference.
function weightText(weight, other) {
	const withShare = (part, whole) => `${count(part)} (${percent(part, whole)})`;
	if (!diff)
		return withShare(weight, stacks.total[0]);
	const [old, now] = pairOf(weight, other), [allOld, allNow] = pairOf(stacks.total[0], stacks.other[0]);
	const difference = differenceOf(weight, other), size = Math.abs(difference);
	return 'old ' + withShare(old, allOld) + ', new ' + withShare(now, allNow) + ', difference ' +
		(difference < 0 ? '\u2212' : '+') + (diff.normalized ? percent(size, 1) : count(size));
}

// ---- frames ----

// File and lines of the function, or of the calls in it.
function placeOf(node) {
	const place = node.entries.length === 1 && !node.up && lines[places[stacks.source[node.entries[0][0]]] - 1];
	if (!place)
		return '';
	const [file, from, to] = place;
	return strings[file] + (from ? ':' + from : '') + (to > from ? '\u2013' + to : '');
}

// Returns [[mark, weight]...]. Marks are those of new stacks, and of all that are in the data.
function marksOf(node) {
	const sums = new Map();
	if (!marks.size || node.up || swapped())
		return [];
	for (const [at] of node.entries)
		if (stacks.total[at] === everything.total[stacks.source[at]])
			for (const [mark, weight] of marks.get(stacks.source[at]) || [])
				sums.set(mark, (sums.get(mark) || 0) + weight);
	return [...sums];
}

// Returns [class, text] for each line. LIMIT: letters of a name.
function describe(node, limit) {
	const frame = frames[node.frame], {kind, full, object, reason} = frame, sums = functions.get(frame.fn);
	if (!node.frame)
		return [['name', 'all'], ['', rootText()]];
	const lines = [['name', cut(full, limit)],
		['weak', [data.kinds[kind], frame.inlined && 'inlined', frame.doubtful && 'doubtful', object, placeOf(node)]
			.filter(Boolean).join(', ')],
		['', 'weight ' + weightText(node.total, node.other) + (node.up ? '' : ', self ' + weightText(node.self, node.otherSelf)) +
			(zoom.parent && !diff ? ', ' + percent(node.total, zoom.total) + ' of what is shown' : '')],
		['warn', reason], ...marksOf(node).map(([mark, weight]) =>
			['warn', data.mark_texts[mark] + ': ' + percent(weight, node.total) + ' of it'])];
	if (kind && sums)
		lines.splice(3, 0, ['weak', 'the function in all stacks: total ' + weightText(sums.total, sums.other) +
			', self ' + weightText(sums.self, sums.otherSelf) + ', places: ' + count(sums.n)]);
	return lines.filter(([, text]) => text);
}

function linesOf(described) {
	return described.map(([className, text]) => {
		const line = document.createElement('div');
		line.className = className;
		line.textContent = text;
		return line;
	});
}

function showTip(box, x, y) {
	const tip = $('tip');
	tip.hidden = !box;
	if (!box)
		return;
	tip.replaceChildren(...linesOf(box.node ? describe(box.node, 400) :
		[['', 'too narrow to draw: ' + weightText(box.total, box.other) + '; click to see it']]));
	const {width, height: tall} = tip.getBoundingClientRect();
	tip.style.left = Math.max(4, Math.min(x + 14, innerWidth - width - 6)) + 'px';
	tip.style.top = (y + 18 + tall > innerHeight ? Math.max(4, y - tall - 12) : y + 18) + 'px';
}

function showDetails() {
	const node = selected || zoom;
	$('details').replaceChildren(...linesOf(describe(node, 20000)));
	$('actions').hidden = !node.frame;
}

// ---- the table of functions ----

const TABLE_ROWS = 500;

function tableRow(sums) {
	const row = document.createElement('tr'), button = document.createElement('button'), {full, object, name} = frames[sums.fn];
	for (const text of [weightText(sums.self, sums.otherSelf), weightText(sums.total, sums.other), '', object])
		row.insertCell().textContent = text;
	button.textContent = cut(name, 200);
	button.title = cut(full, 2000);
	button.addEventListener('click', () => showSandwich(sums.fn));
	row.cells[2].append(button);
	return row;
}

// Searched functions only, if there is a search.
function showTable() {
	const found = [...functions.values()].filter(({fn}) => frames[fn].kind && (!matches || matches[fn]));
	if (state.sort === 'name')
		found.sort((a, b) => frames[a.fn].name < frames[b.fn].name ? -1 : 1);
	else
		found.sort((a, b) => b[state.sort] - a[state.sort] || b.total - a.total);
	$('rows').replaceChildren(...found.slice(0, TABLE_ROWS).map(tableRow));
	$('more').textContent = found.length > TABLE_ROWS ? count(found.length - TABLE_ROWS) + ' more: search to see fewer' : '';
}
