/**
 * A screen of entries of one kind: listed, added in a dialog, viewed and changed in a drawer. The address names the
 * open one, so that it can be shared.
 */
import { useState } from 'preact/hooks';
import type { ComponentChildren, VNode } from '../h.ts';
import { h } from '../h.ts';
import { words } from '../preferences.ts';
import { go, linkTo, type Place } from '../route.ts';
import { Shown, useAsked } from './asked.ts';
import { Button, LinkButton, Screen } from './basics.ts';
import { Dialog } from './dialog.ts';
import { List, type ListProps } from './list.ts';

/** Used in place of an id for the dialog that adds an entry. No id begins with it. */
const adding = '+';

interface EntriesProps<Row>
  extends Pick<ListProps<Row>, 'columns' | 'ask' | 'rowKey' | 'isSearched' | 'filters' | 'empty'> {
  readonly place: Place;
  readonly title: string;
  /** A sentence on what the screen is for. */
  readonly what: string;
  /** The dialog that adds one; absent for those who may not. `opens` names the entry to show afterwards. */
  readonly add?: { readonly text: string; readonly form: (done: (opens?: string) => void) => VNode } | undefined;
  /** The drawer of the open entry. */
  readonly opened: (item: string, ends: Ends) => VNode;
  /** The target of the first column's link, if not the drawer, which then has its own link. */
  readonly leadsTo?: (row: Row) => string;
  readonly nameOf?: (row: Row) => string;
}

export interface Ends {
  readonly onClose: () => void;
  /** Called after a change; the list is then requested again. */
  readonly onDone: () => void;
}

export function Entries<Row>(props: EntriesProps<Row>): VNode {
  const { place, title, what, add, opened, leadsTo, nameOf, ...list } = props;
  const [turn, setTurn] = useState(0);
  const open = (item: string | null) => go({ ...place, item });
  const onClose = () => open(null);
  const done = (opens?: string) => {
    setTurn(turn + 1);
    open(opens ?? null);
  };
  const drawerOf = (row: Row) => linkTo({ ...place, item: String(list.rowKey(row)) });
  const name = nameOf ?? ((row: Row) => String(list.rowKey(row)));
  const settings = {
    heading: words().settings,
    cell: (row: Row) => h(LinkButton, { href: drawerOf(row), label: `${words().edit}: ${name(row)}` }, words().edit),
  };
  return h(
    Screen,
    { title, what, actions: add && h(Button, { kind: 'main', onClick: () => open(adding) }, add.text) },
    h(List<Row>, {
      ...list,
      label: title,
      columns: leadsTo ? [...list.columns, settings] : list.columns,
      href: leadsTo ?? drawerOf,
      by: [turn],
    }),
    place.item === adding && add && h(Dialog, { title: add.text, onClose }, add.form(done)),
    place.item !== null && place.item !== adding && opened(place.item, { onClose, onDone: () => done() }),
  );
}

interface DrawerProps<Value> {
  readonly title: (found: Value | null) => string;
  readonly ask: (signal: AbortSignal) => Promise<{ readonly results: Value }>;
  readonly by: readonly unknown[];
  readonly onClose: () => void;
  readonly children: (found: Value, again: () => void) => ComponentChildren;
}

/** One entry, beside the list. */
export function Drawer<Value>({ title, ask, by, onClose, children }: DrawerProps<Value>): VNode {
  const asked = useAsked(async (signal) => (await ask(signal)).results, by);
  return h(
    Dialog,
    { title: title(asked.value), shape: 'drawer', onClose },
    h(Shown<Value>, { asked, children: (found) => h('div', { class: 'form' }, children(found, asked.again)) }),
  );
}
