import type { Page } from 'playwright-core';

/** Pairs of visible texts of the page that are printed over each other: each line of a text has a box. */
export function overlappingTexts(page: Page): Promise<readonly string[]> {
  return page.evaluate<readonly string[]>(findOverlaps);
}

/** Boxes of lines that follow each other may touch by a part of their height. */
const findOverlaps = `(() => {
  const isShown = (element) => {
    for (let each = element; each !== null; each = each.parentElement) {
      if (getComputedStyle(each).clipPath !== 'none') return false;
    }
    return element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && element.closest('.skip') === null;
  };
  const clipped = (box, element) => {
    let { left, right, top, bottom } = box;
    for (let each = element; each !== null; each = each.parentElement) {
      if (getComputedStyle(each).overflowX === 'visible') continue;
      const clip = each.getBoundingClientRect();
      [left, right, top, bottom] = [Math.max(left, clip.left), Math.min(right, clip.right), Math.max(top, clip.top), Math.min(bottom, clip.bottom)];
    }
    return { left, right, top, bottom };
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const boxes = [];
  for (let text = walker.nextNode(); text !== null; text = walker.nextNode()) {
    const element = text.parentElement;
    if (text.data.trim() === '' || !isShown(element)) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    for (const rect of range.getClientRects()) {
      const box = clipped(rect, element);
      if (box.right - box.left > 1 && box.bottom - box.top > 1) boxes.push({ ...box, text });
    }
  }
  boxes.sort((a, b) => a.top - b.top);
  const found = new Set();
  boxes.forEach((one, index) => {
    for (let next = index + 1; next < boxes.length && boxes[next].top < one.bottom; next += 1) {
      const other = boxes[next];
      if (other.text === one.text) continue;
      const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
      const height = Math.min(one.bottom, other.bottom) - other.top;
      const least = Math.min(one.bottom - one.top, other.bottom - other.top);
      if (width > 1 && height > least / 3) found.add(one.text.data.trim().slice(0, 60) + ' | ' + other.text.data.trim().slice(0, 60));
    }
  });
  return [...found];
})()`;
