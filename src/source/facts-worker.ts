/**
 * The thread that takes facts of files. It runs as a worker, starts nothing itself and ends with its owner.
 *
 * @module
 */
import { parentPort, workerData } from 'node:worker_threads';
import { FactsAnswerer, type FactsRequest, type FactsScope } from './facts-answer.ts';
import { hostFs } from './host-fs.ts';

const answerer = new FactsAnswerer(hostFs, workerData as FactsScope);
parentPort?.on('message', (request: FactsRequest) => {
  parentPort?.postMessage(answerer.answer(request));
});
