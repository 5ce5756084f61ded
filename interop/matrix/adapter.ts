import type { InstalledPeer } from '../peers/install.ts';
import type { PeerName } from '../peers/peers.ts';

/** How a client and a server are connected. */
export type Transport = 'stdio' | 'http';

/** The revisions of MCP: `legacy` begins with `initialize` (2025-11-25), `modern` is 2026-07-28. */
export type Era = 'legacy' | 'modern';

/**
 * What skills travel as: `skills/list` (`released`), `skill://index.json`, a `_manifest` for each skill, documents over HTTP,
 * or resources that are `skill://…/SKILL.md` and no more (`plain`, which every server offers that lists them).
 */
export type Dialect = 'released' | 'draft-index' | 'fastmcp' | 'well-known' | 'plain';

/** One way to connect. */
export interface Way {
  readonly transport: Transport;
  readonly era: Era;
}

/** All ways, in the order in which they are shown. */
export const EVERY_WAY: readonly Way[] = [
  { transport: 'stdio', era: 'legacy' },
  { transport: 'stdio', era: 'modern' },
  { transport: 'http', era: 'legacy' },
  { transport: 'http', era: 'modern' },
];

/** Where the peers that an adapter named are installed. */
export type Peers = Readonly<Partial<Record<PeerName, InstalledPeer>>>;

/** A server that is started for each client, over stdio. */
export interface StdioTarget {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** What a client connects to. */
export type MatrixTarget = { readonly url: string } | StdioTarget;

/** What a server is started with. */
export interface StartOptions extends Way {
  /** The corpus; nothing but the matrix writes there. */
  readonly folder: string;
  readonly peers: Peers;
  /** The whole environment, with a temporary HOME. */
  readonly env: Readonly<Record<string, string>>;
}

/** A server that is ready: over HTTP it listens, over stdio the client starts it. */
export interface StartedServer {
  readonly target: MatrixTarget;
  /** Ends all that was started for it. */
  stop(): Promise<void>;
}

/** A server of the matrix. */
export interface ServerAdapter {
  /** Short and stable: it heads a row. */
  readonly name: string;
  /** Whether it is ours: the cells with one of ours run every time. */
  readonly ours: boolean;
  /** All have to be installed, or its cells are *not run*. */
  readonly peers: readonly PeerName[];
  /** In which it can be reached at all. */
  readonly ways: readonly Way[];
  /** What skills can be read as; our own client reads the first. */
  readonly offers: readonly Dialect[];
  /** Whether it tells of a skill that is put into the folder (`notifications/resources/list_changed`). */
  readonly notifies: boolean;
  /** Close to another one: read by our own client only and in half the ways, except with `--full`. @default false */
  readonly variant?: boolean;
  /** Errors: anything, told as the result of the cell. */
  start(options: StartOptions): Promise<StartedServer>;
}

/** What a client has to do, as it gets it: JSON in its first argument. */
export interface ClientTask extends Way {
  readonly target: MatrixTarget;
  /**
   * For clients that find `SKILL.md` files and know nothing of the files beside them: what to read beside each, by the
   * path of the skill's folder, encoded as in a URI below it. Those that are told by the server read what they are told.
   */
  readonly beside: Readonly<Record<string, readonly string[]>>;
  /**
   * Wait this long, in ms, for `notifications/resources/list_changed` after all was read; 0: do not wait. The client first
   * prints the line `{"waiting":true}`; the folder is then edited.
   */
  readonly waitMs: number;
  /** Whether unverifiable plain resources are to be taken. */
  readonly plain: boolean;
}

/** What a client prints, as its last line. A SHA-256 is in lower-case hex, over the bytes that the client came to. */
export interface ClientResult {
  /** URIs of `SKILL.md`, as they were listed. */
  readonly listed: readonly string[];
  /** SHA-256 of each file that was read, by URI. */
  readonly bytes: Readonly<Record<string, string>>;
  /** Why a file could not be read, by URI. */
  readonly errors: Readonly<Record<string, string>>;
  /** Whether the client found everything as the server states it; absent: it verifies nothing. */
  readonly verified?: boolean;
  /** What was wrong when `verified` is false, or with the listing. */
  readonly problems?: readonly string[];
  /** Whether the notification came; absent: it was not asked for, or the client cannot hear it. */
  readonly notified?: boolean;
  /** The revision that was spoken. */
  readonly protocol?: string;
  /** The dialect that was read, of clients that know several. */
  readonly dialect?: string;
}

/** What a client is run with. */
export interface RunOptions {
  readonly task: ClientTask;
  readonly peers: Peers;
  /** The whole environment, with a temporary HOME. */
  readonly env: Readonly<Record<string, string>>;
  /** A temporary folder of its own. */
  readonly temp: string;
  /** To be called when the client waits for the notification. */
  readonly onWaiting: () => void;
  /** Aborted when the time of the cell is over; what was started then ends. */
  readonly signal: AbortSignal;
}

/** A client of the matrix. */
export interface ClientAdapter {
  /** Short and stable: it heads a column. */
  readonly name: string;
  readonly ours: boolean;
  readonly peers: readonly PeerName[];
  /** In which it can connect at all. */
  readonly ways: readonly Way[];
  /** `false`: the client reads no file, it lists or verifies only. */
  readonly reads: boolean;
  /** `false`: it has no check of digests. */
  readonly verifies: boolean;
  /** `false`: it cannot be told of changes. */
  readonly hears: boolean;
  /** What it takes for skills: a server that offers none of these is not for it. */
  readonly takes: readonly Dialect[];
  /** Errors: anything, told as the result of the cell. */
  run(options: RunOptions): Promise<ClientResult>;
}

/** Something between a server and a client, which speaks to the one and is spoken to as the other. */
export interface BridgeAdapter {
  readonly name: string;
  readonly peers: readonly PeerName[];
  /** How it reaches the server, and how it is reached. */
  readonly from: Transport;
  readonly to: Transport;
  /** Revisions in which it is spoken to. */
  readonly eras: readonly Era[];
  /** Those that take so long that only `--full` runs them, and why. @default none */
  readonly slow?: { readonly eras: readonly Era[]; readonly why: string; readonly reproduction: string };
  start(options: Omit<StartOptions, 'folder'> & { readonly target: MatrixTarget }): Promise<StartedServer>;
}

/** What a cell says of one thing: that it holds, that it does not, that the peer has no such thing, or whose fault it is. */
export type Mark = 'yes' | 'no' | '–' | `peer: ${string}`;

/** The result of a cell. */
export interface CellMarks {
  readonly listed: Mark;
  readonly read: Mark;
  readonly bytes: Mark;
  readonly verified: Mark;
  readonly notified: Mark;
}

/** What a mark stands for. */
export type CellField = keyof CellMarks;
