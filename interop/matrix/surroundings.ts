import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type InstalledPeer, installPeer } from '../peers/install.ts';
import type { PeerName } from '../peers/peers.ts';
import type { Peers } from './adapter.ts';

/** What has Node run TypeScript, wherever it is started. */
export const TSX: string = import.meta.resolve('tsx');

/** Variables of this machine that programs need to run at all. */
const KEPT = ['PATH', 'PATHEXT', 'SystemRoot', 'LANG', 'LC_ALL', 'GOROOT', 'PYENV_ROOT'];

/** The environment of all that is run: what programs keep for their user goes below `folder`. */
export function environmentIn(folder: string): Readonly<Record<string, string>> {
  const home = join(folder, 'home');
  const temp = join(folder, 'tmp');
  for (const each of [home, temp]) mkdirSync(each, { recursive: true });
  const kept = KEPT.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(kept),
    HOME: home,
    USERPROFILE: home,
    APPDATA: home,
    LOCALAPPDATA: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_CACHE_HOME: join(home, '.cache'),
    TMPDIR: temp,
    TEMP: temp,
    TMP: temp,
    CI: '1',
    NO_COLOR: '1',
    DO_NOT_TRACK: '1',
    DISABLE_TELEMETRY: '1',
    PYTHONUNBUFFERED: '1',
    PYTHONDONTWRITEBYTECODE: '1',
  };
}

/** Peers that are there, and why the others are not. */
export class PeerShelf {
  readonly #asked = new Map<PeerName, ReturnType<typeof installPeer>>();

  /** Peers that could not be had. */
  readonly missing: Set<PeerName> = new Set();

  /** What stands in those that were taken for other versions than were asked for. */
  readonly replaced: Map<PeerName, readonly string[]> = new Map();

  /** Where the peers are, or why one of them is not. */
  async take(names: readonly PeerName[]): Promise<Peers | { readonly notRun: string }> {
    const found: Partial<Record<PeerName, InstalledPeer>> = {};
    for (const name of names) {
      const asked = this.#asked.get(name) ?? installPeer(name);
      this.#asked.set(name, asked);
      const peer = await asked;
      if ('notRun' in peer) {
        this.missing.add(name);
        return peer;
      }
      this.replaced.set(name, peer.replaced);
      found[name] = peer;
    }
    return found;
  }
}
