/** A thread of the floor that has threads: answers each list of jobs with the list of its answers. */
import { parentPort, workerData } from 'node:worker_threads';
import { carryOut, type Jobs } from './jobs.ts';
import { openTasks } from './statements.ts';

const file = openTasks(workerData.path, workerData.share);
parentPort?.on('message', (jobs: Jobs) => parentPort?.postMessage(carryOut(file, jobs)));
