// SPDX-License-Identifier: GPL-2.0-or-later
// The merged stacks as a tree in arrays: node 0 is the root, parents come before their children, and
// `end` is the node after the last one below. Of a difference, weights are those of the dump that
// widths show, and otherSelf and other those of the other dump.

class Stacks {
	constructor(room) {
		this.n = 0;
		for (const field of ['frame', 'parent', 'end', 'source'])
			this[field] = new Int32Array(room);
		for (const field of ['self', 'total', 'otherSelf', 'other'])
			this[field] = new Float64Array(room);
	}

	// SOURCE: the node of the data.
	add(frame, parent, source) {
		this.frame[this.n] = frame;
		this.parent[this.n] = parent;
		this.source[this.n] = source;
		return this.n++;
	}

	addUp() {
		for (let i = this.n - 1; i >= 0; i--) {
			const up = this.parent[i];
			this.end[i] = Math.max(this.end[i], i + 1);
			this.total[i] += this.self[i];
			this.other[i] += this.otherSelf[i];
			if (!i)
				break;
			this.total[up] += this.total[i];
			this.other[up] += this.other[i];
			this.end[up] = Math.max(this.end[up], this.end[i]);
		}
		return this;
	}
}

const places = new Int32Array(data.n_nodes); // by node of the data: index of `lines`, from 1
const marks = new Map(); // node of the data -> [[mark, weight]...]

function readStacks() {
	const all = new Stacks(data.n_nodes), path = [], numbers = numbersOf(data.nodes), next = () => numbers.next().value;
	for (let up = next(); up !== undefined; up = next()) {
		path.length -= up;
		const node = all.add(next(), path.at(-1) || 0, all.n);
		path.push(node);
		const place = next();
		places[node] = place >> 1;
		all.self[node] = next();
		if (diff)
			all.otherSelf[node] = next();
		if (place & 1)
			marks.set(node, Array.from({length: next()}, () => [next(), next()]));
	}
	return all.addUp();
}

const everything = readStacks();
exact = Math.max(everything.total[0], everything.other[0]) <= Number.MAX_SAFE_INTEGER;

// Returns the stacks through the function FOCUS (0: all of them), without the frames of the functions
// HIDDEN, whose own weight is then their callers'. SWAPPED: widths show the other dump.
function filterStacks(focus, hidden, swapped) {
	const all = everything, kept = new Stacks(all.n), to = new Int32Array(all.n);
	const [self, other] = swapped ? [all.otherSelf, all.self] : [all.self, all.otherSelf];
	let until = focus ? 0 : all.n; // nodes before it are in or below FOCUS
	for (let i = 0; i < all.n; i++) {
		const {fn} = frames[all.frame[i]], up = to[all.parent[i]];
		to[i] = i && hidden.has(fn) ? up : kept.add(all.frame[i], up, i);
		if (fn === focus)
			until = Math.max(until, all.end[i]);
		if (i >= until)
			continue;
		kept.self[to[i]] += self[i];
		kept.otherSelf[to[i]] += other[i];
	}
	return kept.addUp();
}

// Returns, by function, its weights, its outermost nodes, which count for its total, and the number of
// all its nodes.
function countFunctions(stacks) {
	const functions = new Map(), until = new Int32Array(frames.length);
	for (let i = 1; i < stacks.n; i++) {
		const {fn} = frames[stacks.frame[i]];
		if (!stacks.total[i] && !stacks.other[i])
			continue;
		if (!functions.has(fn))
			functions.set(fn, {fn, self: 0, total: 0, otherSelf: 0, other: 0, nodes: [], n: 0});
		const sums = functions.get(fn);
		sums.self += stacks.self[i];
		sums.otherSelf += stacks.otherSelf[i];
		sums.n++;
		if (i < until[fn])
			continue;
		until[fn] = stacks.end[i];
		sums.total += stacks.total[i];
		sums.other += stacks.other[i];
		sums.nodes.push(i);
	}
	return functions;
}

// Returns [weight, other] of the stacks with a frame that is FOUND, each counted once.
function weightOf(found) {
	let weight = 0, other = 0;
	for (let i = 1; i < stacks.n; i = found[stacks.frame[i]] ? stacks.end[i] : i + 1)
		if (found[stacks.frame[i]]) {
			weight += stacks.total[i];
			other += stacks.other[i];
		}
	return [weight, other];
}

// Returns what TEXT finds, by frame; null if it is empty. object: and file: say what to search, and
// /.../ is a regular expression.
function compileQuery(text) {
	const [, field, rest] = /^(?:(object|file):)?(.*)$/s.exec(text);
	const regular = /^\/(.+)\/$/s.exec(rest);
	const expression = regular && new RegExp(regular[1], 'i'), lower = rest.toLowerCase();
	const fits = s => expression ? expression.test(s) : s.toLowerCase().includes(lower);
	if (!rest)
		return null;
	if (field === 'object')
		return frames.map(frame => fits(frame.object));
	if (!field)
		return frames.map(frame => fits(frame.name) || fits(frame.full));
	const inFile = lines.map(([file]) => fits(strings[file])), found = frames.map(() => false);
	for (let i = 1; i < everything.n; i++)
		found[everything.frame[i]] ||= places[i] && inFile[places[i] - 1];
	return found;
}
