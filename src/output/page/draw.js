// SPDX-License-Identifier: GPL-2.0-or-later
// Lays out the boxes that are wide enough, and draws those in sight.

const ROW = 18; // pixels: the height of a row
const EDGE = 2; // pixels of the red edge, below underscores
const canvas = $('canvas'), scroller = $('scroller'), context = canvas.getContext('2d');
const FONT = '12px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace';

let letter = 7; // the width of one
let rows = []; // boxes by row, from left to right: {node, x, width, row}; node null: what is too narrow
let firstRow = 0; // the row of rows[0]: callers in the sandwich have negative ones
let pixel = 1; // the weight of one
let height = 0;
let printing = false;

const boxes = () => rows.flat();
const boxOf = node => rows[node.row - firstRow]?.find(box => box.node === node);
const visibleHeight = () => printing ? height : Math.max(scroller.clientHeight, 1);

// ---- layout ----

// Adds the boxes of NODE's children, in weights, by the rule of call_box_next() in call_tree.h, which draws
// SVG. Returns the children that may have children in sight.
function layChildren(laid, node, from, to) {
	let narrow = null;
	return node.children().filter(child => {
		const {start, total, other, row} = child, wide = total >= pixel;
		if (wide || !narrow) {
			laid.push({node: wide ? child : null, row, start, total, other});
			narrow = wide ? null : laid.at(-1);
		} else {
			narrow.total += total;
			narrow.other += other;
		}
		return wide && start < to && start + total > from;
	});
}

function layout() {
	const width = scroller.clientWidth, [from, to] = span().map(at => zoom.start + at), laid = [];
	pixel = (to - from) / width || 1;
	for (let level = zoom === view[0] ? view : [zoom]; level.length;)
		level = level.flatMap(node => layChildren(laid, node, from, to));
	firstRow = laid.reduce((least, {row}) => Math.min(least, row), Math.min(zoom.row, 0));
	rows = [];
	for (let node = zoom; node; node = node.parent)
		rows[node.row - firstRow] = [{node, x: 0, width, row: node.row}];
	for (const box of laid) {
		const x = Math.max(box.start - from, 0) / pixel, right = Math.min((box.start + box.total - from) / pixel, width);
		if (box.total >= pixel && right > x)
			(rows[box.row - firstRow] ??= []).push({...box, x, width: right - x});
	}
	height = rows.length * ROW + 4;
	fitCanvas(width);
}

function fitCanvas(width) {
	const visible = visibleHeight(), ratio = devicePixelRatio || 1;
	$('spacer').style.height = Math.max(height, visible) + 'px';
	canvas.style.width = width + 'px';
	canvas.style.height = visible + 'px';
	canvas.width = Math.round(width * ratio);
	canvas.height = Math.round(visible * ratio);
	context.setTransform(ratio, 0, 0, ratio, 0, 0);
	context.font = FONT;
	letter = context.measureText('mmmmmmmmmm').width / 10;
}

const fullHeight = () => Math.max(height, visibleHeight());

// The upper edge of ROW in the spacer.
const topOf = row => isIcicle() ? (row - firstRow) * ROW : fullHeight() - (row - firstRow + 1) * ROW;

function boxAt(event) {
	const rect = canvas.getBoundingClientRect(), x = event.clientX - rect.left;
	const y = event.clientY - rect.top + scroller.scrollTop;
	const box = rows[Math.floor((isIcicle() ? y : fullHeight() - y) / ROW)]?.findLast(box => box.x <= x);
	return box && x < box.x + Math.max(box.width, 1) ? box : null;
}

// ---- drawing ----

function drawText(text, x, y, width) {
	const letters = Math.floor((width - 6) / letter);
	if (letters >= 3)
		context.fillText(cut(text, letters), x + 3, y + 12, width - 5); // squeezes letters that are wider
}

// Not what is searched for, or a caller of what is zoomed to.
const isDim = ({node}) => matches ? !matches[node.frame] : zoom !== view[0] && Math.abs(node.row) < Math.abs(zoom.row);

function fillOf(box) {
	const {node} = box;
	if (!node)
		return styleOf('narrow');
	if (isDim(box))
		return styleOf('dim');
	if (matches)
		return styleOf('match');
	if (!node.frame)
		return styleOf('root');
	return isDifference() ? differenceColor(differenceAt(node) / (largest() || 1)) : colorOf(node.frame);
}

function drawBox(box) {
	const {node, x} = box, y = topOf(box.row) - (printing ? 0 : scroller.scrollTop);
	const width = Math.max(box.width - (box.width > 3 ? 1 : 0), .7), wrong = node ? marksOf(node) : [];
	context.fillStyle = fillOf(box);
	context.fillRect(x, y, width, ROW - 1);
	if (wrong.length) {
		const share = Math.max(...wrong.map(mark => mark[1])) / node.total;
		context.fillStyle = styleOf('edge');
		context.fillRect(x, y + ROW - 1 - EDGE, Math.max(width * share, 1), EDGE);
	}
	if (!node || width <= 18)
		return;
	context.fillStyle = styleOf(isDim(box) ? 'weak' : 'on-box');
	drawText(labelOf(node), x, y, width);
}

function draw() {
	const top = printing ? 0 : scroller.scrollTop, visible = visibleHeight();
	context.clearRect(0, 0, canvas.width, canvas.height);
	for (const row of rows)
		if (row && topOf(row[0].row) > top - ROW && topOf(row[0].row) < top + visible)
			row.forEach(drawBox);
	frameBox($('selected'), selected);
	frameBox($('hovered'), hovered);
}

let drawing = 0;
function drawSoon() {
	cancelAnimationFrame(drawing);
	drawing = requestAnimationFrame(draw);
}

// Puts ELEMENT around the box of NODE. It is not drawn, so that moving the mouse draws nothing.
function frameBox(element, node) {
	const box = node && boxOf(node);
	element.hidden = !box;
	if (!box)
		return;
	element.style.transform = `translate(${box.x}px, ${topOf(box.row)}px)`;
	element.style.width = Math.max(box.width, 2) + 'px';
	element.style.height = ROW + 'px';
}
