/** `rowhouse check`: examines an installation at rest, such as one just restored, and reports what does not fit. */
import { availableKeys } from '../auth/seal.ts';
import type { Settings } from '../config.ts';
import { type Examined, type ExaminedSecrets, examine, type Finding } from '../storage/examine.ts';
import { parseLocation, redactedLocation } from '../storage/location.ts';
import { openExaminedStorage } from '../storage/open.ts';
import { type Answer, aligned } from './answer.ts';
import { action, type Command } from './command.ts';
import type { CommandContext } from './context.ts';
import { progressOf } from './progress.ts';

export const checkCommand: Command = {
  name: 'check',
  summary: 'Examines the data of an installation at rest: whether it is complete, consistent and undamaged.',
  actions: [
    action({
      name: '',
      summary:
        'Examines every database of the installation, while no service runs on it, and changes nothing. Exit status 1 if it finds a fault.',
      flags: {},
      async run(_values, context) {
        const { settings } = context;
        const examined = await execute(context);
        const location = redactedLocation(parseLocation(settings.storage));
        const findings = [...examined.findings, ...secretFindings(examined.secrets, settings, location)];
        return answerOf(location, examined, findings);
      },
    }),
  ],
};

async function execute(context: CommandContext): Promise<Examined> {
  const { settings } = context;
  const display = progressOf(context);
  const storage = await openExaminedStorage(parseLocation(settings.storage), settings);
  try {
    return await examine(storage, (done, of) => display.show({ name: 'examining', done, of, unit: 'databases' }));
  } finally {
    display.end();
    await storage.close();
  }
}

function secretFindings(secrets: readonly ExaminedSecrets[], settings: Settings, location: string): Finding[] {
  if (secrets.length === 0) return [];
  // With PostgreSQL there is no key file: without the setting there is no key.
  const isGiven = settings.secretKey !== '' || parseLocation(settings.storage).engine === 'sqlite';
  const keys = isGiven ? availableKeys(settings).keys : new Map<string, unknown>();
  return secrets
    .filter(({ keyId }) => !keys.has(keyId))
    .map(({ keyId, what, isLost }) => ({
      severity: isLost ? 'note' : 'fault',
      place: location,
      problem: isLost
        ? `Lost, to be entered again: ${what}.`
        : `The key ${keyId} is not available (secret.key, ROWHOUSE_SECRET_KEY, ROWHOUSE_PREVIOUS_SECRET_KEYS); it opens ${what}.`,
    }));
}

function answerOf(location: string, { installation, dataSpaces }: Examined, findings: readonly Finding[]): Answer {
  const faults = findings.filter(({ severity }) => severity === 'fault').length;
  const name = installation === null ? '' : ` ${installation}`;
  const end = `Installation${name} in ${location}, ${dataSpaces} data spaces: ${faults === 0 ? 'no faults' : faults === 1 ? '1 fault' : `${faults} faults`}.`;
  const rows = findings.map(({ severity, place: where, problem }) => [severity, where, problem]);
  return {
    text: rows.length === 0 ? end : `${aligned(rows)}\n${end}`,
    json: { installation, dataSpaces, faults, findings },
    status: faults === 0 ? 0 : 1,
  };
}
