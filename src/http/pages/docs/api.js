/**
 * The API reference: shows one of the OpenAPI documents in Swagger UI. A token stays in this page. A link may name the
 * document: `?interface=version&companyId=1&appId=crm&appVersion=1.0.0`, or `?interface=administration`.
 */
import { base, demo, element, kept, part, prepareFrame } from './frame.js';
import { prepareSearch } from './search.js';

prepareFrame();
prepareSearch();

const names = ['companyId', 'appId', 'appVersion'];
const form = part('which');
const fields = form.elements;
const application = JSON.parse(kept.get('examples') ?? 'null') ?? { ...demo, companyId: demo?.companies[0].id };
const asked = new URLSearchParams(location.search);
for (const name of names) fields[name].value = asked.get(name) ?? application[name] ?? '';
fields.which.value = asked.get('interface');
if (fields.which.value === '') fields.which.value = 'client';

form.addEventListener('change', ({ target }) => {
  if (target.name === 'which') show().catch(tell);
});
form.addEventListener('submit', (event) => {
  event.preventDefault();
  show().catch(tell);
});
const dark = matchMedia('(prefers-color-scheme: dark)');
dark.addEventListener('change', shade);
part('themeChoice').addEventListener('change', shade);
shade();
await show().catch(tell);

/** The viewer has its own class for the dark theme. */
function shade() {
  const { classList, dataset } = document.documentElement;
  classList.toggle('dark-mode', dataset.theme === 'dark' || (dataset.theme === undefined && dark.matches));
}

async function show() {
  const which = fields.which.value;
  part('version').hidden = which !== 'version';
  part('problem').textContent = '';
  const token = fields.token.value.trim();
  const [companyId, appId, appVersion] = names.map((name) => encodeURIComponent(fields[name].value.trim()));
  if (which === 'version' && [token, companyId, appId, appVersion].includes('')) return;
  const addresses = {
    client: `${base}/openapi.json`,
    version: `${base}/api/${companyId}/${appId}/${appVersion.replaceAll('.', '_')}/openapi.json`,
    administration: `${base}/admin/api/openapi.json`,
  };
  part('document').textContent = addresses[which];
  part('document').href = addresses[which];
  const response = await fetch(addresses[which], which === 'version' ? { headers: { 'service-token': token } } : {});
  const spec = await response.json();
  if (spec.openapi === undefined) throw new Error(`${spec.description} (code ${spec.errCode})`);
  const place = element('div', {});
  part('viewer').replaceChildren(place);
  // The viewer nests its own `main` in that of the page, and has a select without a name.
  new MutationObserver(() => {
    place.querySelector('main')?.setAttribute('role', 'group');
    place.querySelector('#servers')?.setAttribute('aria-label', 'Server');
  }).observe(place, { childList: true, subtree: true });
  const viewer = globalThis.SwaggerUIBundle({
    spec,
    domNode: place,
    deepLinking: true,
    filter: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    // The session of the administration is a cookie, which the browser sends by itself: so the viewer only shows it.
    supportedSubmitMethods: which === 'administration' ? ['get'] : ['get', 'post', 'put', 'delete'],
    // Otherwise the viewer would send the document to a service of its vendor.
    validatorUrl: null,
    onComplete: () => {
      if (which === 'version') viewer.preauthorizeApiKey('token', token);
    },
  });
}

function tell(error) {
  part('problem').textContent = error instanceof Error ? error.message : String(error);
}
