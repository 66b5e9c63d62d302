/** The versions of an application: adding them with their own tables or those of another version, and changing them. */
import { useState } from 'preact/hooks';
import { call, type Results } from '../api.ts';
import { useAsked } from '../components/asked.ts';
import { Empty, Facts, State } from '../components/basics.ts';
import { Drawer, type Ends, Entries } from '../components/entries.ts';
import { CheckField, SelectField, TextField } from '../components/fields.ts';
import { ChangeForm } from '../components/form.ts';
import type { VNode } from '../h.ts';
import { h } from '../h.ts';
import { words } from '../preferences.ts';
import { linkTo, type Place } from '../route.ts';
import { may } from '../session.ts';

type Version = Results<'GET /companies/:companyId/applications/:appId/versions/:version'>;
export type LogLevel = Version['logLevel'];

export const versionsPath = '/companies/:companyId/applications/:appId/versions';

export default function Versions({ place }: { place: Place }): VNode {
  const texts = words().versions;
  const params = { companyId: place.companyId as number, appId: place.appId as string };
  const yesOrNo = (is: boolean) => (is ? words().yes : words().no);
  return h(Entries<Version>, {
    place,
    title: texts.title(params.appId),
    what: texts.what,
    columns: [
      { heading: texts.version, cell: ({ version }) => version, sort: 'version' },
      { heading: texts.development, cell: ({ development }) => yesOrNo(development) },
      { heading: texts.shared, cell: ({ sharedSpace }) => yesOrNo(sharedSpace) },
      { heading: texts.logLevel, cell: ({ logLevel }) => logLevel, sort: 'logLevel', isMono: true },
      { heading: words().state, cell: State },
    ],
    ask: (query, signal) => call(`GET ${versionsPath}`, { params, query }, signal),
    rowKey: ({ version }) => version,
    leadsTo: ({ version }) => linkTo({ ...params, version, screen: may.value('table.read') ? 'tables' : '' }),
    empty: h(Empty, { title: texts.none }, h('p', null, texts.noneAdvice)),
    add: may.value('application.update')
      ? { text: texts.add, form: (onDone) => h(VersionForm, { params, version: null, onDone }) }
      : undefined,
    opened: (version, ends) => h(VersionDrawer, { params, version, ...ends }),
  });
}

interface Params {
  readonly companyId: number;
  readonly appId: string;
}

function VersionDrawer({ params, version, onClose, onDone }: Ends & { params: Params; version: string }): VNode {
  const texts = words().versions;
  return h(Drawer<Version>, {
    title: () => version,
    ask: (signal) => call(`GET ${versionsPath}/:version`, { params: { ...params, version } }, signal),
    by: [version],
    onClose,
    children: (found, onReload) => [
      h(Facts, {
        of: [
          [texts.space, found.spaceId],
          [texts.shared, found.sharedSpace ? words().yes : words().no],
        ],
      }),
      h(VersionForm, { key: found.revision, params, version: found, onDone, onReload }),
    ],
  });
}

/** The initial tables of a new version. */
type Beginning = 'empty' | 'copyOf' | 'shareWith';

interface VersionFormProps {
  readonly params: Params;
  /** Null for a new one. */
  readonly version: Version | null;
  readonly onDone: () => void;
  readonly onReload?: () => void;
}

function VersionForm({ params, version, onDone, onReload }: VersionFormProps): VNode {
  const texts = words().versions;
  const [name, setName] = useState('');
  const [beginning, setBeginning] = useState<Beginning>('empty');
  const [other, setOther] = useState('');
  const [logLevel, setLogLevel] = useState<LogLevel>(version?.logLevel ?? 'MONITOR');
  const [development, setDevelopment] = useState(version?.development ?? false);
  const [strictHandling, setStrictHandling] = useState(version?.strictHandling ?? false);
  const [disabled, setDisabled] = useState(version?.disabled ?? false);
  const save = async () => {
    const body = { logLevel, development, strictHandling };
    if (version === null) {
      const tables = beginning === 'empty' ? {} : { [beginning]: other };
      await call(`POST ${versionsPath}`, { params, body: { ...body, version: name, ...tables } });
    } else {
      const { revision } = version;
      const of = { ...params, version: version.version };
      await call(`PUT ${versionsPath}/:version`, { params: of, body: { ...body, disabled, revision } });
    }
  };
  return h(
    ChangeForm,
    { isNew: version === null, mayChange: may.value('application.update'), save, onDone, onReload },
    version === null && [
      h(TextField, {
        label: texts.version,
        hint: texts.versionHint,
        value: name,
        onInput: setName,
        required: true,
        autocomplete: 'off',
        autofocus: true,
      }),
      h(SelectField<Beginning>, {
        label: texts.tables,
        value: beginning,
        options: [
          ['empty', texts.beginnings.empty],
          ['copyOf', texts.beginnings.copyOf],
          ['shareWith', texts.beginnings.shareWith],
        ],
        onChange: setBeginning,
      }),
      beginning !== 'empty' && h(OtherVersion, { params, chosen: other, onChoose: setOther }),
    ],
    h(LevelField, { value: logLevel, onChange: setLogLevel }),
    h(CheckField, {
      label: texts.development,
      hint: texts.developmentHint,
      checked: development,
      onChange: setDevelopment,
    }),
    h(CheckField, {
      label: texts.strict,
      hint: texts.strictHint,
      checked: strictHandling,
      onChange: setStrictHandling,
    }),
    version !== null && h(CheckField, { label: texts.disable, checked: disabled, onChange: setDisabled }),
  );
}

export function LevelField({ value, onChange }: { value: LogLevel; onChange: (level: LogLevel) => void }): VNode {
  const texts = words().versions;
  return h(SelectField<LogLevel>, {
    label: texts.logLevel,
    hint: texts.logLevelHint,
    value,
    options: [
      ['ERROR', 'ERROR'],
      ['MONITOR', 'MONITOR'],
    ],
    onChange,
  });
}

/** How many of the latest versions are offered. */
const offeredMax = 100;

interface OtherProps {
  readonly params: Params;
  readonly chosen: string;
  readonly onChoose: (version: string) => void;
}

function OtherVersion({ params, chosen, onChoose }: OtherProps): VNode {
  const query = { limit: offeredMax, sort: '-version' };
  const versions = useAsked(
    async (signal) => {
      const { results } = await call(`GET ${versionsPath}`, { params, query }, signal);
      if (chosen === '' && results[0] !== undefined) onChoose(results[0].version);
      return results;
    },
    [params.appId],
  );
  return h(SelectField<string>, {
    label: words().versions.of,
    value: chosen,
    options: (versions.value ?? []).map(({ version }) => [version, version] as const),
    onChange: onChoose,
  });
}
