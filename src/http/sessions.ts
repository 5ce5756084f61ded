/**
 * The session map: who owns which session, and how long (`sessionIdleMs` and `sessions` of the limits).
 *
 * @module
 */
import type { Logger } from '../logger.ts';
import type { SkillProvider } from '../server/provider.ts';
import type { Principal } from './app.ts';
import { failureText } from './failure.ts';
import { openSession, type Session } from './session.ts';

/** Sessions by id. */
export interface Sessions {
  readonly size: number;
  /** The session of that id, if it lives and belongs to that principal; counts as use. */
  find(id: string, principal: Principal): Session | undefined;
  /**
   * Answers an `initialize` with a new session, ending the longest-idle one without stream or request when all places
   * are taken; undefined when none can be ended.
   */
  open(opening: Opening): Promise<Response | undefined>;
  /** Says that a request or stream of the session ended: its idle time begins now. */
  touch(session: Session): void;
  /** Ends all sessions; no new ones open. */
  close(): Promise<void>;
}

/** An `initialize` request and whose it is. */
export interface Opening {
  readonly principal: Principal;
  readonly provider: SkillProvider;
  readonly request: Request;
  readonly body: unknown;
}

/** Options of {@link createSessions}. */
export interface SessionsOptions {
  readonly maxSessions: number;
  readonly idleMs: number;
  /** A clock in ms that only goes forward. */
  readonly now: () => number;
  readonly logger: Logger;
}

interface Held {
  readonly session: Session;
  readonly principalId: string;
  usedAt: number;
}

/** How often sessions that nobody asks for any more are looked through. */
const SWEEP_MS = 60_000;

/**
 * An empty session map. A session that is idle too long is gone at its next use, and within a minute in any case.
 *
 * @example
 * const sessions = createSessions({ maxSessions: 1_000, idleMs: 1_800_000, now: () => performance.now(), logger })
 */
export function createSessions(options: SessionsOptions): Sessions {
  const { maxSessions, idleMs, now, logger } = options;
  // Kept in order of last use: the first is the longest idle.
  const held = new Map<string, Held>();
  let opening = 0;
  let closed = false;
  let sweeper: NodeJS.Timeout | undefined;

  const end = (id: string, entry: Held, reason: string): void => {
    held.delete(id);
    logger.debug('session ended', { reason });
    entry.session
      .end()
      .catch((error: unknown) => logger.warn('a session did not end cleanly', { error: failureText(error) }));
  };

  const use = (id: string, entry: Held): void => {
    entry.usedAt = now();
    held.delete(id);
    held.set(id, entry);
  };

  const isIdle = (entry: Held): boolean => !entry.session.busy && now() - entry.usedAt > idleMs;

  const sweep = (): void => {
    for (const [id, entry] of [...held]) if (isIdle(entry)) end(id, entry, 'idle');
  };

  /** Whether a place is free or can be freed; nothing ends yet, since the `initialize` may still be refused. */
  const hasRoom = (): boolean => {
    let excess = held.size + opening + 1 - maxSessions;
    if (excess <= 0) return true;
    for (const { session } of held.values()) {
      if (!session.busy) excess -= 1;
      if (excess === 0) return true;
    }
    return false;
  };

  const makeRoom = (): void => {
    if (held.size < maxSessions) return;
    sweep();
    for (const [id, entry] of [...held]) {
      if (held.size < maxSessions) return;
      if (!entry.session.busy) end(id, entry, 'room for a new one');
    }
  };

  const forget = (session: Session): void => {
    const id = session.id;
    if (id !== undefined && held.get(id)?.session === session) held.delete(id);
    if (held.size === 0) {
      clearInterval(sweeper);
      sweeper = undefined;
    }
  };

  const keep = (id: string, entry: Held): void => {
    if (closed) return;
    makeRoom();
    held.set(id, entry);
    sweeper ??= setInterval(sweep, Math.min(idleMs, SWEEP_MS)).unref();
  };

  return {
    get size() {
      return held.size;
    },
    find(id, principal) {
      const entry = held.get(id);
      if (entry === undefined || entry.principalId !== principal.id) return undefined;
      if (isIdle(entry)) {
        end(id, entry, 'idle');
        return undefined;
      }
      use(id, entry);
      return entry.session;
    },
    async open({ principal, provider, request, body }) {
      if (closed || !hasRoom()) return undefined;
      opening += 1;
      let pending = 1;
      try {
        const session = await openSession({
          provider,
          onOpen: (id, opened) => {
            opening -= pending;
            pending = 0;
            keep(id, { session: opened, principalId: principal.id, usedAt: now() });
          },
          onEnd: forget,
          logger,
        });
        const answer = await session.post(request, body);
        if (session.id === undefined || closed) await session.end();
        return answer;
      } finally {
        opening -= pending;
      }
    },
    touch(session) {
      const id = session.id;
      const entry = id === undefined ? undefined : held.get(id);
      if (id !== undefined && entry?.session === session) use(id, entry);
    },
    async close() {
      closed = true;
      clearInterval(sweeper);
      const all = [...held.values()];
      held.clear();
      await Promise.all(all.map((entry) => entry.session.end()));
    },
  };
}
