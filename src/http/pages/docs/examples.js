/**
 * Examples that can be copied and run: fills in this service's address, and the reader's application instead of the
 * demo's.
 */
import { base, demo, element, kept, part, tell } from './frame.js';

const address = location.origin + base;

/** The application that the sources name. */
const written = { companyId: '1', appId: 'sampleApp', appVersion: '1.0.0' };
const writtenAddress = /http:\/\/(?:127\.0\.0\.1|localhost):8080(?!\d)/g;
const isFilled = /^(?:sh|js|http)$/;

/** @param application `{companyId, appId, appVersion}` */
function fill(text, application, isDemo) {
  const { companyId, appId, appVersion } = application;
  const prefix = pathOf(application);
  return (isDemo ? text : text.replaceAll(/\$\(npx rowhouse demo token \w+\)/g, () => '$TOKEN'))
    .replaceAll(writtenAddress, address)
    .replaceAll(pathOf(written), prefix)
    .replaceAll('{prefix}', base + prefix)
    .replaceAll(
      `companyId: ${written.companyId}, appId: '${written.appId}', appVersion: '${written.appVersion}'`,
      `companyId: ${companyId}, appId: '${appId}', appVersion: '${appVersion}'`,
    )
    .replaceAll(/npx rowhouse demo token \w+/g, (command) => `${command} --url ${address}`);
}

function pathOf({ companyId, appId, appVersion }) {
  return `/api/${companyId}/${appId}/${appVersion.replaceAll('.', '_')}`;
}

export function prepareExamples() {
  const blocks = [...document.querySelectorAll('article pre > code')].map((code) => {
    const source = code.textContent;
    return { code, source, language: code.dataset.language };
  });
  for (const code of document.querySelectorAll('article :not(pre) > code')) {
    code.textContent = code.textContent.replaceAll(writtenAddress, address);
  }
  const isDemo = demo !== null;
  const show = (application) => {
    for (const { code, source, language } of blocks) {
      if (isFilled.test(language)) code.textContent = fill(source, application, isDemo);
    }
    part('exampleTarget').textContent = address + pathOf(application);
  };
  const namesApplication = blocks.some(
    ({ source, language }) =>
      isFilled.test(language) && (source.includes(written.appId) || source.includes('{prefix}')),
  );
  const chosen = JSON.parse(kept.get('examples') ?? 'null');
  show(chosen ?? written);
  if (namesApplication) prepareForm(chosen, show);
  part('noDemo').hidden = isDemo;
  part('exampleForm').open = !isDemo && chosen === null;
  for (const { code, language } of blocks) addButtons(code, language, isDemo);
}

function prepareForm(chosen, show) {
  const details = part('exampleForm');
  const form = details.querySelector('form');
  const put = (application) => {
    for (const [name, value] of Object.entries(application)) form.elements[name].value = value;
  };
  details.hidden = false;
  put(chosen ?? written);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const application = Object.fromEntries(new FormData(form));
    kept.set('examples', JSON.stringify(application));
    show(application);
    tell('The examples use your application.');
  });
  form.addEventListener('reset', (event) => {
    event.preventDefault();
    kept.set('examples', 'null');
    put(written);
    show(written);
    tell('The examples are as written.');
  });
}

function addButtons(code, language, isDemo) {
  const buttons = element('div', { class: 'buttons' });
  const add = (name, textOf) => {
    const button = element('button', { type: 'button' }, name);
    button.addEventListener('click', () => copy(textOf(), code, button));
    buttons.append(button);
  };
  if (language === 'http' && curlOf(code.textContent) !== null) {
    add('Copy as curl', () => (isDemo ? withToken(curlOf(code.textContent)) : curlOf(code.textContent)));
  }
  add('Copy', () => code.textContent);
  code.closest('.code').append(buttons);
}

/** The request of a block as a command for a POSIX shell, with the token from `$TOKEN`; null if it is not a request. */
function curlOf(text) {
  const [head, ...body] = text.split('\n\n');
  const [first, ...headers] = head.split('\n');
  const [, method, path] = /^(GET|POST|PUT|PATCH|DELETE) (\/\S*)$/.exec(first) ?? [];
  if (method === undefined) return null;
  const isOwn = path.startsWith(`${base}/`);
  const parts = [
    `curl -s${method === 'GET' ? '' : ` -X ${method}`} ${quoted((isOwn ? location.origin : address) + path)}`,
  ];
  for (const header of headers) {
    parts.push(header.startsWith('service-token:') ? '-H "service-token: $TOKEN"' : `-H ${quoted(header)}`);
  }
  if (body.length > 0) parts.push(`-d ${quoted(body.join('\n\n'))}`);
  return parts.join(' \\\n  ');
}

function withToken(command) {
  return command.includes('$TOKEN') ? `TOKEN=$(npx rowhouse demo token alice --url ${address})\n${command}` : command;
}

function quoted(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

async function copy(text, code, button) {
  const name = button.textContent;
  try {
    await write(text, code);
    button.textContent = 'Copied';
    tell('Copied.');
  } catch {
    button.textContent = 'Not allowed';
    tell('The browser does not allow to copy. Select the text instead.');
  }
  setTimeout(() => {
    button.textContent = name;
  }, 2_000);
}

/** Browsers offer the clipboard only on https and on the same machine; elsewhere a selection is copied. */
async function write(text, code) {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  const field = element('textarea', { 'aria-hidden': 'true' });
  field.value = text;
  code.after(field);
  field.select();
  const isDone = document.execCommand('copy');
  field.remove();
  if (!isDone) throw new Error('refused');
}
