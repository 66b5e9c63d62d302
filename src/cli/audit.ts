/** `rowhouse audit`: the audit trail of the whole installation. */
import { operator } from '../actor.ts';
import { exportAuditTrail, readAudit } from '../administration/audit-trail.ts';
import type { AuditRow } from '../audit/read.ts';
import { given } from '../entities/entity.ts';
import { formatInstant, parseInstant, type Zone, zoneOf } from '../schema/time.ts';
import { table } from './answer.ts';
import { action, type Command, choice, id, optional, text, UsageError, type ValuesOf } from './command.ts';

const filters = {
  company: optional(id('Only entries of this company.')),
  since: optional(
    text('<time>', 'Only entries from this time on, such as 2026-01-31T10:00; in the zone of the settings.'),
  ),
  until: optional(text('<time>', 'Only entries before this time.')),
  actor: optional(text('<account>', 'Only acts and refusals of this account.')),
  action: optional(text('<action>', 'Only this action, such as session.start.')),
  outcome: optional(choice(['done', 'refused'], 'Only acts that were done, or refused.')),
};

export const auditCommand: Command = {
  name: 'audit',
  summary: 'The audit trail: administrative acts, and successful and refused sign-ins.',
  actions: [
    action({
      name: 'list',
      summary: 'Shows the newest entries.',
      flags: {
        ...filters,
        limit: optional({
          ...id('Number of entries; 50 when absent, at most the setting listLimitMax.'),
          placeholder: '<number>',
        }),
      },
      async run({ limit, ...values }, context) {
        const zone = zoneOf(context.settings.zone);
        const deps = { storage: await context.storage(), settings: context.settings };
        const request = { ...requestOf(values, zone), ...given({ limit }) };
        const { results, count } = await readAudit(deps, operator, request);
        const columns = {
          time: (one: AuditRow) => formatInstant(one.time, zone),
          actor: (one: AuditRow) => one.actorName || one.actorKind,
          from: (one: AuditRow) => one.address,
          company: (one: AuditRow) => one.companyId,
          action: (one: AuditRow) => one.action,
          outcome: (one: AuditRow) => one.outcome,
          target: (one: AuditRow) => one.target,
        };
        const printed = table(results, columns, 'There are no such entries.');
        const more = count > results.length ? `\n${results.length} of ${count}.` : '';
        const entries = results.map((one) => exported(one, zone));
        return { text: `${printed.text}${more}`, json: { results: entries, count } };
      },
    }),
    action({
      name: 'export',
      summary: 'Writes every entry as a line of JSON, the oldest first.',
      flags: filters,
      async run(values, context) {
        const zone = zoneOf(context.settings.zone);
        const storage = await context.storage();
        for await (const entry of exportAuditTrail({ storage }, operator, requestOf(values, zone))) {
          context.say(JSON.stringify(exported(entry, zone)));
        }
        return { text: '', json: undefined };
      },
    }),
  ],
};

function requestOf(values: ValuesOf<typeof filters>, zone: Zone) {
  const { company, since, until, actor, action: wantedAction, outcome } = values;
  const companyId = company === undefined ? undefined : String(company);
  return {
    filter: given({ companyId, actorName: actor, action: wantedAction, outcome }),
    ...given({ from: timeOf('--since', since, zone), until: timeOf('--until', until, zone) }),
  };
}

function timeOf(flag: string, written: string | undefined, zone: Zone): number | undefined {
  if (written === undefined) return undefined;
  const time = parseInstant(written, zone);
  if (time === null) throw new UsageError(`${flag}: expected a time such as 2026-01-31T10:00, got "${written}".`);
  return time;
}

function exported(row: AuditRow, zone: Zone) {
  return { ...row, time: formatInstant(row.time, zone) };
}
