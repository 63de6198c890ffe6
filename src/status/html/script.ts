/**
 * Refreshes the page in place: fetches it anew and puts in what has changed, so that scroll position, focus and open
 * details stay. Rests while the tab is hidden, the reader has paused it or has text selected, which would be lost.
 */
export const script = `
(() => {
  const periodMs = 5000, timeoutMs = 10000;
  const byId = (id) => document.getElementById(id);
  const age = byId('age'), fault = byId('fault'), pause = byId('pause'), now = byId('refresh');
  let isPaused = false, isBusy = false, loadedAtMs = performance.now(), triedAtMs = loadedAtMs;

  const showAge = () => {
    const seconds = Math.round((performance.now() - loadedAtMs) / 1000);
    age.textContent = seconds < 2 ? 'just now' : seconds < 120 ? seconds + ' s ago' : Math.round(seconds / 60) + ' min ago';
  };

  const isSelecting = () => !getSelection().isCollapsed;

  const isResting = () => isPaused || isSelecting();

  const tell = (element, text) => {
    if (element.textContent !== text) element.textContent = text;
  };

  const showState = () => tell(byId('state'), isPaused ? 'Paused.' : isSelecting() ? 'Waits while text is selected.' : '');

  const say = (text) => {
    tell(fault, text);
    fault.hidden = text === '';
  };

  const put = (fresh) => {
    for (const details of document.querySelectorAll('details[id]')) {
      const other = fresh.getElementById(details.id);
      if (other) other.open = details.open;
    }
    const parts = [...document.querySelectorAll('[data-part]')];
    if (parts.length === 0 || parts.some((part) => !fresh.getElementById(part.id))) throw new Error('the answer is another page');
    const focused = document.activeElement;
    const key = focused && focused.getAttribute('data-key');
    const { scrollX, scrollY } = window;
    for (const part of parts) {
      const other = fresh.getElementById(part.id);
      if (!part.isEqualNode(other)) part.replaceWith(document.adoptNode(other));
    }
    if (key && !focused.isConnected) {
      const again = [...document.querySelectorAll('[data-key]')].find((element) => element.getAttribute('data-key') === key);
      if (again) again.focus({ preventScroll: true });
    }
    window.scrollTo({ left: scrollX, top: scrollY, behavior: 'instant' });
  };

  const refresh = async (isWanted) => {
    if (isBusy) return;
    isBusy = true;
    triedAtMs = performance.now();
    try {
      const answer = await fetch(location.pathname + location.search, { cache: 'no-store', signal: AbortSignal.timeout(timeoutMs) });
      if (!answer.ok) throw new Error('HTTP status ' + answer.status);
      const text = await answer.text();
      if (isResting() && !isWanted) return;
      put(new DOMParser().parseFromString(text, 'text/html'));
      loadedAtMs = performance.now();
      say('');
    } catch (error) {
      const reason = error.name === 'TimeoutError' ? 'no answer within ' + timeoutMs / 1000 + ' s' : error.message;
      say('The last refresh failed (' + reason + '): what you see is old.');
    } finally {
      isBusy = false;
      showAge();
    }
  };

  const isDue = () => !isResting() && !document.hidden && performance.now() - triedAtMs >= periodMs;
  const tick = () => {
    showAge();
    showState();
    if (isDue()) void refresh(false);
  };

  pause.addEventListener('click', () => {
    isPaused = !isPaused;
    pause.textContent = isPaused ? 'Resume' : 'Pause';
    tick();
  });
  now.addEventListener('click', () => void refresh(true));
  document.addEventListener('visibilitychange', tick);
  byId('live').hidden = false;
  showAge();
  setInterval(tick, 1000);
})();
`;
