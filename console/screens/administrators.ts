/** The administrators of the installation. */
import { useState } from 'preact/hooks';
import { call, type Results } from '../api.ts';
import { Empty, Facts, State } from '../components/basics.ts';
import { DangerButton } from '../components/danger.ts';
import { Drawer, type Ends, Entries } from '../components/entries.ts';
import { CheckField, TextField } from '../components/fields.ts';
import { ChangeForm, Form } from '../components/form.ts';
import { tell } from '../components/toasts.ts';
import type { VNode } from '../h.ts';
import { h } from '../h.ts';
import { words } from '../preferences.ts';
import type { Place } from '../route.ts';
import { may } from '../session.ts';

type Administrator = Results<'GET /administrators/:administratorId'>;

export default function Administrators({ place }: { place: Place }): VNode {
  const texts = words().administrators;
  const yesOrNo = (is: boolean) => (is ? words().yes : words().no);
  return h(Entries<Administrator>, {
    place,
    title: texts.title,
    what: texts.what,
    columns: [
      { heading: texts.account, cell: ({ account }) => account, sort: 'account' },
      { heading: words().name, cell: ({ name }) => name, sort: 'name' },
      { heading: texts.email, cell: ({ email }) => email, sort: 'email' },
      { heading: texts.password, cell: ({ hasPassword }) => yesOrNo(hasPassword) },
      { heading: words().state, cell: State },
    ],
    ask: (query, signal) => call('GET /administrators', { query }, signal),
    rowKey: ({ id }) => id,
    empty: h(Empty, { title: words().nothingFound }),
    add: may.value('administrator.change')
      ? { text: texts.add, form: (onDone) => h(AdministratorForm, { administrator: null, onDone }) }
      : undefined,
    opened: (administratorId, ends) => h(AdministratorDrawer, { administratorId, ...ends }),
  });
}

function AdministratorDrawer({ administratorId, onClose, onDone }: Ends & { administratorId: string }): VNode {
  const texts = words().administrators;
  const params = { administratorId };
  const relink = async ({ revision }: Administrator) => {
    await call('POST /administrators/:administratorId/relink', { params, body: { revision } });
    tell(texts.relinked);
    onDone();
  };
  return h(Drawer<Administrator>, {
    title: (found) => found?.account ?? administratorId,
    ask: (signal) => call('GET /administrators/:administratorId', { params }, signal),
    by: [administratorId],
    onClose,
    children: (administrator, onReload) => [
      h(Facts, {
        of: [
          [texts.password, administrator.hasPassword ? words().yes : words().no],
          [texts.identity, administrator.hasIdentity ? words().yes : words().no],
        ],
      }),
      h(AdministratorForm, { key: administrator.revision, administrator, onDone, onReload }),
      may.value('administrator.change') && h(PasswordForm, { administrator, onDone }),
      may.value('administrator.change') &&
        administrator.hasIdentity &&
        h(DangerButton, {
          action: texts.relink,
          onConfirm: () => relink(administrator),
          children: texts.relinkWhat(administrator.account),
        }),
    ],
  });
}

interface AdministratorFormProps {
  /** Null for a new one. */
  readonly administrator: Administrator | null;
  readonly onDone: () => void;
  readonly onReload?: () => void;
}

function AdministratorForm({ administrator, onDone, onReload }: AdministratorFormProps): VNode {
  const texts = words().administrators;
  const [account, setAccount] = useState(administrator?.account ?? '');
  const [email, setEmail] = useState(administrator?.email ?? '');
  const [name, setName] = useState(administrator?.name ?? '');
  const [password, setPassword] = useState('');
  const [disabled, setDisabled] = useState(administrator?.disabled ?? false);
  const save = async () => {
    const body = { account, name };
    if (administrator === null)
      await call('POST /administrators', {
        body: { ...body, ...(email && { email }), ...(password && { password }) },
      });
    else {
      const params = { administratorId: administrator.id };
      const changed = { ...body, email: email === '' ? null : email, disabled, revision: administrator.revision };
      await call('PUT /administrators/:administratorId', { params, body: changed });
    }
  };
  return h(
    ChangeForm,
    { isNew: administrator === null, mayChange: may.value('administrator.change'), save, onDone, onReload },
    h(TextField, {
      label: texts.account,
      value: account,
      onInput: setAccount,
      required: true,
      maxLength: 200,
      autocomplete: 'off',
      autofocus: administrator === null,
    }),
    h(TextField, { label: words().name, value: name, onInput: setName, autocomplete: 'off' }),
    h(TextField, {
      label: texts.email,
      hint: texts.emailHint,
      type: 'email',
      value: email,
      onInput: setEmail,
      autocomplete: 'off',
    }),
    administrator === null &&
      h(TextField, {
        label: texts.password,
        hint: texts.passwordHint,
        type: 'password',
        value: password,
        onInput: setPassword,
        autocomplete: 'new-password',
      }),
    administrator !== null && h(CheckField, { label: texts.disable, checked: disabled, onChange: setDisabled }),
  );
}

function PasswordForm({ administrator, onDone }: { administrator: Administrator; onDone: () => void }): VNode {
  const texts = words().administrators;
  const [password, setPassword] = useState('');
  const set = async () => {
    const params = { administratorId: administrator.id };
    const { revision } = administrator;
    await call('PUT /administrators/:administratorId/password', { params, body: { revision, password } });
    tell(words().saved);
    onDone();
  };
  return h(
    Form,
    { action: texts.setPassword, onSubmit: set },
    h('h3', null, texts.setPassword),
    h(TextField, {
      label: texts.newPassword,
      hint: texts.setPasswordHint,
      type: 'password',
      value: password,
      onInput: setPassword,
      required: true,
      autocomplete: 'new-password',
    }),
  );
}
