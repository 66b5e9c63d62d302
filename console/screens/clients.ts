/**
 * The clients that an application has registered with an identity provider. Their secrets can be set but never read.
 */
import { useState } from 'preact/hooks';
import { call, type Results } from '../api.ts';
import { Shown, useAsked } from '../components/asked.ts';
import { Badge, Button } from '../components/basics.ts';
import { Code } from '../components/code.ts';
import { DangerButton } from '../components/danger.ts';
import { Dialog } from '../components/dialog.ts';
import { CheckField, TextField } from '../components/fields.ts';
import { ChangeForm } from '../components/form.ts';
import { tell } from '../components/toasts.ts';
import type { VNode } from '../h.ts';
import { h } from '../h.ts';
import { words } from '../preferences.ts';
import { may } from '../session.ts';
import { Trial } from './trial.ts';

const path = '/companies/:companyId/applications/:appId/providers/:provider/clients';

type Client = Results<`GET ${typeof path}`>[number];

interface Params {
  readonly companyId: number;
  readonly appId: string;
  readonly provider: string;
}

export function Clients({ params }: { params: Params }): VNode {
  const texts = words().clients;
  /** The client in the dialog; null for a new one. */
  const [edited, setEdited] = useState<Client | null | undefined>(undefined);
  const [tried, setTried] = useState<string | null>(null);
  const clients = useAsked(
    async (signal) => (await call(`GET ${path}`, { params }, signal)).results,
    [params.provider],
  );
  const close = () => setEdited(undefined);
  const mayChange = may.value('provider.change');
  const done = () => {
    close();
    clients.again();
  };
  const remove = async ({ clientId, revision }: Client) => {
    await call(`DELETE ${path}/:clientId`, { params: { ...params, clientId }, query: { revision } });
    tell(words().removed(clientId));
    clients.again();
  };
  return h(
    'section',
    { class: 'form' },
    h('h3', null, texts.title),
    h(Shown<readonly Client[]>, {
      asked: clients,
      children: (found) =>
        h(
          'div',
          { class: 'form' },
          found.length === 0 && h('p', { class: 'quiet' }, texts.none),
          found.map((client) =>
            h(
              'div',
              { class: 'card', key: client.clientId },
              h('div', { class: 'toolbar' }, h('strong', null, client.clientId), h(SecretState, { client })),
              h(
                'div',
                { class: 'field' },
                h('span', { class: 'label' }, texts.redirect),
                h(Code, { text: client.redirectUri }),
              ),
              mayChange &&
                h(
                  'div',
                  { class: 'toolbar' },
                  h(
                    Button,
                    { onClick: () => setEdited(client), label: `${words().edit}: ${client.clientId}` },
                    words().edit,
                  ),
                  h(
                    Button,
                    { onClick: () => setTried(client.clientId), label: `${words().trial.action}: ${client.clientId}` },
                    words().trial.action,
                  ),
                  h(DangerButton, {
                    action: words().remove,
                    to: client.clientId,
                    onConfirm: () => remove(client),
                    children: texts.removeWhat(client.clientId),
                  }),
                ),
            ),
          ),
        ),
    }),
    mayChange && h('div', null, h(Button, { onClick: () => setEdited(null) }, texts.add)),
    tried !== null && h(Trial, { params: { ...params, clientId: tried }, onClose: () => setTried(null) }),
    edited !== undefined &&
      h(
        Dialog,
        { title: edited?.clientId ?? texts.add, onClose: close },
        h(ClientForm, { params, client: edited, onDone: done, onReload: done }),
      ),
  );
}

function SecretState({ client }: { client: Client }): VNode {
  const texts = words().clients;
  if (client.isSecretLost) return h(Badge, { tone: 'wrong' }, texts.secretLost);
  return client.hasSecret ? h(Badge, {}, texts.hasSecret) : h(Badge, {}, texts.isPublic);
}

interface ClientFormProps {
  readonly params: Params;
  /** Null for a new one. */
  readonly client: Client | null;
  readonly onDone: () => void;
  readonly onReload: () => void;
}

function ClientForm({ params, client, onDone, onReload }: ClientFormProps): VNode {
  const texts = words().clients;
  const [clientId, setClientId] = useState('');
  const [redirectUri, setRedirectUri] = useState(client?.redirectUri ?? '');
  const [isPublic, setPublic] = useState(client !== null && !client.hasSecret && !client.isSecretLost);
  const [secret, setSecret] = useState('');
  const save = async () => {
    const sent = isPublic ? { secret: null } : secret === '' ? {} : { secret };
    if (client === null) await call(`POST ${path}`, { params, body: { clientId, redirectUri, ...sent } });
    else {
      const { revision } = client;
      const of = { ...params, clientId: client.clientId };
      await call(`PUT ${path}/:clientId`, { params: of, body: { redirectUri, ...sent, revision } });
    }
  };
  return h(
    ChangeForm,
    { isNew: client === null, mayChange: true, save, onDone, onReload },
    client === null &&
      h(TextField, {
        label: texts.clientId,
        hint: texts.clientIdHint,
        value: clientId,
        onInput: setClientId,
        required: true,
        isCode: true,
        autocomplete: 'off',
        autofocus: true,
      }),
    h(TextField, {
      label: texts.redirect,
      hint: texts.redirectHint,
      value: redirectUri,
      onInput: setRedirectUri,
      required: true,
      isCode: true,
      autocomplete: 'off',
    }),
    h(CheckField, { label: texts.isPublic, hint: texts.isPublicHint, checked: isPublic, onChange: setPublic }),
    !isPublic &&
      h(TextField, {
        label: texts.secret,
        hint: client?.hasSecret ? texts.secretKept : texts.secretHint,
        type: 'password',
        value: secret,
        onInput: setSecret,
        required: !client?.hasSecret || client.isSecretLost,
        autocomplete: 'off',
      }),
  );
}
