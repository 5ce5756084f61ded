// Runs the thread's program from its TypeScript, which a worker does not read by itself.
import { register } from 'tsx/esm/api';

register();
await import('../../src/source/facts-worker.ts');
