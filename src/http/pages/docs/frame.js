/** The bar of every page of the documentation: theme, list of pages, and functions shared by the other scripts. */

/** The context root. */
export const base = document.body.dataset.base;

/** As `demo` of `page.json` (`../service.js`). */
export const demo = JSON.parse(document.body.dataset.demo);

/** The element with the id. */
export const part = (id) => document.getElementById(id);

/** Values stored in this browser; nothing is stored if the browser refuses. */
export const kept = {
  get(name) {
    try {
      return localStorage.getItem(`rowhouse.${name}`);
    } catch {
      return null;
    }
  },
  set(name, value) {
    try {
      localStorage.setItem(`rowhouse.${name}`, value);
    } catch {
      // The value then applies to this page only.
    }
  },
};

/** @param children elements and texts */
export function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** Announces the text to screen readers. */
export function tell(text) {
  part('statusText').textContent = text;
}

export function prepareFrame() {
  const theme = part('themeChoice');
  theme.hidden = false;
  theme.value = document.documentElement.dataset.theme ?? 'system';
  theme.addEventListener('change', () => {
    kept.set('theme', theme.value);
    const { dataset } = document.documentElement;
    if (theme.value === 'system') delete dataset.theme;
    else dataset.theme = theme.value;
  });
  const [menu, pages] = [part('pageMenu'), part('pageList')];
  if (pages === null) return;
  menu.hidden = false;
  menu.addEventListener('click', () => {
    const isOpen = pages.classList.toggle('open');
    menu.setAttribute('aria-expanded', String(isOpen));
  });
  // Scrolls the list to the page that is shown.
  const current = pages.querySelector('[aria-current]');
  if (current !== null) pages.scrollTop = current.offsetTop - pages.clientHeight / 2;
}
