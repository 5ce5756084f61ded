import { ResourceNotFoundError, Server } from '@modelcontextprotocol/server';
import type { Broadcast } from '../../src/server/notify.ts';
import type { SkillProvider } from '../../src/server/provider.ts';
import { encodeListChanged } from '../../src/wire/index.ts';

/** A provider around a bare official server: one resource, and reads that can be held back. */
export interface FakeProvider extends SkillProvider {
  /** Changes the catalog; listeners hear of it. */
  change(): void;
  /** Reads of `skill://held/SKILL.md` wait until the returned function is called. */
  hold(): () => void;
  /** Reads under way that wait. */
  readonly waiting: number;
  readonly aborted: number;
  readonly servers: number;
  readonly listeners: number;
}

export interface FakeOptions {
  readonly text?: string;
  readonly cacheScope?: 'private' | 'public';
}

export function fakeProvider({ text = 'hello', cacheScope = 'private' }: FakeOptions = {}): FakeProvider {
  const listeners = new Set<(broadcast: Broadcast) => void>();
  const closers = new Set<() => void>();
  let version = 0;
  let waiting = 0;
  let aborted = 0;
  let servers = 0;
  let gate: Promise<void> = Promise.resolve();

  const fake: Partial<FakeProvider> = {
    cacheScope,
    get version() {
      return version;
    },
    get revision() {
      return `r${version}`;
    },
    get listRevisions() {
      return { resources: `r${version}`, prompts: '' };
    },
    get waiting() {
      return waiting;
    },
    get aborted() {
      return aborted;
    },
    get servers() {
      return servers;
    },
    get listeners() {
      return listeners.size;
    },
    hold() {
      let release = (): void => undefined;
      gate = new Promise((resolve) => (release = resolve));
      return release;
    },
    change() {
      version += 1;
      const broadcast = { params: encodeListChanged({ version }), promptsChanged: false, updated: [] };
      for (const listener of [...listeners]) listener(broadcast);
    },
    onClose(listener) {
      closers.add(listener);
      return () => closers.delete(listener);
    },
    onBroadcast(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    createServer({ listChanged = false }) {
      servers += 1;
      const server = new Server(
        { name: 'fake', version: '1' },
        { capabilities: { resources: listChanged ? { listChanged: true } : {} } },
      );
      server.setRequestHandler('resources/list', () => ({
        resources: [{ uri: 'skill://a/SKILL.md', name: 'a' }],
      }));
      server.setRequestHandler('resources/read', async ({ params: { uri } }, context) => {
        if (uri === 'skill://held/SKILL.md') {
          waiting += 1;
          context.mcpReq.signal.addEventListener('abort', () => (aborted += 1));
          await gate;
          waiting -= 1;
        } else if (uri !== 'skill://a/SKILL.md') throw new ResourceNotFoundError(uri);
        return { contents: [{ uri, text }] };
      });
      if (listChanged) {
        let end: () => void = () => undefined;
        server.oninitialized = () => {
          const listener = (): void => void server.sendResourceListChanged().catch(() => undefined);
          listeners.add(listener);
          end = () => listeners.delete(listener);
        };
        server.onclose = () => end();
      }
      return server;
    },
    async close() {
      for (const closer of [...closers]) closer();
    },
  };
  return fake as FakeProvider;
}
