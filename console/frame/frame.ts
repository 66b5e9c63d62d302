/** The frame around the screens: the bar with the tenant switcher, the navigation, and overlays. */
import { signal } from '@preact/signals';
import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Refusal } from '../api.ts';
import { Problem, Waiting } from '../components/asked.ts';
import { Button, Empty, Note, Screen } from '../components/basics.ts';
import { Icon } from '../components/icon.ts';
import { Toasts } from '../components/toasts.ts';
import type { VNode } from '../h.ts';
import { classes, h } from '../h.ts';
import { words } from '../preferences.ts';
import { linkTo, nowhere, type Place, place } from '../route.ts';
import { me } from '../session.ts';
import { AccountMenu } from './account.ts';
import { homeOf, isChosen, isOpenTo, parts, type ScreenEntry, screens } from './screens.ts';
import { SignInAgain, SignInPage } from './sign-in.ts';
import { TenantSwitcher } from './tenant.ts';

const isMenuOpen = signal(false);

export function Frame({ problem }: { problem: unknown }): VNode {
  useEffect(() => {
    isMenuOpen.value = false;
  }, [place.value]);
  if (problem !== null) {
    const again = () => location.reload();
    return h(
      'main',
      { class: 'alone' },
      h('div', null, h('h1', null, 'Rowhouse'), h(Problem, { error: problem, again })),
    );
  }
  if (me.value === null) return h(SignInPage, {});
  return h(
    'div',
    { class: 'frame' },
    h('a', { class: 'skip', href: '#screen', onClick: focusScreen }, words().skip),
    h(
      'header',
      { class: 'bar' },
      h(
        'span',
        { class: 'menu-button' },
        h(
          Button,
          { kind: 'plain', label: words().menu, onClick: () => (isMenuOpen.value = !isMenuOpen.value) },
          h(Icon, { name: 'menu' }),
        ),
      ),
      h('a', { class: 'name', href: linkTo(nowhere) }, 'Rowhouse'),
      h(TenantSwitcher, {}),
      h('span', { class: 'spacer' }),
      h(AccountMenu, {}),
    ),
    h(Navigation, {}),
    h(Opened, { place: place.value }),
    h(SignInAgain, {}),
    h(Toasts, {}),
  );
}

function focusScreen(event: Event): void {
  event.preventDefault();
  document.getElementById('screen')?.focus();
}

function Navigation(): VNode {
  const here = place.value;
  const names = {
    version: `${here.appId} ${here.version}`,
    application: `${words().tenant.application} ${here.appId}`,
    company: words().navigation.company,
    installation: words().navigation.installation,
  };
  return h(
    'nav',
    { class: classes('side', isMenuOpen.value && 'open'), 'aria-label': words().navigation.label },
    isOpenTo(screens[home]) && h('ul', null, h(NavigationLink, { name: home, entry: screens[home]!, here })),
    parts
      .filter((part) => isChosen(part, here))
      .map((part) => {
        const entries = Object.entries(screens).filter(
          ([name, each]) => each.of === part && name !== home && isOpenTo(each),
        );
        if (entries.length === 0) return null;
        return h(
          'section',
          { key: part },
          h('h2', null, names[part]),
          h(
            'ul',
            null,
            entries.map(([name, entry]) => h(NavigationLink, { name, entry, here, key: name })),
          ),
        );
      }),
  );
}

/** Listed above all others, whatever is chosen. */
const home = 'home';

function NavigationLink({ name, entry, here }: { name: string; entry: ScreenEntry; here: Place }): VNode {
  const isHere = (here.screen || homeOf(here)) === name;
  return h(
    'li',
    null,
    h(
      'a',
      {
        href: linkTo({ screen: name }),
        ...(isHere && { 'aria-current': 'page' as const }),
      },
      entry.name(words()),
    ),
  );
}

type ScreenComponent = FunctionComponent<{ readonly place: Place }>;

/** Null if it could not be loaded: the service is unreachable, or was updated and has it at another address. */
interface Loaded {
  readonly name: string;
  readonly screen: ScreenComponent | null;
  readonly isUpdated?: boolean;
}

async function loaded(name: string, { load }: ScreenEntry): Promise<Loaded> {
  try {
    return { name, screen: (await load()).default };
  } catch {
    const isUpdated = await fetch('page.json').then(
      () => true,
      () => false,
    );
    return { name, screen: null, isUpdated };
  }
}

/** The screen of a place, after its module is loaded. */
function Opened({ place }: { place: Place }): VNode {
  const name = place.screen || homeOf(place);
  const entry = screens[name];
  const [opened, setOpened] = useState<Loaded | null>(null);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    document.title = `${entry?.name(words()) ?? ''} – Rowhouse`;
    let isHere = true;
    if (entry !== undefined) loaded(name, entry).then((found) => isHere && setOpened(found));
    return () => {
      isHere = false;
    };
  }, [name, turn]);
  if (entry === undefined) return h(Screen, { title: words().notFound });
  const title = entry.name(words());
  if (!isOpenTo(entry)) return h(Screen, { title }, h(Empty, { title: words().notPermitted }));
  if (!isChosen(entry.of, place)) return h(Screen, { title }, h(Empty, { title: words().tenant.chooseFirst }));
  if (opened === null || opened.name !== name) return h(Screen, { title }, h(Waiting, {}));
  if (opened.screen !== null)
    return h(opened.screen, {
      place: { ...place, screen: name },
      key: `${place.companyId}/${place.appId}/${place.version}/${name}`,
    });
  if (!opened.isUpdated) {
    const again = () => {
      setOpened(null);
      setTurn(turn + 1);
    };
    return h(Screen, { title }, h(Problem, { error: new Refusal('', null, 0), again }));
  }
  const reload = h(Button, { onClick: () => location.reload() }, words().reload);
  return h(Screen, { title }, h(Note, { tone: 'warning' }, words().isNew, ' ', reload));
}
