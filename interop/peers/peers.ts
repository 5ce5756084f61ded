/** A program of somebody else, run from npm. */
export interface NpmPeer {
  readonly kind: 'npm';
  /** Packages with exact versions: a range resolves to an older release under an older Node. */
  readonly packages: Readonly<Record<string, string>>;
  /** What is run, below the peer's folder. */
  readonly program: string;
}

/** A library of somebody else in Python, in an environment of its own. */
export interface PipPeer {
  readonly kind: 'pip';
  readonly requirements: readonly string[];
  /** What has to be importable. */
  readonly module: string;
}

/** A program of somebody else in Go. */
export interface GoPeer {
  readonly kind: 'go';
  /** The package of the program, with its exact version. */
  readonly package: string;
  readonly program: string;
}

/** Somebody else's client or server that we are run against. */
export type Peer = NpmPeer | PipPeer | GoPeer;

/** The name of a peer. */
export type PeerName = 'node22' | 'skills' | 'fastmcp';

/** Every peer, with exact versions. A peer has a folder of its own, so that none sees what another brought. */
export const PEERS: Readonly<Record<PeerName, Peer>> = {
  /** Node 22, for peers that need it on a machine that has another. */
  node22: { kind: 'npm', packages: { node: '22.23.3' }, program: 'node_modules/node/bin/node' },
  /** The installer `skills`; needs Node 22.20. */
  skills: { kind: 'npm', packages: { skills: '1.7.4' }, program: 'node_modules/skills/bin/cli.mjs' },
  /** FastMCP, client and server. */
  fastmcp: { kind: 'pip', requirements: ['fastmcp==4.0.10', 'mcp==2.3.0'], module: 'fastmcp' },
};
