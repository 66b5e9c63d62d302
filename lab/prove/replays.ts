/**
 * Replays of every batch are sent simultaneously to different instances of the service on one database: only one is
 * executed.
 */
import { startServer } from '../service/process.ts';
import { Campaign } from './campaign.ts';
import { inSharedStorage, prepare, proofSettings } from './folder.ts';
import { countsByRule, type Proof, type Task, usualRules } from './report.ts';
import { type Mix, usualMix } from './workload.ts';

const clients = 64;

const mix: Mix = { ...usualMix, add: 0.6, itemsMax: 3, replay: 1, rival: 0.05 };

export interface ReplaysTask extends Task {
  readonly batches: number;
  readonly instances: number;
}

export function proveReplays({ server, batches, instances, seed, progress }: ReplaysTask): Promise<Proof> {
  return inSharedStorage(server, async ({ settings }) => {
    const [space] = await prepare(settings, 1);
    const start = () => startServer(settings, { settings: proofSettings });
    const running = await Promise.all(Array.from({ length: instances }, start));
    const campaign = new Campaign({ space: space!, mix });
    const { tally, violations } = campaign;
    try {
      const ports = running.map(({ port }) => port);
      await campaign.inLanes({ ports, lanes: clients, batches, seed, progress });
    } finally {
      await Promise.all(running.map((instance) => instance.stop()));
    }
    await campaign.compare(settings.storage, 'at most once');
    return {
      violations,
      figures: [
        { name: 'instances', value: instances },
        { name: 'clients', value: clients },
        { name: 'batches, each with a twin on another instance', value: tally.batches },
        { name: 'requests', value: tally.attempts },
        { name: 'transactions carried out', value: campaign.transactions },
        { name: 'answered again from the history', value: tally.replays },
        { name: 'another payload under a used id: refused', value: `${tally.foreign} of ${tally.foreignSent}` },
        { name: 'records in the end', value: campaign.records },
        ...countsByRule(violations, usualRules),
      ],
    };
  });
}
