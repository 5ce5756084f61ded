import { createHash } from 'node:crypto';
import type { ClientResult, ClientTask } from '../adapter.ts';

/** What the program was started to do: its last argument. */
export function taskOf(argv: readonly string[]): ClientTask {
  return JSON.parse(argv.at(-1) ?? '') as ClientTask;
}

/** Prints the result as the last line, and ends: whatever a library left open ends with it. */
export function report(result: ClientResult): void {
  process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0));
}

/** SHA-256 in hex. */
export function sha256(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Contents of a resource as servers send them. */
export interface Contents {
  readonly uri?: string | undefined;
  readonly text?: string | undefined;
  readonly blob?: string | undefined;
}

/** SHA-256 of the bytes that contents stand for. Errors: there are none. */
export function hashOf(contents: Contents | undefined): string {
  if (typeof contents?.text === 'string') return sha256(contents.text);
  if (typeof contents?.blob === 'string') return sha256(Buffer.from(contents.blob, 'base64'));
  throw new Error('there are no contents');
}

/** Hashes and errors by URI, as they come. */
export class Reads {
  readonly bytes: Record<string, string> = {};
  readonly errors: Record<string, string> = {};

  /** Notes what one read gave. */
  async take(uri: string, read: () => Promise<string>): Promise<void> {
    try {
      this.bytes[uri] = await read();
    } catch (error) {
      this.errors[uri] = error instanceof Error ? error.message.slice(0, 400) : String(error);
    }
  }
}

/** The `SKILL.md` files among resources. */
export function skillsAmong(uris: readonly string[]): string[] {
  return uris.filter((uri) => uri.startsWith('skill://') && uri.endsWith('/SKILL.md'));
}

/** What a host reads of a skill of which it knows the `SKILL.md` alone: that, and what it was told lies beside. */
export function filesOf(skill: string, beside: ClientTask['beside']): string[] {
  const root = skill.slice(0, -'SKILL.md'.length);
  const folder = root
    .slice('skill://'.length, -1)
    .split('/')
    .map((segment) => decodeURIComponent(segment))
    .join('/');
  return [skill, ...(beside[folder] ?? []).map((path) => root + path)];
}

/**
 * Whether a notification comes in time, once the folder is edited. `listen` is given what to call when it does; where it
 * fails, nothing can be heard.
 */
export async function whetherNotified(
  waitMs: number,
  listen: (heard: () => void) => Promise<void> | void,
): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), waitMs);
    const heard = (): void => {
      clearTimeout(timer);
      resolve(true);
    };
    Promise.resolve(listen(heard)).then(
      () => process.stdout.write('{"waiting":true}\n'),
      (error) => {
        console.error(error);
        clearTimeout(timer);
        resolve(false);
      },
    );
  });
}
