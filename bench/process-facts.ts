import { readFileSync } from 'node:fs';

/** A tick of the processor times in `/proc`; 100 a second on every Linux that Node runs on. */
const TICK_MS = 10;

/** Processor time that a process has used, in ms, all its threads; undefined where the system does not tell. */
export function cpuMsOf(pid: number): number | undefined {
  const stat = read(pid, 'stat');
  return stat === undefined ? undefined : cpuMsIn(stat);
}

/** The same from the text of `/proc/PID/stat`. The name of the process, in parentheses, may hold anything. */
export function cpuMsIn(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** Resident memory of a process in bytes, now and at most; undefined where the system does not tell. */
export function memoryOf(pid: number): { readonly rss: number; readonly peak: number } | undefined {
  const status = read(pid, 'status');
  return status === undefined ? undefined : memoryIn(status);
}

/** The same from the text of `/proc/PID/status`. */
export function memoryIn(status: string): { readonly rss: number; readonly peak: number } {
  const kib = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]);
  return { rss: kib('VmRSS') * 1_024, peak: kib('VmHWM') * 1_024 };
}

function read(pid: number, name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return undefined;
  }
}
