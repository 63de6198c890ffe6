/**
 * Refreshes the page in place: fetches it again and replaces the parts that have changed, so that scroll position, focus
 * and open details stay. Pauses while the tab is hidden, while the reader has paused it, and while text is selected:
 * replacing a part would lose the selection.
 */

const periodMs = 5_000;
/** While nodes have not answered yet. */
const awaitingPeriodMs = 2_000;
const timeoutMs = 10_000;
const tickMs = 1_000;
const timeFormat = { hour: 'numeric', minute: '2-digit', second: '2-digit', timeZoneName: 'short' };

const suggestions = Object.assign(document.createElement('datalist'), { id: 'names' });
const icon = document.querySelector('link[rel="icon"]');

let isPaused = false;
let isLoading = false;
let loadedAtMs = performance.now();
let triedAtMs = loadedAtMs;

function ageText(ageMs) {
  const seconds = Math.round(ageMs / 1_000);
  if (seconds < 2) return 'just now';
  return seconds < 120 ? `${seconds} s ago` : `${Math.round(seconds / 60)} min ago`;
}

function stateText() {
  if (isPaused) return 'Paused.';
  return isSelecting() ? 'Paused while text is selected.' : '';
}

function isSelecting() {
  return !getSelection().isCollapsed;
}

function isOnHold() {
  return isPaused || isSelecting();
}

/** Leaves an equal text alone: screen readers would announce it again. */
function setText(id, text) {
  const element = document.getElementById(id);
  if (element.textContent !== text) element.textContent = text;
}

function showFault(text) {
  setText('fault', text);
  document.getElementById('fault').hidden = text === '';
}

/** Who sees only the tab must not take an old state for the present one. */
function showUnknown() {
  showTab(document.title.replace(/^(\([\d,?]+\) )?/, '(?) '), icon.dataset.unknown);
}

/** Leaves equal ones alone: browsers would draw them again. */
function showTab(title, iconAddress) {
  if (document.title !== title) document.title = title;
  if (icon.getAttribute('href') !== iconAddress) icon.setAttribute('href', iconAddress);
}

function replaceParts(loaded) {
  const [blocks, others] = [document, loaded].map((page) => page.querySelector('[data-document]'));
  const parts = [...document.querySelectorAll('[data-part]')].filter((part) => blocks?.contains(part) !== true);
  const isMissing = (part) => loaded.getElementById(part.id) === null;
  if (parts.length === 0 || parts.some(isMissing) || (blocks === null) !== (others === null)) {
    throw new Error('the response is another page');
  }
  for (const details of document.querySelectorAll('details[id]')) {
    const other = loaded.getElementById(details.id);
    if (other !== null) other.open = details.open;
  }
  const restoreFocus = focusRestorer(document.activeElement);
  const { scrollX, scrollY } = window;
  for (const part of parts) {
    const other = loaded.getElementById(part.id);
    if (!part.isEqualNode(other)) part.replaceWith(document.adoptNode(other));
  }
  if (blocks !== null) replaceBlocks(blocks, [...others.children]);
  showTab(loaded.title, loaded.querySelector('link[rel="icon"]').getAttribute('href'));
  restoreFocus();
  window.scrollTo({ left: scrollX, top: scrollY, behavior: 'instant' });
}

/** Parts of a document come and go; those that stay keep their order. */
function replaceBlocks(blocks, others) {
  for (const block of [...blocks.children]) if (!others.some(({ id }) => id === block.id)) block.remove();
  for (const [index, other] of others.entries()) {
    const block = blocks.children[index];
    if (block?.id !== other.id) blocks.insertBefore(document.adoptNode(other), block ?? null);
    else if (!block.isEqualNode(other)) block.replaceWith(document.adoptNode(other));
  }
}

/** Returns what gives the focus to the element that has replaced this one: of those with its key, or its address, the one in its place. */
function focusRestorer(focused) {
  const name = ['data-key', 'href'].find((each) => focused?.hasAttribute(each));
  const value = name && focused.getAttribute(name);
  const alike = () => [...document.querySelectorAll(`[${name}]`)].filter((each) => each.getAttribute(name) === value);
  const index = name === undefined ? -1 : alike().indexOf(focused);
  return () => {
    if (index >= 0 && !focused.isConnected) (alike()[index] ?? alike()[0])?.focus({ preventScroll: true });
  };
}

