/** The bar of every page of the documentation: theme, list of pages, and what the others share. */

/** The context root. */
export const base = document.body.dataset.base;

/** As `demo` of `page.json` (`../service.js`). */
export const demo = JSON.parse(document.body.dataset.demo);

/** The element with the id. */
export const part = (id) => document.getElementById(id);

/** What is kept in this browser; one that refuses its storage keeps nothing. */
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
      // Then it holds for this page only.
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

/** Says it to those who listen. */
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
  // The list scrolls by itself, to the page that is shown.
  const current = pages.querySelector('[aria-current]');
  if (current !== null) pages.scrollTop = current.offsetTop - pages.clientHeight / 2;
}
