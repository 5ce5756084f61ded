import type { JobKey } from './jobs.ts';

/** How much a run measures. */
export interface Plan {
  readonly name: PlanName;
  /** Skills of the corpus that is loaded, and of the larger server. */
  readonly skills: number;
  /** Skills of the server whose requests are counted. */
  readonly served: number;
  /** Skills of the smaller server. */
  readonly few: number;
  /** Loads of each, of which the median counts; those of the official SDK take minutes. */
  readonly loads: number;
  readonly peerLoads: number;
  readonly edits: number;
  /** Rounds of requests, servers in turns. */
  readonly rounds: number;
  readonly ms: number;
  /** A server's first requests, uncounted: compilers are still at work. */
  readonly warmMs: number;
  /** Whether `@olaservo/ext-skills` is measured, which takes time to start. */
  readonly peers: boolean;
  /** Starts of the command line. */
  readonly starts: number;
  /** Skills in the archive that is unpacked. */
  readonly packed: number;
  /** Clients that hold a stream open. */
  readonly streams: number;
  /** Skills of the server of which clients read every file, and how often they do. */
  readonly verified: number;
  readonly verifyRounds: number;
  /** Requests that are counted over HTTP. @default all */
  readonly jobs?: readonly JobKey[];
}

/** The runs there are. */
export type PlanName = 'full' | 'quick' | 'smoke';

/** What each run measures: the table of goals, the quick check, and whether the harness works at all. */
export const PLANS: Readonly<Record<PlanName, Plan>> = {
  full: {
    name: 'full',
    skills: 10_000,
    served: 1_000,
    few: 100,
    loads: 5,
    peerLoads: 1,
    edits: 20,
    rounds: 3,
    ms: 2_000,
    warmMs: 3_000,
    peers: true,
    starts: 15,
    packed: 1_000,
    streams: 1_000,
    verified: 1_000,
    verifyRounds: 2,
  },
  quick: {
    name: 'quick',
    skills: 1_000,
    served: 300,
    few: 100,
    loads: 3,
    peerLoads: 0,
    edits: 4,
    rounds: 2,
    ms: 400,
    warmMs: 600,
    peers: false,
    starts: 4,
    packed: 300,
    streams: 1_000,
    verified: 120,
    verifyRounds: 2,
    jobs: ['read', 'readMany', 'get', 'list', 'listPlain', 'directory'],
  },
  smoke: {
    name: 'smoke',
    skills: 120,
    served: 110,
    few: 30,
    loads: 1,
    peerLoads: 1,
    edits: 2,
    rounds: 1,
    ms: 400,
    warmMs: 200,
    peers: true,
    starts: 2,
    packed: 20,
    streams: 60,
    verified: 20,
    verifyRounds: 1,
  },
};

/** Kept connections of every round of requests. */
export const CONNECTIONS = 16;
/** Entries on a page of `skills/list` and `resources/list`. */
export const PAGE = 100;
/** The token that Skillwire asks for in every measurement over HTTP. */
export const TOKEN = 'bench-token-of-no-worth';
