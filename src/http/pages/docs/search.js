/**
 * The search: fetches the index (`src/http/docs/search-index.ts`) when it is first used, and searches it in the
 * browser.
 */
import { base, element, part } from './frame.js';
import { inEnglish } from './japanese.js';

const resultsMax = 20;
/** Keeps one long page from filling the list. */
const resultsPerPageMax = 4;
/** Characters; in a longer text a word must occur more often to rank as high. */
const longText = 1_000;
/** Length of the text shown around the first word found. */
const snippetCharacters = 140;

let index;

/** `[{page, anchor, heading, text}]` with `folded` copies to search. */
async function fetchIndex() {
  const { pages, parts } = await (await fetch(`${base}/docs/search.json`)).json();
  return parts.map(([page, anchor, heading, text]) => ({
    ...pages[page],
    anchor,
    heading,
    text,
    folded: { title: fold(pages[page].title), heading: fold(heading), text: fold(text) },
  }));
}

/** Treats full and half width, and upper and lower case, as equal. */
function fold(text) {
  return text.normalize('NFKC').toLowerCase();
}

/**
 * Every word must be found. A match ranks higher in a heading than in text, at the beginning of a word than within, and
 * if it is frequent in a short text.
 */
function find(entries, query) {
  const words = inEnglish(fold(query)).split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const ofPage = new Map();
  return entries
    .map((entry) => ({ ...entry, words, worth: worthOf(entry, words) }))
    .filter(({ worth }) => worth > 0)
    .sort((left, right) => right.worth - left.worth)
    .filter(({ path }) => {
      const count = (ofPage.get(path) ?? 0) + 1;
      ofPage.set(path, count);
      return count <= resultsPerPageMax;
    })
    .slice(0, resultsMax);
}

function worthOf({ folded, anchor }, words) {
  let sum = 0;
  for (const word of words) {
    const worth =
      8 * inText(folded.heading, word) +
      (anchor === '' ? 0 : 3) * inText(folded.title, word) +
      inText(folded.text, word);
    if (worth === 0) return 0;
    sum += worth;
  }
  return sum + (folded.heading === words.join(' ') ? 8 : 0);
}

/** From 0 to 2. */
function inText(text, word) {
  const at = text.indexOf(word);
  if (at < 0) return 0;
  const count = text.split(word).length - 1;
  const isBeginning = at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1]);
  return ((isBeginning ? 2 : 1) * count) / (count + 0.5 + text.length / longText);
}

export function prepareSearch() {
  const search = part('searchBox');
  const field = search.querySelector('input');
  const found = part('searchResults');
  search.hidden = false;

  // An answer that comes after the list was closed must not open it again.
  let isOpen = false;
  const close = () => {
    isOpen = false;
    found.hidden = true;
  };
  const show = async () => {
    const query = field.value;
    isOpen = true;
    index ??= fetchIndex();
    let entries;
    try {
      entries = await index;
    } catch {
      index = undefined;
      found.hidden = false;
      found.replaceChildren(element('p', { class: 'wrong' }, 'The index could not be loaded. Type again to retry.'));
      return;
    }
    if (field.value !== query || !isOpen) return;
    const results = find(entries, query);
    found.hidden = query.trim() === '';
    found.replaceChildren(
      results.length === 0
        ? element('p', { class: 'quiet' }, 'Nothing found. Try a single word, a setting, or a code.')
        : element('ul', {}, ...results.map(itemOf)),
    );
    part('searchCount').textContent = found.hidden ? '' : `${results.length} found`;
  };

  field.addEventListener('input', show);
  field.addEventListener('focus', () => {
    if (field.value.trim() !== '') show();
  });
  search.addEventListener('keydown', (event) => {
    if (event.isComposing) return;
    if (event.key === 'Escape') {
      field.focus();
      close();
    }
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp' && event.key !== 'Enter') return;
    const links = [...found.querySelectorAll('a')];
    const at = links.indexOf(document.activeElement);
    if (event.key === 'Enter') {
      if (at < 0) links[0]?.click();
      return;
    }
    event.preventDefault();
    (links[at + (event.key === 'ArrowDown' ? 1 : -1)] ?? field).focus();
  });
  search.addEventListener('focusout', ({ relatedTarget }) => {
    if (!search.contains(relatedTarget)) close();
  });
  found.addEventListener('click', close);
  document.addEventListener('keydown', (event) => {
    const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement?.tagName ?? '');
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    field.focus();
  });
}

function itemOf({ path, title, anchor, heading, text, folded, words }) {
  const href = `${base}/docs${path === '' ? '' : `/${path}`}${anchor === '' ? '' : `#${anchor}`}`;
  const name = heading === '' || heading === title ? title : `${title} › ${heading}`;
  const first = Math.min(...words.map((word) => folded.text.indexOf(word)).filter((at) => at >= 0));
  // Start at the beginning of a word.
  const from = Number.isFinite(first) ? text.lastIndexOf(' ', Math.max(0, first - snippetCharacters / 3)) + 1 : 0;
  const snippet = text.slice(from, from + snippetCharacters);
  return element(
    'li',
    {},
    element(
      'a',
      { href },
      element('b', {}, ...marked(name, words)),
      element('span', {}, from > 0 ? '… ' : '', ...marked(snippet, words)),
    ),
  );
}

/** The text with the words searched for as `mark` elements. */
function marked(text, words) {
  const pattern = new RegExp(`(${words.map(escaped).join('|')})`, 'iu');
  return text.split(pattern).map((piece, at) => (at % 2 === 1 ? element('mark', {}, piece) : piece));
}

/** Escapes only these characters, because a pattern with the flag `u` permits no others. */
function escaped(word) {
  return word.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
