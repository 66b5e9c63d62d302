/** `rowhouse check`: examines an installation at rest, such as one that was just restored, and says what does not fit. */
import { keysAtHand } from '../auth/seal.ts';
import type { Settings } from '../config.ts';
import { type Examined, type ExaminedSecrets, examine, type Finding } from '../storage/examine.ts';
import { openExaminedPlace } from '../storage/open.ts';
import { placeOf, shownPlace } from '../storage/place.ts';
import { type Answer, aligned } from './answer.ts';
import { action, type Command } from './command.ts';
import { openProgress } from './progress.ts';
import type { Workplace } from './workplace.ts';

export const checkCommand: Command = {
  name: 'check',
  summary: 'Examines the data of an installation at rest: that all of it is there, belongs together and is whole.',
  actions: [
    action({
      name: '',
      summary:
        'Examines every database of the installation, while no service works on it, and changes nothing. Exit status 1 when something is at fault.',
      flags: {},
      async run(_values, workplace) {
        const { settings } = workplace;
        const examined = await carryOut(workplace);
        const place = shownPlace(placeOf(settings.storage));
        const findings = [...examined.findings, ...secretFindings(examined.secrets, settings, place)];
        return answerOf(place, examined, findings);
      },
    }),
  ],
};

async function carryOut({ settings, isTerminal, warn }: Workplace): Promise<Examined> {
  const terminal = isTerminal && process.stderr.isTTY ? process.stderr : null;
  const shown = openProgress({ terminal, line: warn });
  const place = await openExaminedPlace(placeOf(settings.storage), settings);
  try {
    return await examine(place, (done, of) => shown.show({ name: 'examining', done, of, unit: 'databases' }));
  } finally {
    shown.end();
    await place.close();
  }
}

function secretFindings(secrets: readonly ExaminedSecrets[], settings: Settings, place: string): Finding[] {
  if (secrets.length === 0) return [];
  // Beside data on PostgreSQL there is no key file, so that without the setting there is no key at all.
  const isGiven = settings.secretKey !== '' || placeOf(settings.storage).engine === 'sqlite';
  const keys = isGiven ? keysAtHand(settings).keys : new Map<string, unknown>();
  return secrets
    .filter(({ keyId }) => !keys.has(keyId))
    .map(({ keyId, what, isLost }) => ({
      severity: isLost ? 'note' : 'fault',
      place,
      problem: isLost
        ? `Lost, to be entered anew: ${what}.`
        : `The key ${keyId} is not at hand (secret.key, ROWHOUSE_SECRET_KEY, ROWHOUSE_PREVIOUS_SECRET_KEYS), which opens ${what}.`,
    }));
}

function answerOf(place: string, { installation, dataSpaces }: Examined, findings: readonly Finding[]): Answer {
  const faults = findings.filter(({ severity }) => severity === 'fault').length;
  const name = installation === null ? '' : ` ${installation}`;
  const end = `Installation${name} in ${place}, ${dataSpaces} data spaces: ${faults === 0 ? 'nothing is at fault' : faults === 1 ? '1 fault' : `${faults} faults`}.`;
  const rows = findings.map(({ severity, place: where, problem }) => [severity, where, problem]);
  return {
    text: rows.length === 0 ? end : `${aligned(rows)}\n${end}`,
    json: { installation, dataSpaces, faults, findings },
    status: faults === 0 ? 0 : 1,
  };
}
