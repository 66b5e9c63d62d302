/** Trial of a sign-in at a provider: its checks one by one, and the claims received. It creates no session. */
import { useState } from 'preact/hooks';
import { call, type Results } from '../api.ts';
import { Shown, useAsked } from '../components/asked.ts';
import { Badge, Facts, LinkButton } from '../components/basics.ts';
import { Json } from '../components/code.ts';
import { Dialog } from '../components/dialog.ts';
import { TextField } from '../components/fields.ts';
import { Form } from '../components/form.ts';
import type { VNode } from '../h.ts';
import { h } from '../h.ts';
import { words } from '../preferences.ts';

const path = '/companies/:companyId/applications/:appId/providers/:provider/clients/:clientId/trial';

type Begun = Results<`POST ${typeof path}`>;
type Finished = Results<`POST ${typeof path}/finish`>;

interface TrialProps {
  readonly params: {
    readonly companyId: number;
    readonly appId: string;
    readonly provider: string;
    readonly clientId: string;
  };
  readonly onClose: () => void;
}

export function Trial({ params, onClose }: TrialProps): VNode {
  const begun = useAsked(async (signal) => (await call(`POST ${path}`, { params }, signal)).results, []);
  const [finished, setFinished] = useState<Finished | null>(null);
  return h(
    Dialog,
    { title: `${words().trial.action}: ${params.clientId}`, shape: 'wide', onClose },
    h(Shown<Begun>, {
      asked: begun,
      children: ({ checks, location, trial }) =>
        h(
          'div',
          { class: 'form' },
          h(Checks, { checks: [...checks, ...(finished?.checks ?? [])] }),
          location !== null &&
            trial !== null &&
            finished === null &&
            h(Return, {
              location,
              finish: async (address) =>
                setFinished((await call(`POST ${path}/finish`, { params, body: { trial, address } })).results),
            }),
          finished?.account != null && h(Found, { account: finished.account, received: finished.received }),
        ),
    }),
  );
}

function Checks({ checks }: { readonly checks: Begun['checks'] }): VNode {
  const texts = words().trial;
  return h(
    'div',
    { role: 'status' },
    h(
      'ul',
      { class: 'steps' },
      checks.map(({ check, failure }) =>
        h(
          'li',
          { key: check },
          h(Badge, { tone: failure === null ? 'good' : 'wrong' }, failure === null ? texts.passed : texts.failed),
          ` ${texts.checks[check]}`,
          failure !== null && h('div', { class: 'fault' }, failure),
        ),
      ),
    ),
  );
}

function Return({
  location,
  finish,
}: {
  readonly location: string;
  readonly finish: (address: string) => Promise<void>;
}): VNode {
  const texts = words().trial;
  const [address, setAddress] = useState('');
  return h(
    Form,
    { action: texts.finish, disabled: address.trim() === '', onSubmit: () => finish(address.trim()) },
    h('p', null, texts.how),
    h('div', null, h(LinkButton, { href: location, isElsewhere: true }, texts.open)),
    h(TextField, {
      label: texts.address,
      hint: texts.addressHint,
      value: address,
      onInput: setAddress,
      isCode: true,
      autocomplete: 'off',
    }),
  );
}

function Found({
  account,
  received,
}: Pick<Finished, 'received'> & { readonly account: NonNullable<Finished['account']> }): VNode {
  const texts = words().trial;
  const { verifiedEmail, account: name, firstName, lastName, memberships } = account;
  return h(
    'section',
    { class: 'form' },
    h('h3', null, texts.reads),
    h(Facts, {
      of: [
        [texts.verifiedEmail, verifiedEmail ?? texts.notVerified],
        [words().signIn.account, name || words().nothing],
        [words().name, `${firstName} ${lastName}`.trim() || words().nothing],
        [
          texts.memberships,
          memberships.map(({ groupId, roleId }) => `${groupId}: ${roleId}`).join(', ') || words().nothing,
        ],
      ],
    }),
    h('h3', null, texts.claims),
    h(Json, { value: received }),
  );
}
