/** The pending changes: the effect of each, and the button that makes them. */
import { useEffect, useState } from 'preact/hooks';
import { call, Refusal, type Results } from '../../api.ts';
import { Button, Note } from '../../components/basics.ts';
import { DangerButton } from '../../components/danger.ts';
import { messageOf } from '../../components/form.ts';
import { Icon } from '../../components/icon.ts';
import { tell } from '../../components/toasts.ts';
import type { VNode } from '../../h.ts';
import { h } from '../../h.ts';
import { language, words } from '../../preferences.ts';
import type { Binned, Draft, Drafting, Plan, VersionParams } from './draft.ts';
import { changeText } from './texts.ts';

interface PendingProps {
  readonly drafting: Drafting;
  readonly draft: Draft;
  readonly params: VersionParams;
}

export function Pending({ drafting, draft, params }: PendingProps): VNode {
  const texts = words().tables;
  const { changes, plan, fault, isOvertaken } = draft;
  const { jobId } = drafting;
  const binned = (id: number) => nameInBin(draft.bin, id);
  return h(
    'section',
    { class: 'card', 'aria-label': texts.pending },
    h('h2', null, texts.pendingCount(changes.length)),
    isOvertaken && h(Note, { tone: 'warning' }, texts.overtaken),
    fault !== null &&
      h(
        Note,
        { tone: 'wrong' },
        h('p', null, texts.unfit),
        h('p', null, fault),
        h(Button, { onClick: () => void drafting.load() }, texts.planAgain),
      ),
    h(
      'ol',
      { class: 'changes' },
      changes.map((change, index) =>
        h(
          'li',
          { key: index },
          changeText(change, binned),
          h('span', { class: 'quiet' }, costText(plan?.changes[index], change.op === 'purge')),
          jobId === null &&
            h(
              Button,
              {
                kind: 'plain',
                label: texts.removeChange(index + 1),
                onClick: () => void told(drafting.remove(index)),
              },
              h(Icon, { name: 'close' }),
            ),
        ),
      ),
    ),
    plan !== null && notes(plan, params.version),
    jobId !== null
      ? h(Progress, { drafting, params, jobId })
      : h(
          'div',
          { class: 'buttons' },
          h(Button, { onClick: () => void drafting.discard() }, texts.discard),
          plan !== null && h(Apply, { drafting, draft, plan }),
        ),
  );
}

/** What the changes reach beyond the tables of this version. */
function notes({ versions, roles }: Plan, version: string): VNode[] {
  const texts = words().tables;
  const others = versions.filter((each) => each !== version);
  const told = [
    ...(others.length > 0 ? [texts.sharedBy(others.join(', '))] : []),
    ...(roles.length > 0 ? [texts.rightsOf(roles.join(', '))] : []),
  ];
  return told.map((text) => h(Note, { tone: 'warning', key: text }, text));
}

/** If data would be lost, the names of what is dropped must be typed. */
function Apply({ drafting, draft, plan }: { drafting: Drafting; draft: Draft; plan: Plan }): VNode {
  const texts = words().tables;
  const action = texts.applyAll(draft.changes.length);
  const lost = plan.changes.filter((each) => (each.lost ?? 0) > 0 && each.op !== 'changeColumn');
  const names = [...new Set(lost.map(({ table, column }) => (column === undefined ? table : `${table}.${column}`)))];
  if (names.length === 0) {
    return h(Button, { kind: 'main', onClick: () => void told(drafting.apply()) }, action);
  }
  const name = names.join(', ');
  return h(DangerButton, { action, name, onConfirm: drafting.apply, children: texts.loses(name) });
}

async function told(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    tell(messageOf(error), { tone: 'wrong' });
  }
}

function nameInBin(bin: readonly Binned[], id: number): string {
  const entry = bin.find((each) => each.id === id);
  if (entry === undefined) return `#${id}`;
  return entry.column === undefined ? entry.table : `${entry.table}.${entry.column}`;
}

function costText(cost: Plan['changes'][number] | undefined, isForGood: boolean): string {
  if (cost === undefined) return '';
  const texts = words().tables;
  const { rows = 0, lost = 0, timeMs = 0, checked, column } = cost;
  const parts: string[] = [];
  if (rows > 0) parts.push(texts.rows(rows));
  if (lost > 0)
    parts.push(
      isForGood ? texts.purged(lost) : column === undefined ? texts.lostRecords(lost) : texts.lostValues(lost),
    );
  if (parts.length > 0) parts.push(timeText(timeMs));
  if (checked === false) parts.push(texts.unchecked);
  return ` · ${parts.length === 0 ? texts.namesOnly : parts.join('; ')}`;
}

function timeText(timeMs: number): string {
  const texts = words().tables;
  if (timeMs < 1_000) return texts.underSecond;
  const seconds = Math.round(timeMs / 1_000);
  const [value, unit] = seconds < 120 ? [seconds, 'second'] : [Math.round(seconds / 60), 'minute'];
  return texts.time(new Intl.NumberFormat(language.value, { style: 'unit', unit, unitDisplay: 'long' }).format(value));
}

const jobAddress = '/companies/:companyId/applications/:appId/versions/:version/tables/jobs/:jobId';
type Job = Results<`GET ${typeof jobAddress}`>;

/** A job is first polled soon, because most end quickly, then every two seconds. */
const askSoonMs = 50;
const askLateMs = 2_000;

function Progress({
  drafting,
  params,
  jobId,
}: {
  drafting: Drafting;
  params: VersionParams;
  jobId: string;
}): VNode | null {
  const texts = words().tables;
  const [job, setJob] = useState<Job | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const sent = { params: { ...params, jobId } };
  useEffect(() => {
    let isHere = true;
    let waitMs = askSoonMs;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async () => {
      try {
        const { results } = await call(`GET ${jobAddress}`, sent);
        if (!isHere) return;
        setJob(results);
        setFault(null);
        if (results.state === 'done' || results.state === 'failed') {
          const isDone = results.state === 'done';
          const isOvertaken = await drafting.end(isDone);
          if (isDone) tell(texts.applied);
          else if (!isOvertaken) tell(`${texts.stopped}: ${results.error ?? ''}`, { tone: 'wrong' });
          return;
        }
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        if (isHere) setFault(messageOf(error));
      }
      if (!isHere) return;
      waitMs = Math.min(waitMs * 1.5, askLateMs);
      timer = setTimeout(() => void look(), waitMs);
    };
    void look();
    return () => {
      isHere = false;
      clearTimeout(timer);
    };
  }, [jobId]);
  if (job === null) return null;
  const percent = new Intl.NumberFormat(language.value, { style: 'percent' });
  return h(
    'div',
    { class: 'form' },
    h(
      'label',
      { class: 'progress' },
      `${texts.underWay} (${percent.format(job.progress / 100)})`,
      h('progress', { max: 100, value: job.progress }),
    ),
    h('p', { class: 'quiet' }, job.state === 'unknown' ? texts.interrupted : texts.underWayWhat),
    fault !== null && h(Note, { tone: 'wrong' }, fault),
    h(
      'div',
      { class: 'buttons' },
      job.state === 'unknown' && h(Button, { onClick: () => void drafting.end(false) }, texts.stopWatching),
      h(
        Button,
        { kind: 'dangerous', onClick: () => void told(call(`DELETE ${jobAddress}`, sent).then(() => undefined)) },
        texts.stop,
      ),
    ),
  );
}
