/** Functions that tests run inside a page, as `inPage`. They are added to every page before its own scripts. */
(() => {
  // Over plain http a browser has neither of them, and everything works there, too.
  delete Crypto.prototype.randomUUID;
  delete Crypto.prototype.subtle;

  /** These may scroll sideways: tables, code and pictures, which need two dimensions (WCAG 2.2, 1.4.10). */
  const mayScroll = '.table-frame, pre, .picture, textarea, input, select';
  const controls = 'a[href], button, input, select, textarea, summary, [role="option"], [tabindex="0"]';

  const named = (element) => {
    const text = element.getAttribute('aria-label') ?? element.textContent ?? '';
    return `<${element.localName} class="${element.getAttribute('class') ?? ''}"> ${text.trim().slice(0, 40)}`;
  };
  const isSeen = (element) => {
    const { width, height } = element.getBoundingClientRect();
    return element.checkVisibility({ visibilityProperty: true }) && width > 1 && height > 1;
  };
  /** The front layer: the last opened dialog, or the page. */
  const front = () => [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body;

  /** A sentence for each element that can't be fully read, or reached, at the page's present width. */
  function layoutFaults() {
    const faults = [];
    const pageWidth = document.scrollingElement.scrollWidth;
    if (pageWidth > innerWidth) faults.push(`the page is ${pageWidth} px wide`);
    for (const element of front().querySelectorAll('*')) {
      if (!isSeen(element) || element.closest('svg, option, .skip, .visually-hidden') !== null) continue;
      if (element.matches(mayScroll)) continue;
      const { overflowX, overflowY, textOverflow } = getComputedStyle(element);
      const more = element.scrollWidth - element.clientWidth;
      const isWider = more > 1 && element.clientWidth > 0;
      if (isWider && (overflowX === 'auto' || overflowX === 'scroll'))
        faults.push(`scrolls sideways: ${named(element)}`);
      if (isWider && overflowX === 'hidden' && textOverflow !== 'ellipsis') faults.push(`cut off: ${named(element)}`);
      if (overflowY === 'hidden' && element.scrollHeight - element.clientHeight > 1 && !element.matches('td, th'))
        faults.push(`cut off below: ${named(element)}`);
      const texts = overflowX === 'visible' ? boxesOfText(element) : [];
      if (element.parentElement?.closest(mayScroll) === null && isBeyondEdge(element, texts))
        faults.push(`beyond the edge: ${named(element)}`);
    }
    for (const control of front().querySelectorAll(controls)) {
      if (isSeen(control) && isCovered(control)) faults.push(`covered: ${named(control)}`);
    }
    return [...faults, ...overlaps()];
  }

  /** A sentence for each two texts of which one is drawn over the other. */
  function overlaps() {
    const elements = [...front().querySelectorAll('*')].filter(
      (element) => isSeen(element) && element.closest('option, .skip, .visually-hidden') === null,
    );
    const drawn = elements.flatMap((element) => linesOf(element).map((line) => ({ element, line })));
    drawn.sort((one, other) => one.line.top - other.line.top);
    const faults = [];
    for (const [index, { element, line }] of drawn.entries()) {
      for (let next = index + 1; next < drawn.length && drawn[next].line.top < line.bottom; next++) {
        const { element: other, line: second } = drawn[next];
        if (line.left < second.right && second.left < line.right && element !== other)
          faults.push(`drawn over each other: ${named(element)} and ${named(other)}`);
      }
    }
    return faults;
  }

  /** What is seen of the lines of text directly in an element, without the height that fonts reserve for rare glyphs. */
  function linesOf(element) {
    const lines = [...element.childNodes]
      .filter((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== '')
      .flatMap((node) => {
        const range = document.createRange();
        range.selectNodeContents(node);
        return [...range.getClientRects()];
      });
    let seen = lines.map(({ left, top, right, bottom, height }) => ({
      left: left + 1,
      top: top + height / 4,
      right: right - 1,
      bottom: bottom - height / 4,
    }));
    for (let holder = element; holder !== null; holder = holder.parentElement) {
      if (getComputedStyle(holder).overflow === 'visible') continue;
      const box = holder.getBoundingClientRect();
      seen = seen.map(({ left, top, right, bottom }) => ({
        left: Math.max(left, box.left),
        top: Math.max(top, box.top),
        right: Math.min(right, box.right),
        bottom: Math.min(bottom, box.bottom),
      }));
    }
    return seen.filter(({ left, top, right, bottom }) => left < right && top < bottom);
  }

  const isBeyondEdge = (element, texts) =>
    [element.getBoundingClientRect(), ...texts].some(({ left, right }) => left < -1 || right > innerWidth + 1);

  /** The boxes of the text directly in the element, which may be wider than the element's box. */
  function boxesOfText(element) {
    const range = document.createRange();
    const texts = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== '');
    return texts.map((node) => {
      range.selectNodeContents(node);
      return range.getBoundingClientRect();
    });
  }

  /** Whether a click on its middle hits another element. Elements scrolled out of view do not count. */
  function isCovered(control) {
    const { left, top, width, height } = control.getBoundingClientRect();
    const [x, y] = [left + width / 2, top + height / 2];
    const hit = document.elementFromPoint(x, y);
    if (hit === null || control.contains(hit) || hit.contains(control)) return false;
    const label = hit.closest('label');
    if (label?.control === control) return false;
    // Scrolled out of its container's view.
    for (let holder = control.parentElement; holder !== null; holder = holder.parentElement) {
      const box = holder.getBoundingClientRect();
      const { overflow } = getComputedStyle(holder);
      if (overflow !== 'visible' && (y < box.top || y > box.bottom || x < box.left || x > box.right)) return false;
    }
    return true;
  }

  /** The HTML of elements that stored text would have created as markup; the console itself creates none. */
  function madeOfText() {
    const foreign = 'img, iframe, object, embed, video, audio, base, meta[http-equiv], style, [data-made]';
    const elements = [...document.querySelectorAll(`${foreign}, #console script`)];
    for (const element of document.querySelectorAll('body *')) {
      const attributes = [...element.attributes];
      if (attributes.some(({ name, value }) => name.startsWith('on') || /^\s*javascript:/i.test(value)))
        elements.push(element);
    }
    return elements.map((element) => element.outerHTML.slice(0, 200));
  }

  /** Whether each of the texts stands somewhere on the page, in a field, or in JSON, as it was stored. */
  function shows(texts) {
    const fields = [...document.querySelectorAll('input, textarea, option')];
    const readable = [document.body.textContent, ...fields.map(({ value, text }) => `${value} ${text ?? ''}`)].join(
      '\n',
    );
    return texts.every((text) => readable.includes(text) || readable.includes(JSON.stringify(text).slice(1, -1)));
  }

  /** Whether two characters look different: without a font that has them, each is the same box, or nothing. */
  function drawsJapanese() {
    const [one, other] = ['日', '語'].map((character) => {
      const canvas = document.createElement('canvas');
      const context = canvas.getContext('2d');
      context.font = `40px ${getComputedStyle(document.body).fontFamily}`;
      context.fillText(character, 10, 50);
      return canvas.toDataURL();
    });
    return one !== other;
  }

  /**
   * Clicks so far. Choosing in a select counts as two, because one opens it. Typing counts as none; a click on a label
   * counts once.
   */
  let clicks = 0;
  const count = (more) => {
    clicks += more;
  };
  addEventListener('pointerdown', () => count(1), true);
  addEventListener('change', ({ target }) => count(target instanceof HTMLSelectElement ? 2 : 0), true);

  globalThis.inPage = { layoutFaults, madeOfText, shows, drawsJapanese, clicks: () => clicks, isHurt: false };
})();
