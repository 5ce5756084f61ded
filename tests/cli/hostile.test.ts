/** The commands that read targets, at servers that lie. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openHostile } from '../../src/testing/index.ts';
import { withDoor } from './program.ts';
import { filesIn, newFolder, type Ran, removeFolders, runWith } from './targets.ts';

afterAll(removeFolders);

const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;

interface Outcome {
  readonly list: Ran;
  readonly verify: Ran;
  readonly pull: Ran;
  readonly folder: string;
}

async function run(target: readonly string[], flags: readonly string[]): Promise<Outcome> {
  const folder = newFolder();
  const [list, verify, pull] = await Promise.all([
    runWith(['list', ...flags, ...target]),
    runWith(['verify', ...flags, ...target]),
    runWith(['pull', '--to', folder, ...flags, ...target]),
  ]);
  return { list, verify, pull, folder };
}

function hold(
  { list, verify, pull, folder }: Outcome,
  [code, ...exits]: readonly [string, number, number, number],
): void {
  expect([list.code, verify.code, pull.code]).toEqual(exits);
  const said = [list, verify, pull].map(({ stdout, stderr }) => stdout + stderr).join('');
  for (const text of said.split('\n')) expect(text).not.toMatch(CONTROL);
  expect(said).not.toContain('\n    at ');
  if (exits[1] !== 0) expect(verify.stdout + verify.stderr).toContain(code);
  // Nothing of the liar comes to the disk, not even for a while under another name that stays.
  const written = filesIn(folder, true);
  for (const [path, content] of Object.entries(written)) {
    expect(path).not.toContain('liar');
    if (!path.startsWith('.skillwire/')) expect(content).not.toContain('liar');
  }
  expect(existsSync(join(folder, 'liar'))).toBe(false);
  const honest = join(folder, 'honest', 'SKILL.md');
  if (existsSync(honest)) expect(readFileSync(honest, 'utf8')).toContain('# honest');
}

type Row = readonly [name: string, code: string, list: number, verify: number, pull: number];

const ROWS: readonly Row[] = [
  ['wrong-digest', 'DIGEST_MISMATCH', 0, 4, 4],
  ['wrong-digest-of-a-file', 'DIGEST_MISMATCH', 0, 4, 4],
  ['wrong-size', 'SIZE_MISMATCH', 0, 4, 4],
  ['frontmatter-changed', 'FRONTMATTER_MISMATCH', 0, 4, 4],
  ['frontmatter-missing', 'FRONTMATTER_MISMATCH', 0, 4, 4],
  ['frontmatter-extra', 'FRONTMATTER_MISMATCH', 0, 4, 4],
  ['frontmatter-type', 'FRONTMATTER_MISMATCH', 0, 4, 4],
  ['deep-yaml', 'FRONTMATTER_MISMATCH', 0, 4, 4],
  ['alias-bomb', 'FRONTMATTER_MISMATCH', 0, 4, 4],
  ['other-uri', 'URI_MISMATCH', 0, 4, 4],
  ['two-contents', 'INVALID_RESULT', 0, 4, 4],
  ['giant-text', 'RESOURCE_TOO_LARGE', 0, 5, 5],
  ['giant-blob', 'RESOURCE_TOO_LARGE', 0, 5, 5],
  ['missing-file', 'RESOURCE_NOT_FOUND', 0, 4, 3],
  ['changing-content', 'DIGEST_MISMATCH', 0, 4, 4],
  ['dynamic', 'DYNAMIC_REFUSED', 0, 0, 4],
  ['outside-root', 'INVALID_ENTRY', 0, 4, 4],
  ['other-scheme', 'INVALID_ENTRY', 0, 4, 4],
  ['name-dot-dot-encoded', 'INVALID_ENTRY', 0, 4, 4],
  ['name-backslash', 'INVALID_ENTRY', 0, 4, 4],
  ['name-nul', 'INVALID_ENTRY', 0, 4, 4],
  ['name-control', 'INVALID_ENTRY', 0, 4, 4],
  ['resources-missing', 'INVALID_ENTRY', 0, 4, 4],
  ['digest-upper-case', 'INVALID_ENTRY', 0, 4, 4],
  ['prototype-key', 'INVALID_ENTRY', 0, 4, 4],
  ['deep-json', 'INVALID_ENTRY', 0, 4, 4],
  ['duplicate-entries', 'INVALID_ENTRY', 0, 4, 4],
  ['endless-empty-pages', 'LISTING_INCOMPLETE', 5, 5, 5],
  ['repeated-cursor', 'LISTING_INCOMPLETE', 5, 4, 4],
  ['constant-cursor', 'LISTING_INCOMPLETE', 5, 5, 5],
  ['giant-cursor', 'LISTING_INCOMPLETE', 5, 5, 5],
  ['giant-response', 'RESPONSE_TOO_LARGE', 5, 5, 5],
  ['failing-page', 'SERVER_ERROR', 5, 5, 5],
  ['skills-no-list', 'INVALID_RESULT', 4, 4, 4],
  ['error-with-escapes', 'SERVER_ERROR', 3, 3, 3],
  ['method-missing', 'METHOD_NOT_FOUND', 3, 3, 3],
  ['never-answers', 'SERVER_UNREACHABLE', 3, 3, 3],
  ['never-answers-a-read', 'SERVER_UNREACHABLE', 0, 3, 3],
  ['slow-drip', 'SERVER_UNREACHABLE', 3, 3, 3],
  ['reserved-name', 'UNSAFE_NAME', 0, 0, 1],
  ['colliding-names', 'NAME_COLLISION', 0, 0, 1],
  ['bomb-tar-gz', 'ARCHIVE_RATIO', 0, 4, 3],
  ['bomb-zip', 'ARCHIVE_RATIO', 0, 4, 3],
  ['archive-dot-dot', 'ARCHIVE_PATH_TRAVERSAL', 0, 4, 3],
  ['archive-link', 'ARCHIVE_SYMLINK_ESCAPE', 0, 4, 3],
  ['archive-wrong-digest', 'DIGEST_MISMATCH', 0, 4, 4],
  ['index-other-description', 'FRONTMATTER_MISMATCH', 0, 4, 4],
  ['index-no-json', 'INVALID_INDEX', 3, 3, 4],
  ['file-list-dot-dot', 'INVALID_MANIFEST', 0, 4, 4],
  ['file-list-wrong-hash', 'DIGEST_MISMATCH', 0, 4, 4],
  ['well-known-wrong-digest', 'DIGEST_MISMATCH', 0, 4, 4],
  ['well-known-bomb', 'ARCHIVE_RATIO', 0, 4, 3],
  ['well-known-dot-dot', 'ARCHIVE_PATH_TRAVERSAL', 0, 4, 3],
  ['well-known-inside', 'NET_ADDRESS_REFUSED', 0, 3, 3],
];

describe('over HTTP', () => {
  it.each(ROWS)('%s: %s', async (name, ...outcome) => {
    const hostile = openHostile(name);
    try {
      const { url } = await hostile.listen();
      const flags = [
        ...(name === 'never-answers-a-read' ? ['--timeout', '1.5'] : []),
        ...(name === 'never-answers' || name === 'slow-drip' ? ['--timeout', '0.3'] : []),
        ...(hostile.case.dialect === 'well-known' ? ['--dialect', 'well-known'] : []),
      ];
      hold(await run([url], flags), outcome);
    } finally {
      await hostile.close();
    }
  });
});

describe('over stdio', () => {
  it.each<Row>([
    ['wrong-digest', 'DIGEST_MISMATCH', 0, 4, 4],
    ['frontmatter-changed', 'FRONTMATTER_MISMATCH', 0, 4, 4],
    ['giant-blob', 'RESOURCE_TOO_LARGE', 0, 5, 5],
    ['constant-cursor', 'LISTING_INCOMPLETE', 5, 5, 5],
    // The line is longer than the buffer: the connection is then over.
    ['giant-response', 'SERVER_UNREACHABLE', 3, 3, 3],
    ['error-with-escapes', 'SERVER_ERROR', 3, 3, 3],
    ['bomb-zip', 'ARCHIVE_RATIO', 0, 4, 3],
  ])('%s: %s', async (name, ...outcome) => {
    const command = ['--', process.execPath, ...withDoor('tests/cli/hostile-target.mjs', 'testing'), name];
    hold(await run(command, []), outcome);
  });
});
