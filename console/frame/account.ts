/** Who is signed in, language and theme, the link to the documentation, and sign-out. */
import { useState } from 'preact/hooks';
import { Button, Facts, LinkButton } from '../components/basics.ts';
import { Dialog } from '../components/dialog.ts';
import { SelectField } from '../components/fields.ts';
import { messageOf } from '../components/form.ts';
import { tell } from '../components/toasts.ts';
import type { VNode } from '../h.ts';
import { h } from '../h.ts';
import {
  chooseLanguage,
  chooseTheme,
  type Language,
  language,
  languages,
  theme,
  themes,
  words,
} from '../preferences.ts';
import { place, type Tenant } from '../route.ts';
import { type Me, me, signOut } from '../session.ts';

export function AccountMenu(): VNode {
  const [isOpen, setOpen] = useState(false);
  const person = me.value as Me;
  const texts = words();
  const leave = () => signOut().catch((error: unknown) => tell(messageOf(error), { tone: 'wrong' }));
  const who = person.companyId === undefined ? texts.signIn.administrator : texts.signIn.ofCompany(person.companyId);
  const held = (person.memberships ?? []).map(({ groupName, roleName }) => `${groupName}: ${roleName}`);
  return h(
    'span',
    { class: 'shrinks' },
    h(Button, { kind: 'plain', onClick: () => setOpen(true), expanded: isOpen }, h('span', null, person.account)),
    isOpen &&
      h(
        Dialog,
        { title: person.account, onClose: () => setOpen(false) },
        h(Facts, {
          of: [
            [texts.signIn.you, who],
            ...(held.length === 0 ? [] : [[texts.navigation.roles, held.join(', ')] as const]),
          ],
        }),
        h(SelectField<Language>, {
          label: texts.language,
          value: language.value,
          options: Object.entries(languages) as [Language, string][],
          onChange: (chosen) => {
            chooseLanguage(chosen).catch(() => tell(words().noConnection, { tone: 'wrong' }));
          },
        }),
        h(SelectField<(typeof themes)[number]>, {
          label: texts.theme,
          value: theme.value,
          options: themes.map((each) => [each, texts.themes[each]] as const),
          onChange: chooseTheme,
        }),
        h(
          'div',
          { class: 'buttons' },
          h(LinkButton, { href: '../docs' }, texts.documentation),
          h(LinkButton, { href: referenceOf(place.value) }, texts.apiReference),
          h(Button, { onClick: leave }, texts.signIn.signOut),
        ),
      ),
  );
}

/** The API reference of the chosen version with its tables, or of the administration. */
function referenceOf({ companyId, appId, version }: Tenant): string {
  const asked: Record<string, string> =
    companyId === null || appId === null || version === null
      ? { interface: 'administration' }
      : { interface: 'version', companyId: String(companyId), appId, appVersion: version };
  return `../docs/api?${new URLSearchParams(asked)}`;
}
