/**
 * The thread that takes facts of files, or looks at them. It runs as a worker, starts nothing itself and ends with its owner.
 *
 * @module
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { FactsRequest, FactsScope } from './facts-answer.ts';
import type { LooksScope } from './looks-thread.ts';

const scope = workerData as FactsScope | LooksScope;
if ('job' in scope) {
  const { lookAll } = await import('./looks-answer.ts');
  lookAll(scope);
} else {
  const { FactsAnswerer } = await import('./facts-answer.ts');
  const { hostFs } = await import('./host-fs.ts');
  const answerer = new FactsAnswerer(hostFs, scope);
  parentPort?.on('message', (request: FactsRequest) => {
    parentPort?.postMessage(answerer.answer(request));
  });
}
