/** Every hostile server of `skillwire/testing` against `pull` and `verify`: what comes to disk, and what is said. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type HostileServer, hostileServers, openHostile } from '../../src/testing/index.ts';
import { filesIn, newFolder, removeFolders, runWith } from '../cli/targets.ts';

const open: HostileServer[] = [];

afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
  removeFolders();
});

/** Lies that neither command meets: they ask for no directory, and for no file that is not listed. */
const UNMET = new Set(['directory-adds', 'endless-directories', 'get-other-entry', 'unlisted-file']);
/** A lie about a skill of which nothing is to be verified anyway, or that is told to a client that asks for more. */
const UNVERIFIABLE = new Set(['dynamic', 'reserved-name', 'colliding-names']);

/** It lists 200,000 skills and has none of them: asking for each takes long, and shows nothing that others do not. */
const TOO_MANY = 'giant-page';

const CASES = hostileServers.flatMap((each) => (each.name === TOO_MANY ? [] : [[each.name, each] as const]));

describe.each(CASES)('%s', (name, { lies, skill, neighbour, dialect }) => {
  async function target(): Promise<string[]> {
    const hostile = openHostile(name);
    open.push(hostile);
    const { url } = await hostile.listen();
    const isWeb = dialect === 'well-known';
    return [isWeb ? new URL(url).origin : url, '--timeout', '1', ...(isWeb ? ['--dialect', dialect] : [])];
  }

  it(`comes to no file, and takes no neighbour down (${lies})`, async () => {
    const outer = newFolder();
    const folder = join(outer, 'deep', 'skills');
    mkdirSync(folder, { recursive: true });
    // The honest skills of a draft index have a digest for SKILL.md alone.
    const flags = dialect === 'draft-index' ? ['--allow-unverified'] : [];
    const { code, stdout } = await runWith(['pull', ...(await target()), '--to', folder, ...flags, '--json']);
    const document = JSON.parse(stdout);
    if (!UNMET.has(name)) expect(code).not.toBe(0);
    expect(code).not.toBe(70);
    const written = Object.keys(filesIn(outer)).filter((path) => !path.includes('/.skillwire/'));
    const bad = skill === undefined || UNMET.has(name) ? undefined : folderOf(skill);
    expect(written.filter((path) => !path.startsWith('deep/skills/'))).toEqual([]);
    if (bad !== undefined)
      expect(written.filter((path) => path.startsWith(`deep/skills/${bad}/`))).toEqual([]);
    if (neighbour !== undefined && 'skills' in document) {
      expect(written).toContain(`deep/skills/${folderOf(neighbour)}/SKILL.md`);
    }
  }, 30_000);

  it('does not pass a verification', async () => {
    const { code, stdout } = await runWith(['verify', ...(await target()), '--require-digests', '--json']);
    JSON.parse(stdout);
    expect(code).not.toBe(70);
    if (!UNMET.has(name) && !(UNVERIFIABLE.has(name) && name !== 'dynamic')) expect(code).not.toBe(0);
  }, 30_000);
});

function folderOf(uri: string): string {
  return uri.replace(/^skill:\/\//, '').replace(/\/SKILL\.md$/, '');
}
