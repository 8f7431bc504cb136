// SPDX-License-Identifier: GPL-2.0-or-later
// The page of stack2line --format=flamegraph is made of these files, in the order of page.sh. This one
// reads the data, which flamegraph.c describes. Text from outside gets into the page only by
// textContent and fillText.
'use strict';

const $ = id => document.getElementById(id);
const data = JSON.parse($('data').textContent);
$('data').textContent = '';
const {diff, strings} = data; // diff: the two dumps that are compared; undefined: there is one

const INLINED = 1, DOUBTFUL = 2;
const GROUP = 0, JIT = 2, UNNAMED = 5; // indexes of data.kinds; kinds from UNNAMED on have no name

// Yields the numbers in TEXT: LEB128 in base64.
function* numbersOf(text) {
	let value = 0, unit = 1;
	for (const letter of atob(text)) {
		const byte = letter.charCodeAt(0);
		value += byte % 128 * unit;
		unit *= 128;
		if (byte < 128) {
			yield value;
			value = 0;
			unit = 1;
		}
	}
}

// Returns the numbers in TEXT, N in each row.
function rowsOf(text, n) {
	const numbers = [...numbersOf(text)];
	return Array.from({length: numbers.length / n}, (_, i) => numbers.slice(i * n, i * n + n));
}

// Frames of one name and object are one function. Its number is that of its first frame.
const frames = rowsOf(data.frames, 8).map(([name, full, object, reason, language, kind, flags, fn]) => ({
	name: strings[name], full: strings[full] || strings[name], object: strings[object], reason: strings[reason],
	language: strings[language], kind, inlined: flags & INLINED, doubtful: flags & DOUBTFUL, fn,
}));
const lines = rowsOf(data.places, 3); // file, first and last line

// ---- numbers as text ----

let exact = true; // all weights are exact: JavaScript's numbers are up to 2^53

const count = weight => (exact ? '' : '\u2248 ') + weight.toLocaleString('en-US');

function percent(part, whole) {
	const share = whole ? 100 * part / whole : 0;
	return share && share < 0.01 ? '< 0.01 %' : share.toFixed(share ? 2 : 0) + ' %';
}

const cut = (text, letters) => text.length <= letters ? text :
	[...text.slice(0, letters)].slice(0, letters - 1).join('') + '\u2026';

// Returns a function that calls MAKE only if its arguments differ from those of the last call.
function remembered(make) {
	let last, value;
	return (...given) => {
		if (last === undefined || given.some((one, i) => one !== last[i]))
			value = make(...given);
		last = given;
		return value;
	};
}
