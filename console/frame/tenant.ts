/**
 * The tenant switcher: company, application, version. The service searches the companies; only matches are loaded,
 * never all.
 */
import { useEffect, useId, useState } from 'preact/hooks';
import { call } from '../api.ts';
import { Problem, useAsked, Waiting } from '../components/asked.ts';
import { Badge, Button } from '../components/basics.ts';
import { Dialog } from '../components/dialog.ts';
import { Icon } from '../components/icon.ts';
import type { VNode } from '../h.ts';
import { h } from '../h.ts';
import { words } from '../preferences.ts';
import { go, nowhere, place, type Tenant } from '../route.ts';
import { me } from '../session.ts';

interface Choice {
  readonly id: string;
  readonly name: string;
  readonly isDisabled: boolean;
  readonly tenant: Tenant;
}

/** How many are offered; typing more of the name finds others. */
const offeredMax = 20;

export function TenantSwitcher(): VNode {
  const [isOpen, setOpen] = useState(false);
  const { companyId, appId, version } = place.value;
  const own = me.value?.companyId;
  useEffect(() => {
    // A user of a company has no other company to choose.
    if (own !== undefined && companyId === null)
      go({ ...nowhere, companyId: own, screen: place.peek().screen }, { replace: true });
  }, [own, companyId]);
  const company = useAsked(
    async () => (await call('GET /companies/:companyId', { params: { companyId: companyId as number } })).results,
    [companyId],
  );
  const name = companyId === null ? words().tenant.choose : (company.value?.name ?? String(companyId));
  const text = [name, appId, version].filter((part) => part !== null).join(' / ');
  return h(
    'span',
    { class: 'shrinks' },
    h(
      Button,
      { onClick: () => setOpen(true), expanded: isOpen, label: `${words().tenant.choose}: ${text}` },
      h('span', null, text),
      h(Icon, { name: 'down' }),
    ),
    isOpen && h(Chooser, { onClose: () => setOpen(false) }),
  );
}

function Chooser({ onClose }: { onClose: () => void }): VNode {
  const here = place.value;
  const [chosen, setChosen] = useState<Tenant>(() =>
    here.appId === null ? (me.peek()?.companyId === undefined ? nowhere : here) : { ...here, version: null },
  );
  const [search, setSearch] = useState('');
  const [active, setActive] = useState(0);
  const id = useId();
  const texts = words().tenant;
  const title =
    chosen.companyId === null ? texts.choose : chosen.appId === null ? texts.chooseApplication : texts.chooseVersion;
  const asked = useAsked(
    async (signal) => ({ chosen, search, found: await choices(chosen, search, signal) }),
    [chosen, search],
  );
  const offered = asked.value?.found ?? [];
  /** Whether the offered entries match the present text. */
  const isFresh = asked.value?.chosen === chosen && asked.value.search === search;
  const [isEntered, setEntered] = useState(false);
  useEffect(() => {
    if (!isEntered || !isFresh) return;
    setEntered(false);
    choose(offered[active]);
  }, [isEntered, isFresh]);
  const choose = (choice: Choice | undefined) => {
    if (choice === undefined) return;
    setSearch('');
    setActive(0);
    const { tenant } = choice;
    go({ ...tenant, screen: staying(tenant) });
    if (tenant.version !== null) return onClose();
    setChosen(tenant);
  };
  const step = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (event.key === 'Enter') {
      event.preventDefault();
      setEntered(true);
    }
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (by === 0 || offered.length === 0) return;
    event.preventDefault();
    setActive((active + by + offered.length) % offered.length);
  };
  return h(
    Dialog,
    { title, onClose },
    h(
      'div',
      { class: 'toolbar' },
      steps(chosen).map(([text, tenant]) => h(Button, { key: text, onClick: () => setChosen(tenant) }, text)),
    ),
    h('input', {
      class: 'input',
      type: 'search',
      role: 'combobox',
      autofocus: true,
      value: search,
      placeholder: texts.find,
      'aria-label': texts.find,
      'aria-expanded': true,
      'aria-controls': `${id}-list`,
      'aria-activedescendant': offered.length === 0 ? '' : `${id}-${active}`,
      onInput: ({ currentTarget }) => {
        setSearch(currentTarget.value);
        setActive(0);
        setEntered(false);
      },
      onKeyDown: step,
    }),
    asked.error !== null && h(Problem, { error: asked.error, again: asked.again }),
    asked.value === null && asked.error === null && h(Waiting, {}),
    h(
      'ul',
      { class: 'switcher-list', role: 'listbox', id: `${id}-list`, 'aria-label': title },
      offered.map((choice, index) =>
        h(
          'li',
          {
            key: choice.id,
            id: `${id}-${index}`,
            role: 'option',
            'aria-selected': index === active,
            onClick: () => choose(choice),
          },
          h('span', null, choice.name),
          h(
            'span',
            { class: 'quiet' },
            choice.isDisabled && h(Badge, { tone: 'warning' }, texts.disabled),
            ' ',
            choice.id,
          ),
        ),
      ),
    ),
    asked.value !== null && offered.length === 0 && h('p', { class: 'quiet' }, words().nothingFound),
  );
}

/** The path to the level being chosen. */
function steps({ companyId, appId }: Tenant): readonly (readonly [string, Tenant])[] {
  const isBound = me.value?.companyId !== undefined;
  return [
    ...(companyId === null || isBound ? [] : [[`${words().tenant.company} ${companyId}`, nowhere] as const]),
    ...(appId === null ? [] : [[appId, { companyId, appId: null, version: null }] as const]),
  ];
}

/** Keeps the screen if the new tenant also has it. */
function staying(tenant: Tenant): string {
  const { screen, version, appId } = place.peek();
  const isDeep = version !== null ? tenant.version !== null : appId !== null ? tenant.appId !== null : true;
  return isDeep ? screen : '';
}

async function choices({ companyId, appId }: Tenant, search: string, signal: AbortSignal): Promise<Choice[]> {
  const query = { limit: offeredMax, ...(search.trim() === '' ? {} : { search: search.trim() }) };
  if (companyId === null) {
    const byId = /^[1-9]\d{0,8}$/.test(search.trim()) ? { limit: 1, id: search.trim() } : null;
    const [named, numbered] = await Promise.all([
      call('GET /companies', { query }, signal),
      byId && call('GET /companies', { query: byId }, signal),
    ]);
    const first = numbered?.results ?? [];
    const others = named.results.filter(({ id }) => id !== first[0]?.id);
    return [...first, ...others].map(({ id, name, disabled }) => ({
      id: String(id),
      name,
      isDisabled: disabled,
      tenant: { companyId: id, appId: null, version: null },
    }));
  }
  if (appId === null) {
    const { results } = await call('GET /companies/:companyId/applications', { params: { companyId }, query }, signal);
    return results.map((app) => ({
      id: app.appId,
      name: app.name,
      isDisabled: app.disabled,
      tenant: { companyId, appId: app.appId, version: null },
    }));
  }
  const params = { companyId, appId };
  const { results } = await call('GET /companies/:companyId/applications/:appId/versions', { params, query }, signal);
  return results.map(({ version, disabled }) => ({
    id: version,
    name: version,
    isDisabled: disabled,
    tenant: { companyId, appId, version },
  }));
}
