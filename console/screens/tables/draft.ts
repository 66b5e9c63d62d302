/**
 * The collected, pending changes of a version's tables. Each time one is added, the service makes a dry run (`dryRun`),
 * so that the collected changes are always valid and the screen shows the resulting tables.
 */
import { type Signal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { call, Refusal, type Results } from '../../api.ts';
import { messageOf } from '../../components/form.ts';
import type { Place } from '../../route.ts';
import { type Change, type Table, withChange } from './definition.ts';

type Answered = Results<'POST /companies/:companyId/applications/:appId/versions/:version/tables/changes'>;
/** The effects of the changes: one entry each, and the versions that share the tables. */
export type Plan = Pick<Exclude<Answered, { readonly jobId: string }>, 'changes' | 'versions' | 'roles'>;
export type Binned = Results<'GET /companies/:companyId/applications/:appId/versions/:version/tables/bin'>[number];

export interface Draft {
  /** Revision of the tables that the changes are based on. */
  readonly revision: number;
  /** The tables with all changes that fit. */
  readonly tables: readonly Table[];
  readonly bin: readonly Binned[];
  readonly changes: readonly Change[];
  /** Null if there are no changes, or they do not fit. */
  readonly plan: Plan | null;
  /** Why the changes don't fit the tables, which someone else changed meanwhile. */
  readonly fault: string | null;
  /** Whether someone else changed the tables since the first change. */
  readonly isOvertaken: boolean;
}

interface Kept {
  readonly draft: Signal<Draft | null>;
  readonly error: Signal<unknown>;
  /** The job that makes the changes. */
  readonly jobId: Signal<string | null>;
}

/** Drafts by version; they are kept while other screens are open. */
const allKept = new Map<string, Kept>();

// Drafts exist only in this page.
addEventListener('beforeunload', (event) => {
  const all = [...allKept.values()];
  if (all.some(({ draft, jobId }) => jobId.peek() === null && draft.peek()?.changes.length)) event.preventDefault();
});

export interface Drafting {
  readonly draft: Draft | null;
  readonly error: unknown;
  readonly jobId: string | null;
  readonly load: () => Promise<void>;
  /** @throws Refusal if the change does not fit; then nothing is added */
  readonly add: (...changes: readonly Change[]) => Promise<void>;
  /** @throws Refusal if the others don't fit without it */
  readonly remove: (index: number) => Promise<void>;
  readonly discard: () => Promise<void>;
  /** Starts making the changes. @throws Refusal */
  readonly apply: () => Promise<void>;
  /**
   * To be called when the job has ended: reads the tables again, and keeps the changes if they were not made. @returns
   * whether someone else changed the tables, which the draft then shows
   */
  readonly end: (isDone: boolean) => Promise<boolean>;
}

export type VersionParams = { readonly companyId: number; readonly appId: string; readonly version: string };

export function paramsOf({ companyId, appId, version }: Place): VersionParams {
  return { companyId: companyId as number, appId: appId as string, version: version as string };
}

export function useDraft(params: VersionParams): Drafting {
  const key = JSON.stringify(params);
  const kept = useMemo(() => keptFor(key), [key]);
  const drafting = useMemo(() => draftingOf(params, kept), [key]);
  useEffect(() => void drafting.load(), [key]);
  return { ...drafting, draft: kept.draft.value, error: kept.error.value, jobId: kept.jobId.value };
}

function keptFor(key: string): Kept {
  const kept = allKept.get(key) ?? { draft: signal(null), error: signal<unknown>(null), jobId: signal(null) };
  allKept.set(key, kept);
  return kept;
}

function draftingOf(params: VersionParams, kept: Kept): Omit<Drafting, 'draft' | 'error' | 'jobId'> {
  /** Reads the tables, and plans the changes on them. @throws Refusal if the tables can't be read */
  async function read(changes: readonly Change[]): Promise<Draft> {
    const { tables, bin } = address;
    const [{ results, revision }, binned] = await Promise.all([call(tables, { params }), call(bin, { params })]);
    const before = kept.draft.peek();
    const isOvertaken = changes.length > 0 && before !== null && (before.isOvertaken || before.revision !== revision);
    const present = { revision, tables: results as readonly Table[], bin: binned.results, changes, isOvertaken };
    // Changes in progress may have been made already.
    if (kept.jobId.peek() !== null) return { ...present, plan: null, fault: null };
    try {
      return { ...present, fault: null, ...(await planned(revision, present.tables, changes)) };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { ...present, plan: null, fault: messageOf(error) };
    }
  }

  async function planned(
    revision: number,
    tables: readonly Table[],
    changes: readonly Change[],
  ): Promise<Pick<Draft, 'tables' | 'plan'>> {
    if (changes.length === 0) return { tables, plan: null };
    const { results } = await call(address.changes, {
      params,
      body: { revision, dryRun: true, changes: [...changes] },
    });
    if ('jobId' in results) throw new Error('A dry run is never a job.');
    return { tables: results.tables as readonly Table[], plan: results };
  }

  async function load(changes = kept.draft.peek()?.changes ?? []): Promise<void> {
    try {
      kept.draft.value = await read(changes);
      kept.error.value = null;
    } catch (error) {
      kept.error.value = error;
    }
  }

  /** @throws Refusal if they don't fit */
  async function take(changes: readonly Change[]): Promise<void> {
    const before = kept.draft.peek() as Draft;
    try {
      if (changes.length === 0) return await load([]);
      kept.draft.value = {
        ...before,
        fault: null,
        changes,
        ...(await planned(before.revision, before.tables, changes)),
      };
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 409) throw error;
      const anew = await read(changes);
      if (anew.fault !== null) throw new Refusal(anew.fault, 131, 400);
      kept.draft.value = { ...anew, isOvertaken: true };
    }
  }

  return {
    load: () => load(),
    add: async (...changes) => {
      await take(changes.reduce(withChange, (kept.draft.peek() as Draft).changes));
    },
    async remove(index) {
      const draft = kept.draft.peek() as Draft;
      const changes = draft.changes.filter((_, at) => at !== index);
      // Changes that don't fit may be removed one at a time.
      if (draft.fault === null) await take(changes);
      else await load(changes);
    },
    discard: () => load([]),
    async apply() {
      const { revision, changes } = kept.draft.peek() as Draft;
      const body = { revision, changes: [...changes] };
      const { results } = await call(address.changes, { params, body, prefer: 'respond-async' });
      if ('jobId' in results) kept.jobId.value = results.jobId;
    },
    async end(isDone) {
      kept.jobId.value = null;
      const before = kept.draft.peek();
      await load(isDone ? [] : undefined);
      return kept.draft.peek()?.revision !== before?.revision;
    },
  };
}

const address = {
  tables: 'GET /companies/:companyId/applications/:appId/versions/:version/tables',
  changes: 'POST /companies/:companyId/applications/:appId/versions/:version/tables/changes',
  bin: 'GET /companies/:companyId/applications/:appId/versions/:version/tables/bin',
} as const;
