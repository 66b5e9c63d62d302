/** Signing in: on its own page, and in a dialog over the screen when a session has ended. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { call, lostSession } from '../api.ts';
import { useAsked } from '../components/asked.ts';
import { Button, Note } from '../components/basics.ts';
import { Dialog } from '../components/dialog.ts';
import { TextField } from '../components/fields.ts';
import { Form, messageOf } from '../components/form.ts';
import type { VNode } from '../h.ts';
import { h } from '../h.ts';
import { words } from '../preferences.ts';
import { joinSession, me, onSignIn, signIn } from '../session.ts';

interface Facts {
  readonly version: string;
  readonly hasProvider: boolean;
}

/** The result of the identity provider's sign-in in the address, which must not stay there. */
const refused = /^#refused=(\d+)$/.exec(location.hash)?.[1] ?? null;
if (refused !== null) history.replaceState(null, '', location.pathname);

export function SignInPage(): VNode {
  const texts = words().signIn;
  return h(
    'main',
    { class: 'alone' },
    h(
      'div',
      null,
      h('h1', null, 'Rowhouse'),
      refused !== null && h(Note, { tone: 'wrong' }, texts.refusals[Number(refused)] ?? texts.refused(refused)),
      h(SignInForm, { onDone: () => {} }),
    ),
  );
}

/** A dialog over the screen, which stays and continues. */
export function SignInAgain(): VNode | null {
  const goOn = lostSession.value;
  if (goOn === null) return null;
  const { title, before } = { title: words().signIn.again, before: me.peek() };
  const onDone = () => {
    const now = me.peek();
    if (now?.kind === before?.kind && now?.id === before?.id) return goOn();
    // The screen shows data of another user.
    location.reload();
  };
  return h(Dialog, { title, onClose: null }, h('p', null, words().signIn.againWhat), h(SignInForm, { onDone }));
}

function SignInForm({ onDone }: { onDone: () => void }): VNode {
  const texts = words().signIn;
  const before = me.peek();
  const [account, setAccount] = useState(before?.account ?? '');
  const [password, setPassword] = useState('');
  const [companyId, setCompanyId] = useState(String(before?.companyId ?? ''));
  const [fault, setFault] = useState<string | null>(null);
  const facts = useAsked(async () => (await (await fetch('page.json')).json()) as Facts, []);
  const own = useRef<Window | null>(null);
  const atProvider = async () => {
    try {
      // What is on the screen stays: the provider gets a window of its own, which browsers open within a click only.
      if (before !== null && (own.current === null || own.current.closed)) own.current = open('', '', 'popup');
      if (before !== null && own.current === null) return setFault(texts.popUpBlocked);
      const target = own.current ?? window;
      const { results } = await call('POST /sign-in/oidc', {});
      if (own.current !== null) own.current.opener = null;
      target.location.assign(results.location);
    } catch (error) {
      own.current?.close();
      setFault(messageOf(error));
    }
  };
  useEffect(() => {
    const goOn = () => {
      own.current?.close();
      onDone();
    };
    return onSignIn(() => void joinSession().then(goOn, (error: unknown) => setFault(messageOf(error))));
  }, []);
  return h(
    Form,
    {
      action: texts.action,
      onSubmit: async () => {
        const company = companyId.trim() === '' ? {} : { companyId: Number(companyId) };
        await signIn({ account, password, ...company });
        onDone();
      },
    },
    h(TextField, {
      label: texts.account,
      name: 'account',
      value: account,
      onInput: setAccount,
      required: true,
      autocomplete: 'username',
      autofocus: true,
    }),
    h(TextField, {
      label: texts.password,
      name: 'password',
      value: password,
      onInput: setPassword,
      type: 'password',
      required: true,
      autocomplete: 'current-password',
    }),
    h(TextField, {
      label: texts.company,
      name: 'companyId',
      value: companyId,
      onInput: setCompanyId,
      hint: texts.companyHint,
    }),
    fault !== null && h(Note, { tone: 'wrong' }, fault),
    facts.value?.hasProvider && h(Button, { onClick: atProvider }, texts.provider),
  );
}
