import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/** A lock whose owner does not say who it is is taken to be left behind after this. */
const NAMELESS_MS = 10_000;
const LOOK_MS = 200;

/**
 * Runs `work` while no other process on this machine holds the lock at `path`. A lock that a killed process left is
 * taken over. Rejects when somebody else holds it for longer than `patienceMs`.
 */
export async function withLock<T>(path: string, patienceMs: number, work: () => Promise<T>): Promise<T> {
  mkdirSync(dirname(path), { recursive: true });
  const until = Date.now() + patienceMs;
  while (!take(path)) {
    if (isAbandoned(path)) rmSync(path, { recursive: true, force: true });
    else if (Date.now() > until)
      throw new Error(`${path} is held by another process; delete it if none runs`);
    else await wait(LOOK_MS);
  }
  try {
    return await work();
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
}

function take(path: string): boolean {
  try {
    mkdirSync(path);
  } catch {
    return false;
  }
  writeFileSync(join(path, 'pid'), String(process.pid));
  return true;
}

function isAbandoned(path: string): boolean {
  let age: number;
  try {
    age = Date.now() - statSync(path).mtimeMs;
  } catch {
    return false;
  }
  let pid: number;
  try {
    pid = Number(readFileSync(join(path, 'pid'), 'utf8'));
  } catch {
    return age > NAMELESS_MS;
  }
  if (!Number.isSafeInteger(pid) || pid <= 0) return age > NAMELESS_MS;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
