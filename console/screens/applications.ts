/** The applications of a company: added, changed, given another key. */
import { useState } from 'preact/hooks';
import { call, type Results } from '../api.ts';
import { Problem } from '../components/asked.ts';
import { Empty, Note, State } from '../components/basics.ts';
import { useGroups, useRoles } from '../components/choices.ts';
import { Code } from '../components/code.ts';
import { DangerButton } from '../components/danger.ts';
import { Drawer, type Ends, Entries } from '../components/entries.ts';
import { CheckField, CheckList, SelectField, TextField } from '../components/fields.ts';
import { ChangeForm, Form } from '../components/form.ts';
import type { VNode } from '../h.ts';
import { h } from '../h.ts';
import { words } from '../preferences.ts';
import { linkTo, type Place } from '../route.ts';
import { may } from '../session.ts';

type Application = Results<'GET /companies/:companyId/applications/:appId'>;
type Policy = Application['accountPolicy'];

export default function Applications({ place }: { place: Place }): VNode {
  const texts = words().applications;
  const companyId = place.companyId as number;
  return h(Entries<Application>, {
    place,
    title: texts.title,
    what: texts.what,
    columns: [
      { heading: words().name, cell: ({ name, appId }) => name || appId, sort: 'name' },
      { heading: texts.id, cell: ({ appId }) => appId, sort: 'appId', isMono: true },
      { heading: texts.accounts, cell: ({ accountPolicy }) => texts.policies[accountPolicy] },
      { heading: texts.passwords, cell: ({ localAccounts }) => (localAccounts ? words().yes : words().no) },
      { heading: words().state, cell: State },
    ],
    ask: (query, signal) => call('GET /companies/:companyId/applications', { params: { companyId }, query }, signal),
    rowKey: ({ appId }) => appId,
    leadsTo: ({ appId }) => linkTo({ companyId, appId, version: null }),
    nameOf: ({ name, appId }) => name || appId,
    empty: h(Empty, { title: texts.none }, h('p', null, texts.noneAdvice)),
    add: may.value('application.create')
      ? { text: texts.add, form: (onDone) => h(NewApplication, { companyId, onDone }) }
      : undefined,
    opened: (appId, ends) => h(ApplicationDrawer, { companyId, appId, ...ends }),
  });
}

/** First the form, then the new key. */
function NewApplication({ companyId, onDone }: { companyId: number; onDone: () => void }): VNode {
  const [appKey, setAppKey] = useState<string | null>(null);
  if (appKey !== null) return h(KeyShown, { appKey, onDone });
  return h(ApplicationForm, { companyId, application: null, onDone: () => {}, onKey: setAppKey });
}

function KeyShown({ appKey, onDone }: { appKey: string; onDone: () => void }): VNode {
  const texts = words().applications;
  return h(
    Form,
    { action: texts.keyNoted, onSubmit: async () => onDone() },
    h(Note, { tone: 'warning' }, texts.keyOnce),
    h(Code, { text: appKey }),
  );
}

function ApplicationDrawer({ companyId, appId, onClose, onDone }: Ends & { companyId: number; appId: string }): VNode {
  const texts = words().applications;
  const [appKey, setAppKey] = useState<string | null>(null);
  const params = { companyId, appId };
  const replaceKey = async ({ revision }: Application) => {
    const path = 'POST /companies/:companyId/applications/:appId/key';
    setAppKey((await call(path, { params, body: { revision } })).results.appKey);
  };
  return h(Drawer<Application>, {
    title: (found) => found?.name || appId,
    ask: (signal) => call('GET /companies/:companyId/applications/:appId', { params }, signal),
    by: [appId],
    onClose,
    children: (application, onReload) =>
      appKey !== null
        ? h(KeyShown, { appKey, onDone })
        : [
            h(ApplicationForm, { key: application.revision, companyId, application, onDone, onReload }),
            may.value('application.update') &&
              h(DangerButton, {
                action: texts.replaceKey,
                onConfirm: () => replaceKey(application),
                children: texts.replaceKeyWhat,
              }),
          ],
  });
}

interface ApplicationFormProps {
  readonly companyId: number;
  /** Null for a new one. */
  readonly application: Application | null;
  readonly onDone: () => void;
  readonly onReload?: () => void;
  /** Called with the key of a new application. */
  readonly onKey?: (appKey: string) => void;
}

