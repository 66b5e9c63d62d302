/** The log level of each version, which tells its clients what to send. */
import { call, type Results } from '../api.ts';
import { Shown, useAsked } from '../components/asked.ts';
import { Dialog } from '../components/dialog.ts';
import { SelectField } from '../components/fields.ts';
import { messageOf } from '../components/form.ts';
import { tell } from '../components/toasts.ts';
import type { VNode } from '../h.ts';
import { h } from '../h.ts';
import { words } from '../preferences.ts';
import { versionsPath } from './versions.ts';

type Version = Results<`GET ${typeof versionsPath}`>[number];

/** How many of the latest versions are shown; older ones are changed on their own screen. */
const shownMax = 50;

interface LogLevelsProps {
  readonly params: { readonly companyId: number; readonly appId: string };
  readonly onClose: () => void;
}

export function LogLevels({ params, onClose }: LogLevelsProps): VNode {
  const texts = words().logs;
  const query = { limit: shownMax, sort: '-version' };
  const versions = useAsked(
    async (signal) => (await call(`GET ${versionsPath}`, { params, query }, signal)).results,
    [params.appId],
  );
  const set = async ({ version, revision }: Version, logLevel: Version['logLevel']) => {
    try {
      await call(`PUT ${versionsPath}/:version`, { params: { ...params, version }, body: { revision, logLevel } });
      tell(texts.levelSet(version, logLevel));
    } catch (error) {
      tell(messageOf(error), { tone: 'wrong' });
    }
    versions.again();
  };
  return h(
    Dialog,
    { title: texts.levels, onClose },
    h('p', null, texts.levelsWhat),
    h(Shown<readonly Version[]>, {
      asked: versions,
      children: (found) =>
        h(
          'div',
          { class: 'form' },
          found.length === 0 && h('p', { class: 'quiet' }, words().versions.none),
          found.map((version) =>
            h(SelectField<Version['logLevel']>, {
              key: version.version,
              label: version.version,
              value: version.logLevel,
              options: [
                ['ERROR', 'ERROR'],
                ['MONITOR', 'MONITOR'],
              ],
              onChange: (level) => void set(version, level),
            }),
          ),
        ),
    }),
  );
}
