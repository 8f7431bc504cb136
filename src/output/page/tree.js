// SPDX-License-Identifier: GPL-2.0-or-later
// What is drawn: trees whose nodes are made when they come into sight. A node is one or more nodes of
// `stacks`, each with the weights that it has here: [at, weight, other] of `entries`.

class TreeNode {
	// UP: children are callers, not callees. STEP: rows from a node to its children, 1 or -1.
	constructor(parent, frame, up, step) {
		Object.assign(this, {parent, frame, up, step, row: parent ? parent.row + step : 0, made: null});
		Object.assign(this, {entries: [], start: 0, total: 0, other: 0, self: 0, otherSelf: 0});
	}

	add(...entry) {
		const [at, weight, other] = entry;
		this.entries.push(entry);
		this.total += weight;
		this.other += other;
		this.self += stacks.self[at];
		this.otherSelf += stacks.otherSelf[at];
	}

	// Makes a child for each frame of NEXT, a list of entries: in the order of the data, or by weight if
	// they are sums. `start` of a node is the weight to the left of it.
	group(next) {
		const children = new Map();
		for (const entry of next) {
			const frame = stacks.frame[entry[0]];
			if (!children.has(frame))
				children.set(frame, new TreeNode(this, frame, this.up, this.step));
			children.get(frame).add(...entry);
		}
		this.made = [...children.values()];
		if (this.up || this.entries.length > 1)
			this.made.sort((a, b) => b.total - a.total);
		this.made.reduce((start, child) => (child.start = start) + child.total, this.start);
	}

	*callers() {
		for (const [at, weight, other] of this.entries)
			if (stacks.parent[at])
				yield [stacks.parent[at], weight, other];
	}

	*callees() {
		for (const [at] of this.entries)
			for (let i = at + 1; i < stacks.end[at]; i = stacks.end[i])
				yield [i, stacks.total[i], stacks.other[i]];
	}

	children() {
		if (!this.made)
			this.group(this.up ? this.callers() : this.callees());
		return this.made;
	}

	// Returns the child with FRAME.
	child(frame) {
		return this.children().find(child => child.frame === frame);
	}
}

function stacksTree() {
	const root = new TreeNode(null, 0, false, 1);
	root.add(0, stacks.total[0], stacks.other[0]);
	return [root];
}

// From each function that ran itself up to its roots.
function callersTree() {
	const root = new TreeNode(null, 0, true, 1), leaves = [];
	for (let i = 1; i < stacks.n; i++)
		if (stacks.self[i] || stacks.otherSelf[i])
			leaves.push([i, stacks.self[i], stacks.otherSelf[i]]);
	[root.total, root.other] = [stacks.total[0], stacks.other[0]];
	root.group(leaves);
	return [root];
}

// From the function FN down to its callees and, in negative rows, up to its callers.
function sandwichTrees(fn) {
	const trees = [new TreeNode(null, fn, false, 1), new TreeNode(null, fn, true, -1)];
	for (const tree of trees)
		for (const at of functions.get(fn)?.nodes || [])
			tree.add(at, stacks.total[at], stacks.other[at]);
	return trees;
}

// A node's address in a link: '-' among callers of the sandwich, and the frames on the way to it.
function pathOf(node) {
	const path = [];
	for (; node.parent; node = node.parent)
		path.unshift(node.frame);
	return (node === view[1] ? '-' : '') + path.join('.');
}

function nodeAt(path) {
	let node = view[path.startsWith('-') ? 1 : 0] || view[0];
	for (const frame of path.match(/\d+/g) || [])
		node = node.child(Number(frame)) || node;
	return node;
}
