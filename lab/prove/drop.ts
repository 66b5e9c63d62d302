/** A bad network between clients and service: answers are dropped and requests repeated, but each takes effect once. */
import type { Random } from '../machine/random.ts';
import { startServer } from '../service/process.ts';
import { Campaign } from './campaign.ts';
import { inStorage, prepare, proofSettings } from './folder.ts';
import { type Fault, openProxy } from './proxy.ts';
import { countsByRule, type Proof, type Task, usualRules } from './report.ts';
import { type Mix, usualMix } from './workload.ts';

const stallMs = 500;

/** What the network does to a request. */
const faultOf = (random: Random): Fault =>
  random.weighted<Fault>(
    [0.34, () => 'drop'],
    [0.05, () => 'twice'],
    [0.03, () => 'reset'],
    [0.01, () => 'late'],
    [0.01, () => 'hold'],
    [0.56, () => 'none'],
  );

const mix: Mix = { ...usualMix, update: 0.35, foreign: 0.05, fault: faultOf, timeoutMs: 400 };

export function proveDrop({ batches, seed, server: address, progress }: Task & { batches: number }): Promise<Proof> {
  return inStorage(address, async ({ settings }) => {
    const [space] = await prepare(settings, 1);
    const server = await startServer(settings, { settings: proofSettings });
    const campaign = new Campaign({ space: space!, mix });
    const { tally, violations, attempts } = campaign;
    const proxy = await openProxy({
      port: server.port,
      stallMs,
      witness: (attempt, reply, isHandedOn) => attempts.witness(attempt, reply, isHandedOn),
    });
    try {
      const { settled } = proxy;
      await campaign.inLanes({ ports: [proxy.port], lanes: 64, batches, seed, settled, progress });
    } finally {
      await proxy.close();
      await server.stop();
    }
    const found = await campaign.compare(settings.storage, 'at most once');
    const { met } = proxy;
    const written = Object.values(met).reduce((sum, count) => sum + count, 0);
    const share = ((100 * met.drop) / written).toFixed(1);
    return {
      violations,
      figures: [
        { name: 'batches', value: tally.batches },
        { name: 'requests', value: written },
        { name: 'answers dropped after the service answered', value: `${met.drop} (${share} %)` },
        { name: 'delivered twice at once', value: met.twice },
        { name: 'reset in the middle of the body', value: met.reset },
        { name: 'delivered after the client gave up', value: met.late },
        { name: 'answered after the client gave up', value: met.hold },
        { name: 'transactions carried out', value: campaign.transactions },
        { name: 'answered again from the history', value: tally.replays },
        { name: 'another payload under a used id: refused', value: `${tally.foreign} of ${tally.foreignSent}` },
        { name: 'records in the end', value: campaign.records },
        ...countsByRule(violations, usualRules),
        { name: 'integrity errors', value: found.errors.length },
      ],
    };
  });
}
