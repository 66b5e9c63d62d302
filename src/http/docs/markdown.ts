/**
 * Markdown of the documentation as HTML, and as plain text for the search: heading by heading, so that even the longest
 * page blocks no other request. HTML in a source is shown as text, except comments, which are omitted.
 */
import { Marked, Parser, type Token, type Tokens } from 'marked';
import type { Steps } from '../../time-slices.ts';
import { anchor } from './anchor.ts';

/** A heading and the content below it, up to the next heading. The first part of a page may have no heading. */
export interface Part {
  readonly depth: number;
  /** Without markup; empty where there is no heading. */
  readonly heading: string;
  readonly anchor: string;
  readonly html: string;
  /** Without markup and without blocks of code. */
  readonly text: string;
}

const marked = new Marked({
  renderer: {
    html: ({ text }) => (/^\s*<!--[\s\S]*-->\s*$/.test(text) ? '' : escapeHtml(text)),
    code: ({ text, lang = '' }) =>
      `<div class="code"><pre><code data-language="${escapeHtml(lang)}">${escapeHtml(text)}</code></pre></div>\n`,
  },
});

/** @param addressOf resolves a link of the page */
export function* partsOf(source: string, addressOf: (href: string) => string): Steps<Part[]> {
  const taken = new Map<string, number>();
  const parts: Part[] = [];
  for (const text of splitAtHeadings(source)) {
    const tokens = marked.lexer(text);
    marked.walkTokens(tokens, (token) => {
      if (token.type === 'link' || token.type === 'image') token.href = addressOf(token.href);
    });
    const [first] = tokens;
    const title = first?.type === 'heading' ? (first as Tokens.Heading) : undefined;
    const body = title === undefined ? tokens : tokens.slice(1);
    const heading = title === undefined ? '' : textOf(title.tokens);
    const id = anchorOf(heading, taken);
    parts.push({
      depth: title?.depth ?? 0,
      heading,
      anchor: id,
      html: (title === undefined ? '' : headingHtml(title, id)) + body.map(blockHtml).join(''),
      text: textOf(body).replaceAll(/\s+/g, ' ').trim(),
    });
    yield;
  }
  return parts;
}

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** A `#` within a block of code begins no heading. */
function splitAtHeadings(source: string): string[] {
  const parts: string[][] = [[]];
  let isCode = false;
  for (const line of source.split('\n')) {
    if (/^\s*```/.test(line)) isCode = !isCode;
    if (!isCode && /^#{1,6} /.test(line)) parts.push([]);
    parts.at(-1)?.push(line);
  }
  return parts.map((lines) => lines.join('\n')).filter((text) => text.trim() !== '');
}

/** Later headings with the same words get a number. */
function anchorOf(heading: string, taken: Map<string, number>): string {
  const name = anchor(heading);
  const before = taken.get(name) ?? 0;
  taken.set(name, before + 1);
  return before === 0 ? name : `${name}-${before}`;
}

function headingHtml({ depth, tokens }: Tokens.Heading, id: string): string {
  const inner = Parser.parseInline(tokens, marked.defaults);
  const link = depth === 1 ? '' : ` <a class="to" href="#${id}" aria-label="Link to this section">#</a>`;
  return `<h${depth} id="${id}">${inner}${link}</h${depth}>\n`;
}

/** A wide table scrolls in a frame of its own. */
function blockHtml(token: Token): string {
  const html = Parser.parse([token], marked.defaults);
  return token.type === 'table' ? `<div class="table">${html}</div>\n` : html;
}

function textOf(tokens: readonly Token[]): string {
  return tokens.map(tokenText).join('');
}

function tokenText(token: Token): string {
  if (token.type === 'code' || token.type === 'html') return '';
  if (token.type === 'list') return (token as Tokens.List).items.map((item) => `${textOf(item.tokens)} `).join('');
  if (token.type === 'table') {
    const { header, rows } = token as Tokens.Table;
    return [header, ...rows].flatMap((row) => row.map((cell) => `${textOf(cell.tokens)} `)).join('');
  }
  const isBlock = token.type === 'paragraph' || token.type === 'space' || token.type === 'blockquote';
  const inner =
    'tokens' in token && token.tokens !== undefined ? textOf(token.tokens) : 'text' in token ? token.text : '';
  return isBlock ? `${inner} ` : inner;
}
