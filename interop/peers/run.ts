/**
 * Installs peers: tsx interop/peers/run.ts [NAME…], all of them without a name. Exit 3 when one cannot be had.
 */
import { installPeer } from './install.ts';
import { PEERS, type PeerName } from './peers.ts';

const isPeer = (name: string): name is PeerName => Object.hasOwn(PEERS, name);
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !isPeer(name));
if (unknown.length > 0) {
  console.error(`no peer is called ${unknown.join(', ')}; there are ${Object.keys(PEERS).join(', ')}`);
  process.exitCode = 2;
} else {
  for (const name of (wanted.length > 0 ? wanted : Object.keys(PEERS)).filter(isPeer)) {
    const begun = performance.now();
    const found = await installPeer(name);
    const took = `${((performance.now() - begun) / 1_000).toFixed(1)} s`;
    if ('notRun' in found) {
      console.error(found.notRun);
      process.exitCode = 3;
    } else console.log(`${name}: ${found.program} (${took})`);
  }
}
