/** The user who is to own new records, found by account or name. */
import { useEffect, useState } from 'preact/hooks';
import { useUsers } from '../../components/choices.ts';
import { SelectField, TextField } from '../../components/fields.ts';
import type { VNode } from '../../h.ts';
import { h } from '../../h.ts';
import { words } from '../../preferences.ts';

export function Owner({
  companyId,
  ownerId,
  onChange,
}: {
  companyId: number;
  ownerId: string;
  onChange: (id: string) => void;
}): VNode {
  const texts = words().records;
  const [search, setSearch] = useState('');
  const users = useUsers(companyId, search);
  const options = (users.value ?? []).map(({ id, account }) => [String(id), `${account} (${id})`] as const);
  useEffect(() => {
    if (!options.some(([id]) => id === ownerId)) onChange(options[0]?.[0] ?? '');
  }, [users.value]);
  return h(
    'div',
    { class: 'form' },
    h(TextField, { label: texts.findOwner, type: 'search', value: search, onInput: setSearch }),
    h(SelectField<string>, { label: texts.owner, hint: texts.ownerHint, value: ownerId, options, onChange }),
  );
}
