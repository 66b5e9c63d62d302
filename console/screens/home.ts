/** The home of what is chosen: the companies, the applications of a company, or the versions of an application. */
import { call, type Results } from '../api.ts';
import { Badge, Empty, Screen } from '../components/basics.ts';
import { List } from '../components/list.ts';
import type { VNode } from '../h.ts';
import { h } from '../h.ts';
import { words } from '../preferences.ts';
import { go, type Place } from '../route.ts';

type Company = Results<'GET /companies'>[number];
type Application = Results<'GET /companies/:companyId/applications'>[number];
type Version = Results<'GET /companies/:companyId/applications/:appId/versions'>[number];

export default function Home({ place }: { place: Place }): VNode {
  if (place.companyId === null) return h(Companies, {});
  if (place.appId === null) return h(Applications, { companyId: place.companyId });
  return h(Versions, { companyId: place.companyId, appId: place.appId });
}

function Companies(): VNode {
  const texts = words().tenant;
  return h(
    Screen,
    { title: words().navigation.companies, what: words().home.companies },
    h(List<Company>, {
      label: words().navigation.companies,
      columns: [
        { heading: texts.company, cell: ({ name }) => name, sort: 'name' },
        { heading: texts.number, cell: ({ id }) => id, sort: 'id', isNumber: true },
        { heading: texts.state, cell: Disabled },
      ],
      ask: (query, signal) => call('GET /companies', { query }, signal),
      rowKey: ({ id }) => id,
      onOpen: ({ id }) => go({ companyId: id, appId: null, version: null }),
      empty: h(Empty, { title: words().home.noCompany }, h('code', null, 'npx rowhouse company add --name "Acme Ltd"')),
    }),
  );
}

function Applications({ companyId }: { companyId: number }): VNode {
  const texts = words().tenant;
  return h(
    Screen,
    { title: words().navigation.applications, what: words().home.applications },
    h(List<Application>, {
      label: words().navigation.applications,
      columns: [
        { heading: texts.application, cell: ({ name, appId }) => name || appId, sort: 'name' },
        { heading: texts.id, cell: ({ appId }) => appId, sort: 'appId', isMono: true },
        { heading: texts.state, cell: Disabled },
      ],
      ask: (query, signal) => call('GET /companies/:companyId/applications', { params: { companyId }, query }, signal),
      rowKey: ({ appId }) => appId,
      onOpen: ({ appId }) => go({ companyId, appId, version: null }),
      empty: h(
        Empty,
        { title: words().home.noApplication },
        h('code', null, `npx rowhouse app add --company ${companyId} --app crm --name Customers`),
      ),
    }),
  );
}

function Versions({ companyId, appId }: { companyId: number; appId: string }): VNode {
  const texts = words().tenant;
  return h(
    Screen,
    { title: `${words().navigation.versions}: ${appId}`, what: words().home.versions },
    h(List<Version>, {
      label: words().navigation.versions,
      columns: [
        { heading: texts.version, cell: ({ version }) => version, sort: 'version' },
        { heading: texts.development, cell: ({ development }) => (development ? words().yes : words().no) },
        { heading: texts.state, cell: Disabled },
      ],
      ask: (query, signal) =>
        call('GET /companies/:companyId/applications/:appId/versions', { params: { companyId, appId }, query }, signal),
      rowKey: ({ version }) => version,
      onOpen: ({ version }) => go({ companyId, appId, version }),
      empty: h(
        Empty,
        { title: words().home.noVersion },
        h('code', null, `npx rowhouse version add --company ${companyId} --app ${appId} --version 1.0.0`),
      ),
    }),
  );
}

function Disabled({ disabled }: { readonly disabled: boolean }): VNode {
  const texts = words().users;
  return disabled ? h(Badge, { tone: 'warning' }, texts.isDisabled) : h('span', null, texts.isEnabled);
}
