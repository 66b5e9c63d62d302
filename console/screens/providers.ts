/** Sign-in to an application: its identity providers, and the clients that it has registered with them. */
import { useState } from 'preact/hooks';
import { call, type Results } from '../api.ts';
import { Empty } from '../components/basics.ts';
import { DangerButton } from '../components/danger.ts';
import { Drawer, type Ends, Entries } from '../components/entries.ts';
import { SelectField, TextField } from '../components/fields.ts';
import { ChangeForm } from '../components/form.ts';
import { tell } from '../components/toasts.ts';
import type { VNode } from '../h.ts';
import { h } from '../h.ts';
import { words } from '../preferences.ts';
import type { Place } from '../route.ts';
import { may } from '../session.ts';
import { Clients } from './clients.ts';

type Provider = Results<'GET /companies/:companyId/applications/:appId/providers/:provider'>;
type Policy = NonNullable<Provider['accountPolicy']>;

const path = '/companies/:companyId/applications/:appId/providers';

interface Params {
  readonly companyId: number;
  readonly appId: string;
}

export default function Providers({ place }: { place: Place }): VNode {
  const texts = words().providers;
  const params = { companyId: place.companyId as number, appId: place.appId as string };
  return h(Entries<Provider>, {
    place,
    title: texts.title,
    what: texts.what,
    columns: [
      { heading: words().name, cell: ({ name }) => name, sort: 'name' },
      { heading: texts.issuer, cell: ({ issuer }) => issuer, sort: 'issuer', isMono: true },
      { heading: texts.scopes, cell: ({ scopes }) => scopes, isMono: true },
      { heading: texts.policy, cell: ({ accountPolicy }) => texts.policies[accountPolicy ?? 'asApplication'] },
    ],
    ask: (query, signal) => call(`GET ${path}`, { params, query }, signal),
    rowKey: ({ name }) => name,
    empty: h(Empty, { title: texts.none }, h('p', null, texts.noneAdvice)),
    add: may.value('provider.change')
      ? { text: texts.add, form: (onDone) => h(ProviderForm, { params, provider: null, onDone }) }
      : undefined,
    opened: (provider, ends) => h(ProviderDrawer, { params, provider, ...ends }),
  });
}

function ProviderDrawer({ params, provider, onClose, onDone }: Ends & { params: Params; provider: string }): VNode {
  const texts = words().providers;
  const of = { ...params, provider };
  const remove = async ({ revision }: Provider) => {
    await call(`DELETE ${path}/:provider`, { params: of, query: { revision } });
    tell(words().removed(provider));
    onDone();
  };
  return h(Drawer<Provider>, {
    title: () => provider,
    ask: (signal) => call(`GET ${path}/:provider`, { params: of }, signal),
    by: [provider],
    onClose,
    children: (found, onReload) => [
      h(Clients, { params: of }),
      h('h3', null, texts.provider),
      h(ProviderForm, { key: found.revision, params, provider: found, onDone, onReload }),
      may.value('provider.change') &&
        h(DangerButton, {
          action: texts.remove,
          name: provider,
          onConfirm: () => remove(found),
          children: texts.removeWhat(provider),
        }),
    ],
  });
}

interface ProviderFormProps {
  readonly params: Params;
  /** Null for a new one. */
  readonly provider: Provider | null;
  /** `opens`: a new provider, which needs a client next. */
  readonly onDone: (opens?: string) => void;
  readonly onReload?: () => void;
}

function ProviderForm({ params, provider, onDone, onReload }: ProviderFormProps): VNode {
  const texts = words().providers;
  const [name, setName] = useState('idp');
  const [issuer, setIssuer] = useState(provider?.issuer ?? '');
  const [scopes, setScopes] = useState(provider?.scopes ?? 'openid email');
  const [policy, setPolicy] = useState<Policy | ''>(provider?.accountPolicy ?? '');
  const [mapping, setMapping] = useState(() => JSON.stringify(provider?.claimMapping ?? {}, null, 2));
  const isMapping = isJson(mapping);
  const save = async () => {
    if (!isMapping) throw new Error(texts.mappingFault);
    const body = { issuer, scopes, accountPolicy: policy === '' ? null : policy, claimMapping: JSON.parse(mapping) };
    if (provider === null) await call(`POST ${path}`, { params, body: { ...body, name } });
    else {
      const { revision } = provider;
      const of = { ...params, provider: provider.name };
      await call(`PUT ${path}/:provider`, { params: of, body: { ...body, revision } });
    }
  };
  return h(
    ChangeForm,
    {
      isNew: provider === null,
      mayChange: may.value('provider.change'),
      save,
      onDone: () => onDone(provider === null ? name : undefined),
      onReload,
    },
    provider === null &&
      h(TextField, {
        label: words().name,
        hint: texts.nameHint,
        value: name,
        onInput: setName,
        required: true,
        autocomplete: 'off',
        autofocus: true,
      }),
    h(TextField, {
      label: texts.issuer,
      hint: texts.issuerHint,
      value: issuer,
      onInput: setIssuer,
      required: true,
      isCode: true,
      autocomplete: 'off',
    }),
    h(TextField, { label: texts.scopes, hint: texts.scopesHint, value: scopes, onInput: setScopes, isCode: true }),
    h(SelectField<Policy | ''>, {
      label: texts.policy,
      value: policy,
      options: [
        ['', texts.policies.asApplication],
        ['refuse', texts.policies.refuse],
        ['create', texts.policies.create],
      ],
      onChange: setPolicy,
    }),
    h(TextField, {
      label: texts.mapping,
      hint: texts.mappingHint,
      fault: isMapping ? null : texts.mappingFault,
      value: mapping,
      onInput: setMapping,
      isCode: true,
      rows: 5,
    }),
  );
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
