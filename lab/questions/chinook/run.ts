/** The whole acceptance: boot, sign in, define, load, ask, compare. The command and the test both run it. */
import { ask, type Finding } from './ask.ts';
import { type Loaded, loadStore, type Progress } from './load.ts';
import { questions } from './questions.ts';
import { openReference } from './reference.ts';
import { type Place, startService } from './service.ts';
import type { Store } from './store.ts';

export interface Outcome {
  readonly loaded: Loaded;
  readonly findings: readonly Finding[];
}

/** @param place an empty storage. @throws Error when the service does not start, or refuses a request */
export async function runAcceptance(store: Store, place: Place, progress: Progress): Promise<Outcome> {
  const reference = openReference(store);
  const service = await startService(place);
  try {
    const loaded = await loadStore(service, store, progress);
    const findings: Finding[] = [];
    for (const question of questions) findings.push(...(await ask(service, question, reference.answer(question))));
    return { loaded, findings };
  } finally {
    await service.close();
    reference.close();
  }
}
