/** The companies of the installation: finding, adding, renaming, limiting and disabling them. */
import { useState } from 'preact/hooks';
import { call, type Results } from '../api.ts';
import { Empty, State } from '../components/basics.ts';
import { Drawer, type Ends, Entries } from '../components/entries.ts';
import { CheckField, TextField } from '../components/fields.ts';
import { ChangeForm } from '../components/form.ts';
import { Time } from '../components/time.ts';
import type { VNode } from '../h.ts';
import { h } from '../h.ts';
import { words } from '../preferences.ts';
import { linkTo, nowhere, type Place } from '../route.ts';
import { may } from '../session.ts';

type Company = Results<'GET /companies/:companyId'>;

export default function Companies({ place }: { place: Place }): VNode {
  const texts = words().companies;
  return h(Entries<Company>, {
    place,
    title: texts.title,
    what: texts.what,
    columns: [
      { heading: words().name, cell: ({ name }) => name, sort: 'name' },
      { heading: words().number, cell: ({ id }) => id, sort: 'id', isNumber: true },
      { heading: words().state, cell: State },
      { heading: words().added, cell: ({ createTime }) => h(Time, { at: createTime }), sort: 'created' },
    ],
    ask: (query, signal) => call('GET /companies', { query }, signal),
    rowKey: ({ id }) => id,
    leadsTo: ({ id }) => linkTo({ ...nowhere, companyId: id }),
    nameOf: ({ name }) => name,
    empty: h(Empty, { title: texts.none }, h('p', null, texts.noneAdvice)),
    add: may.value('company.create')
      ? { text: texts.add, form: (onDone) => h(CompanyForm, { company: null, onDone }) }
      : undefined,
    opened: (companyId, ends) => h(CompanyDrawer, { companyId, ...ends }),
  });
}

function CompanyDrawer({ companyId, onClose, onDone }: Ends & { companyId: string }): VNode {
  return h(Drawer<Company>, {
    title: (found) => found?.name ?? companyId,
    ask: (signal) => call('GET /companies/:companyId', { params: { companyId } }, signal),
    by: [companyId],
    onClose,
    children: (company, onReload) => h(CompanyForm, { key: company.revision, company, onDone, onReload }),
  });
}

const quotas = ['storageBytesMax', 'logEntriesMax', 'requestsAtOnceMax'] as const;
type Quotas = Readonly<Record<(typeof quotas)[number], string>>;

interface CompanyFormProps {
  /** Null for a new one. */
  readonly company: Company | null;
  readonly onDone: () => void;
  readonly onReload?: () => void;
}

function CompanyForm({ company, onDone, onReload }: CompanyFormProps): VNode {
  const texts = words().companies;
  const [name, setName] = useState(company?.name ?? '');
  const [id, setId] = useState('');
  const [disabled, setDisabled] = useState(company?.disabled ?? false);
  const before = Object.fromEntries(quotas.map((quota) => [quota, String(company?.[quota] ?? '')])) as Quotas;
  const [limits, setLimits] = useState(before);
  const mayLimit = may.value('company.limit');
  const save = async () => {
    const numbers = Object.fromEntries(quotas.map((quota) => [quota, limits[quota] === '' ? null : +limits[quota]]));
    if (company === null) await call('POST /companies', { body: { name, ...(id && { id: Number(id) }), ...numbers } });
    else {
      const params = { companyId: company.id };
      const limited = mayLimit ? { disabled, ...numbers } : {};
      await call('PUT /companies/:companyId', { params, body: { name, ...limited, revision: company.revision } });
    }
  };
  return h(
    ChangeForm,
    { isNew: company === null, mayChange: may.value('company.update'), save, onDone, onReload },
    h(TextField, {
      label: words().name,
      value: name,
      onInput: setName,
      required: true,
      maxLength: 200,
      autofocus: company === null,
    }),
    company === null &&
      h(TextField, { label: words().number, hint: texts.numberHint, type: 'number', value: id, onInput: setId }),
    mayLimit &&
      quotas.map((quota) =>
        h(TextField, {
          key: quota,
          label: texts[quota],
          hint: texts.noLimit,
          type: 'number',
          value: limits[quota],
          onInput: (value) => setLimits({ ...limits, [quota]: value }),
        }),
      ),
    mayLimit &&
      company !== null &&
      h(CheckField, { label: texts.disable, hint: texts.disableHint, checked: disabled, onChange: setDisabled }),
  );
}
