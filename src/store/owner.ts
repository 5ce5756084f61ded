/**
 * Which process a folder of temporary files belongs to, told by the folder's name alone, and whether it still runs.
 *
 * @module
 */
import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** A process as the name of its folder tells it. */
export interface Owner {
  /** Of the machine, or of the container with its own process numbers. */
  readonly machine: string;
  readonly pid: number;
  /** Of the process: distinguishes it from a later one with its number. `0` where the system does not tell. */
  readonly started: string;
}

/** What is known about a process. */
export type Liveness = 'alive' | 'dead' | 'foreign';

const NAME = /^([0-9a-f]{12})-(\d{1,10})-([0-9a-f]{1,32})-[0-9a-f]{12}$/;

let self: Owner | undefined;

/** This process. */
export function ownerOfThisProcess(): Owner {
  self ??= { machine: machineTag(), pid: process.pid, started: statusOf(process.pid)?.started ?? '0' };
  return self;
}

/** The name of a folder of `owner`; `unique` is twelve hex digits that tell its folders apart. */
export function folderNameOf(owner: Owner, unique: string): string {
  return `${owner.machine}-${owner.pid}-${owner.started}-${unique}`;
}

/** The process that a folder name tells; undefined for a name that no store gave. */
export function parseFolderName(name: string): Owner | undefined {
  const [, machine, pid, started] = NAME.exec(name) ?? [];
  if (machine === undefined || pid === undefined || started === undefined) return undefined;
  return { machine, pid: Number(pid), started };
}

/**
 * Whether the process still runs; `foreign` if it ran where this process cannot see it (a home folder may be shared between
 * machines and containers).
 *
 * When in doubt a process is alive: a number that was given to another process says so only where the system tells when
 * a process started.
 */
export function livenessOf(owner: Owner): Liveness {
  if (owner.machine !== ownerOfThisProcess().machine) return 'foreign';
  if (!isRunning(owner.pid)) return 'dead';
  const seen = statusOf(owner.pid);
  if (seen === undefined) return 'alive';
  // It ended and waits for its parent to notice.
  if (seen.state === 'Z' || seen.state === 'X') return 'dead';
  return owner.started === '0' || seen.started === owner.started ? 'alive' : 'dead';
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, and is somebody else's.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

/**
 * The state of a process, and a mark of the moment it started that is unique across restarts of the machine; undefined
 * where the system does not tell.
 */
function statusOf(pid: number): { readonly state: string; readonly started: string } | undefined {
  const boot = textOf('/proc/sys/kernel/random/boot_id');
  const status = textOf(`/proc/${pid}/stat`);
  // The second field is the program's name in parentheses and may hold anything; the start is the 22nd.
  const fields = status?.slice(status.lastIndexOf(')') + 2).split(' ') ?? [];
  const [state] = fields;
  const started = fields[19];
  if (boot === undefined || state === undefined || started === undefined) return undefined;
  return { state, started: tag(`${boot}\0${started}`) };
}

function machineTag(): string {
  // Containers have process numbers of their own; two of them may well share a host name.
  return tag(`${hostname()}\0${textOf('/etc/machine-id') ?? ''}\0${linkOf('/proc/self/ns/pid') ?? ''}`);
}

function tag(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
