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

/** A library of somebody else in Go, and programs of ours on it. */
export interface GoPeer {
  readonly kind: 'go';
  /** The library, in the version of the module. */
  readonly package: string;
  /** The module of our programs, a folder beside this one; its `go.mod` has exact versions. */
  readonly module: string;
  /** One of its programs. */
  readonly program: string;
}

/** Somebody else's client or server that we are run against. */
export type Peer = NpmPeer | PipPeer | GoPeer;

/** The name of a peer. */
export type PeerName =
  | 'node22'
  | 'node24'
  | 'skills'
  | 'fastmcp'
  | 'skills-ref'
  | 'mcpkit'
  | 'sdk-v1'
  | 'olaservo-ext-skills'
  | 'inspector'
  | 'mcporter'
  | 'mcp-remote'
  | 'mcp-proxy'
  | 'supergateway';

/** Every peer, with exact versions. A peer has a folder of its own, so that none sees what another brought. */
export const PEERS: Readonly<Record<PeerName, Peer>> = {
  /** Node 22, for peers that need it on a machine that has another. */
  node22: { kind: 'npm', packages: { node: '22.23.3' }, program: 'node_modules/node/bin/node' },
  /** Node 24, likewise. */
  node24: { kind: 'npm', packages: { node: '24.21.0' }, program: 'node_modules/node/bin/node' },
  /** The installer `skills`; needs Node 22.20. */
  skills: { kind: 'npm', packages: { skills: '1.7.4' }, program: 'node_modules/skills/bin/cli.mjs' },
  /** FastMCP, client and server. */
  fastmcp: { kind: 'pip', requirements: ['fastmcp==4.0.10', 'mcp==2.3.0'], module: 'fastmcp' },
  /** The validator of the specification. */
  'skills-ref': { kind: 'pip', requirements: ['skills-ref==0.1.1'], module: 'skills_ref' },
  /** mcpkit `ext/skills` 0.5.2, server and client. */
  mcpkit: {
    kind: 'go',
    package: 'github.com/panyam/mcpkit/ext/skills@v0.5.2',
    module: 'go',
    program: 'serve',
  },
  /** The official SDK before its second version, of which clients of 2025 are made. */
  'sdk-v1': {
    kind: 'npm',
    packages: { '@modelcontextprotocol/sdk': '1.32.2', zod: '4.6.7' },
    program: 'node_modules/@modelcontextprotocol/sdk/package.json',
  },
  /** The extension as its working group first wrote it for the official SDK, server and client. */
  'olaservo-ext-skills': {
    kind: 'npm',
    packages: {
      '@olaservo/ext-skills': '0.14.0',
      '@modelcontextprotocol/server': '2.4.0',
      '@modelcontextprotocol/client': '2.4.0',
      '@modelcontextprotocol/node': '2.1.2',
    },
    program: 'node_modules/@olaservo/ext-skills/package.json',
  },
  /** The MCP Inspector; its command line needs Node 22.19. */
  inspector: {
    kind: 'npm',
    packages: { '@modelcontextprotocol/inspector': '2.12.0' },
    program: 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js',
  },
  /** A client for the command line, of the SDK before its second version; needs Node 24. */
  mcporter: { kind: 'npm', packages: { mcporter: '0.12.3' }, program: 'node_modules/mcporter/dist/cli.js' },
  /** Bridges between HTTP and stdio. */
  'mcp-remote': {
    kind: 'npm',
    packages: { 'mcp-remote': '0.15.1' },
    program: 'node_modules/mcp-remote/dist/proxy.js',
  },
  'mcp-proxy': {
    kind: 'npm',
    packages: { 'mcp-proxy': '6.7.19' },
    program: 'node_modules/mcp-proxy/dist/bin/mcp-proxy.mjs',
  },
  supergateway: {
    kind: 'npm',
    packages: { supergateway: '4.0.0' },
    program: 'node_modules/supergateway/dist/index.js',
  },
};