/** Adds the time of the reader's zone to those in UTC, with its day where that is another one. */
function addLocalTimes(page) {
  for (const time of page.querySelectorAll('time[datetime]')) {
    const at = new Date(time.dateTime);
    if (at.getTimezoneOffset() === 0 || Number.isNaN(at.getTime())) continue;
    const day = at.getDate() === at.getUTCDate() ? {} : { month: 'short', day: 'numeric' };
    time.textContent += ` (${at.toLocaleString([], { ...day, ...timeFormat })})`;
  }
}

function addCopyButtons(page) {
  for (const code of page.querySelectorAll('.commands code')) {
    const button = Object.assign(document.createElement('button'), { type: 'button', className: 'copy' });
    button.textContent = 'Copy';
    button.dataset.key = `copy-${code.textContent}`;
    code.after(button);
  }
}

/** Not by the clipboard's own interface, which pages over plain HTTP lack. What could not be copied stays selected. */
function copyCommand({ target }) {
  if (target.matches?.('.copy') !== true) return;
  getSelection().selectAllChildren(target.previousElementSibling);
  if (!document.execCommand('copy')) return;
  getSelection().removeAllRanges();
  target.textContent = 'Copied';
}

/** As in other tools: `/` is for searching, unless something is being written. */
function focusSearch(event) {
  const isWriting = event.target.matches?.('input, select, textarea') === true;
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isWriting) return;
  event.preventDefault();
  document.getElementById('search').focus();
}

const maxNameCount = 200;
const namesOfPage = 'main a:is([href*="nodes/"], [href*="pods/"], [href*="workloads/"], [href*="namespaces/"])';

/** Suggests the names that the page has when a field for names gets the focus. */
function suggestNames({ target }) {
  if (target.matches?.('input[type="search"]') !== true) return;
  const links = [...document.querySelectorAll(namesOfPage)];
  const names = new Set(links.map(({ pathname }) => decodeURIComponent(pathname.split('/').at(-1))));
  const options = [...names]
    .slice(0, maxNameCount)
    .map((value) => Object.assign(document.createElement('option'), { value }));
  suggestions.replaceChildren(...options);
  target.after(suggestions);
  target.setAttribute('list', suggestions.id);
}

/** Escape closes the meaning of a word, until the pointer or the focus leaves the word. */
function closeTip({ key }) {
  if (key === 'Escape') document.body.classList.add('without-tips');
}

function allowTips({ target }) {
  if (target.closest?.('dfn')) document.body.classList.remove('without-tips');
}

async function load() {
  const response = await fetch(location.pathname + location.search, {
    cache: 'no-store',
    headers: { accept: 'text/html' },
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (!response.ok) throw new Error(`HTTP status ${response.status}`);
  return await response.text();
}

function reasonOf(error) {
  return error.name === 'TimeoutError' ? `no response within ${timeoutMs / 1_000} s` : error.message;
}

/** `isForced`: also while the page is paused. */
async function refresh(isForced) {
  if (isLoading) return;
  isLoading = true;
  triedAtMs = performance.now();
  try {
    const text = await load();
    if (isOnHold() && !isForced) return;
    const loaded = new DOMParser().parseFromString(text, 'text/html');
    addLocalTimes(loaded);
    addCopyButtons(loaded);
    replaceParts(loaded);
    loadedAtMs = performance.now();
    showFault('');
  } catch (error) {
    showFault(`The last refresh failed (${reasonOf(error)}). The page shows old data.`);
    showUnknown();
  } finally {
    isLoading = false;
    showAge();
  }
}

function showAge() {
  setText('age', ageText(performance.now() - loadedAtMs));
}

function tick() {
  showAge();
  setText('state', stateText());
  const isAwaiting = document.getElementById('part-about').hasAttribute('data-awaiting');
  const isElapsed = performance.now() - triedAtMs >= (isAwaiting ? awaitingPeriodMs : periodMs);
  const isDue = isElapsed && !isOnHold() && !document.hidden;
  if (isDue) void refresh(false);
}

document.getElementById('pause').addEventListener('click', ({ target }) => {
  isPaused = !isPaused;
  target.textContent = isPaused ? 'Resume' : 'Pause';
  tick();
});
document.getElementById('refresh').addEventListener('click', () => void refresh(true));
document.addEventListener('visibilitychange', tick);
document.addEventListener('focusin', suggestNames);
document.addEventListener('keydown', focusSearch);
document.addEventListener('keydown', closeTip);
document.addEventListener('pointerout', allowTips);
document.addEventListener('focusout', allowTips);
document.addEventListener('click', copyCommand);
addLocalTimes(document);
addCopyButtons(document);
document.getElementById('live').hidden = false;
document.querySelector('nav [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
showAge();
setInterval(tick, tickMs);