function ApplicationForm({ companyId, application, onDone, onReload, onKey }: ApplicationFormProps): VNode {
  const texts = words().applications;
  const [appId, setAppId] = useState('');
  const [name, setName] = useState(application?.name ?? '');
  const [groupIds, setGroupIds] = useState<readonly number[]>(application?.groupIds ?? []);
  const [accounts, setAccounts] = useState<Accounts>(() => accountsOf(application));
  const [origins, setOrigins] = useState(application?.corsOrigins.join('\n') ?? '');
  const [disabled, setDisabled] = useState(application?.disabled ?? false);
  const groups = useGroups(companyId);
  const mayChange = may.value('application.update');
  const mayAccounts = may.value('application.accounts');
  const save = async () => {
    const corsOrigins = origins.split(/\s+/).filter((origin) => origin !== '');
    const body = { name, groupIds, corsOrigins, ...(mayAccounts ? accounts : {}) };
    if (application === null) {
      const added = await call('POST /companies/:companyId/applications', {
        params: { companyId },
        body: { ...body, appId, name: name || appId },
      });
      onKey?.(added.results.appKey);
    } else {
      const params = { companyId, appId: application.appId };
      const { revision } = application;
      await call('PUT /companies/:companyId/applications/:appId', { params, body: { ...body, disabled, revision } });
    }
  };
  return h(
    ChangeForm,
    { isNew: application === null, mayChange, save, onDone, onReload },
    application === null &&
      h(TextField, {
        label: texts.id,
        hint: texts.idHint,
        value: appId,
        onInput: setAppId,
        required: true,
        maxLength: 200,
        isCode: true,
        autocomplete: 'off',
        autofocus: true,
      }),
    h(TextField, { label: words().name, value: name, onInput: setName, maxLength: 200 }),
    groups.error !== null && h(Problem, { error: groups.error, again: groups.again }),
    h(CheckList, {
      label: texts.groups,
      hint: texts.groupsHint,
      options: (groups.value ?? []).map((group) => [group.id, group.name] as const),
      chosen: groupIds,
      onChange: setGroupIds,
    }),
    mayAccounts && h(AccountFields, { companyId, accounts, onChange: setAccounts }),
    h(TextField, {
      label: texts.origins,
      hint: texts.originsHint,
      value: origins,
      onInput: setOrigins,
      rows: 2,
      isCode: true,
    }),
    application !== null && h(CheckField, { label: texts.disable, checked: disabled, onChange: setDisabled }),
  );
}

type Accounts = Pick<
  Application,
  'accountPolicy' | 'defaultGroupId' | 'defaultRoleId' | 'localAccounts' | 'recordAccess'
>;

function accountsOf(application: Application | null): Accounts {
  const { accountPolicy, defaultGroupId, defaultRoleId, localAccounts, recordAccess } = application ?? {
    accountPolicy: 'refuse',
    defaultGroupId: null,
    defaultRoleId: null,
    localAccounts: false,
    recordAccess: 'none' as const,
  };
  return { accountPolicy, defaultGroupId, defaultRoleId, localAccounts, recordAccess };
}

interface AccountFieldsProps {
  readonly companyId: number;
  readonly accounts: Accounts;
  readonly onChange: (accounts: Accounts) => void;
}

/** Who may sign in. */
function AccountFields({ companyId, accounts, onChange }: AccountFieldsProps): (VNode | false)[] {
  const texts = words().applications;
  const groups = useGroups(companyId);
  const roles = useRoles(companyId);
  const { accountPolicy, defaultGroupId, defaultRoleId, localAccounts, recordAccess } = accounts;
  const idOf = (text: string) => (text === '' ? null : Number(text));
  return [
    roles.error !== null && h(Problem, { error: roles.error, again: roles.again }),
    h(CheckField, {
      label: texts.localAccounts,
      checked: localAccounts,
      onChange: (is) => onChange({ ...accounts, localAccounts: is }),
    }),
    h(SelectField<Policy>, {
      label: texts.policy,
      hint: texts.policyHint,
      value: accountPolicy,
      options: [
        ['refuse', texts.policies.refuse],
        ['create', texts.policies.create],
      ],
      onChange: (policy) => onChange({ ...accounts, accountPolicy: policy }),
    }),
    h(SelectField<string>, {
      label: texts.defaultGroup,
      value: String(defaultGroupId ?? ''),
      options: [['', words().nothing], ...(groups.value ?? []).map(({ id, name }) => [String(id), name] as const)],
      onChange: (text) => onChange({ ...accounts, defaultGroupId: idOf(text) }),
    }),
    h(SelectField<string>, {
      label: texts.defaultRole,
      value: String(defaultRoleId ?? ''),
      options: [
        ['', words().nothing],
        ...(roles.value ?? []).map(({ roleId, roleName }) => [String(roleId), roleName] as const),
      ],
      onChange: (text) => onChange({ ...accounts, defaultRoleId: idOf(text) }),
    }),
    h(SelectField<Accounts['recordAccess']>, {
      label: texts.recordAccess,
      hint: texts.recordAccessHint,
      value: recordAccess,
      options: [
        ['none', texts.recordAccesses.none],
        ['read', texts.recordAccesses.read],
        ['write', texts.recordAccesses.write],
      ],
      onChange: (access) => onChange({ ...accounts, recordAccess: access }),
    }),
  ];
}
