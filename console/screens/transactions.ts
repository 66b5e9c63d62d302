/**
 * Looks up a transaction by its id, to see whether it was written only once: when, by whom, which records, and its
 * answer.
 */
import { call, Refusal, type Results } from '../api.ts';
import { Problem, useAsked, Waiting } from '../components/asked.ts';
import { Button, Empty, Facts, Note, Screen } from '../components/basics.ts';
import { TextField } from '../components/fields.ts';
import { useTyped } from '../components/typed.ts';
import type { VNode } from '../h.ts';
import { h } from '../h.ts';
import { words } from '../preferences.ts';
import { versionOf } from '../records.ts';
import { changeQuery, type Place } from '../route.ts';

type Transaction =
  Results<'GET /companies/:companyId/applications/:appId/versions/:version/transactions/:transactionId'>;

export default function Transactions({ place }: { place: Place }): VNode {
  const texts = words().transactions;
  const { id = '' } = place.query;
  const [typed, setTyped] = useTyped(id);
  const found = useAsked<Transaction | 'none'>(
    async (signal) => {
      const params = { ...versionOf(place), transactionId: id };
      const path = 'GET /companies/:companyId/applications/:appId/versions/:version/transactions/:transactionId';
      try {
        return (await call(path, { params }, signal)).results;
      } catch (error) {
        if (error instanceof Refusal && error.code === 130) return 'none';
        throw error;
      }
    },
    [id === '' ? null : id],
  );
  const submit = (event: Event) => {
    event.preventDefault();
    changeQuery({ id: typed.trim() });
  };
  return h(
    Screen,
    { title: texts.title, what: texts.what },
    h(
      'form',
      { class: 'toolbar', role: 'search', onSubmit: submit },
      h(TextField, { label: texts.id, value: typed, onInput: setTyped, isCode: true, isWide: true, required: true }),
      h(Button, { type: 'submit', kind: 'main' }, texts.find),
    ),
    found.isAsking && id !== '' && found.value === null && found.error === null && h(Waiting, {}),
    found.error !== null && h(Problem, { error: found.error, again: found.again }),
    id !== '' && found.value === 'none' && h(Empty, { title: texts.none }, h('p', null, texts.noneAdvice)),
    id !== '' && found.value !== null && found.value !== 'none' && h(Found, { found: found.value }),
  );
}

function Found({ found }: { found: Transaction }): VNode {
  const texts = words().transactions;
  const by = found.userId === 0 ? texts.administrator : (found.account ?? String(found.userId ?? texts.unknown));
  const operations = found.operations?.map(({ operation, table }) => `${operation} ${table ?? texts.unknown}`);
  return h(
    'div',
    { class: 'form' },
    h(Note, { tone: 'good' }, texts.once),
    h(Facts, {
      of: [
        [texts.time, found.writeTime],
        [texts.by, by],
        [texts.changes, operations?.join(', ') ?? texts.unknown],
      ],
    }),
    h('h2', null, texts.answer),
    h('pre', { class: 'code-block', tabIndex: 0 }, JSON.stringify(found.records, null, 2)),
  );
}
