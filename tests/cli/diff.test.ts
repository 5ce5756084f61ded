import { afterEach, describe, expect, it } from 'vitest';
import { lyingSkill, sha256, startLying } from './lying-server.ts';
import { skillText } from './program.ts';
import { newFolder, removeFolders, runWith, serve, TWO } from './targets.ts';

const open: { close(): Promise<void> }[] = [];

async function opened<T extends { close(): Promise<void> }>(server: Promise<T>): Promise<T> {
  const started = await server;
  open.push(started);
  return started;
}

afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
  removeFolders();
});

type Files = Readonly<Record<string, string | Uint8Array>>;

/** Compares two sets of files, each served over HTTP. */
async function compare(before: Files, after: Files, flags: readonly string[] = []) {
  const [a, b] = [await opened(serve(before)), await opened(serve(after))];
  const text = await runWith(['diff', a.url, b.url, ...flags]);
  const { stdout } = await runWith(['diff', a.url, b.url, ...flags, '--json']);
  return { ...text, document: JSON.parse(stdout), a, b };
}

describe('diff', () => {
  it('finds nothing between a server and itself', async () => {
    const { code, stdout, document } = await compare(TWO, TWO);
    expect(code).toBe(0);
    expect(stdout).toContain('no differences in 2 skills');
    expect(document).toMatchObject({ schema: 1, same: true, counts: { unchanged: 2, breaking: 0 } });
  });

  it('names skills that came and went, and that one that went breaks', async () => {
    const { 'acme/notes/SKILL.md': _gone, ...rest } = TWO;
    const { code, stdout, document } = await compare(TWO, { ...rest, 'zip/SKILL.md': skillText('zip') });
    expect(code).toBe(1);
    expect(stdout).toContain('added skill://zip/SKILL.md (1 file)\n');
    expect(stdout).toContain('removed skill://acme/notes/SKILL.md breaking\n');
    expect(document).toMatchObject({
      same: false,
      added: [{ uri: 'skill://zip/SKILL.md', breaking: false }],
      removed: [{ uri: 'skill://acme/notes/SKILL.md', breaking: true }],
      counts: { added: 1, removed: 1, breaking: 1, unchanged: 1 },
    });
  });

  it('names what changed in a skill: fields, files, their digests', async () => {
    const { 'pdf/data.bin': _gone, ...rest } = TWO;
    const { document, stdout } = await compare(TWO, {
      ...rest,
      'pdf/SKILL.md': `---\nname: pdf\ndescription: Reads and writes.\nlicense: MIT\n---\n`,
      'pdf/scripts/run.sh': '#!/bin/sh\n',
      'pdf/new.md': 'new\n',
    });
    expect(document.changed).toMatchObject([
      {
        uri: 'skill://pdf/SKILL.md',
        breaking: true,
        frontmatter: [
          {
            field: 'description',
            before: 'Reads PDF files. Use when there is one.',
            after: 'Reads and writes.',
          },
          { field: 'license', after: 'MIT' },
        ],
        files: {
          added: [{ path: 'new.md', after: { size: 4 } }],
          removed: [{ path: 'data.bin', before: { size: 4 } }],
          changed: [
            { path: 'SKILL.md' },
            { path: 'scripts/run.sh', before: { size: 18 }, after: { size: 10 } },
          ],
          renamed: [],
        },
      },
    ]);
    expect(document.changed[0].frontmatter[1]).not.toHaveProperty('before');
    expect(stdout).toContain('license: (none) -> "MIT"');
    expect(stdout).toContain('removed data.bin breaking');
  });

  it.each([
    ['moved', { 'x/SKILL.md': skillText('x') }, { 'a/x/SKILL.md': skillText('x') }, 'files'],
    [
      'renamed with other files',
      { 'x/SKILL.md': skillText('x', 'One.'), 'x/a.md': 'a' },
      { 'y/SKILL.md': skillText('y', 'Two.'), 'y/a.md': 'a' },
      'supporting-files',
    ],
    ['renamed alone', { 'x/SKILL.md': skillText('x') }, { 'y/SKILL.md': skillText('y') }, 'description'],
  ])('calls a skill that was %s renamed, and that breaking', async (_what, before, after, by) => {
    const { code, stdout, document } = await compare(before, after);
    expect(code).toBe(1);
    expect(document).toMatchObject({
      added: [],
      removed: [],
      renamed: [{ from: { uri: 'skill://x/SKILL.md' }, by, breaking: true }],
      counts: { renamed: 1, breaking: 1 },
    });
    expect(stdout).toMatch(/^renamed skill:\/\/x\/SKILL\.md to skill:\/\/\S+ breaking/m);
  });

  it('calls a file with another name and the same bytes renamed, and that breaking', async () => {
    const { document, stdout } = await compare(
      { 'x/SKILL.md': skillText('x'), 'x/a.md': 'a' },
      { 'x/SKILL.md': skillText('x'), 'x/b.md': 'a' },
    );
    expect(document.changed[0]).toMatchObject({
      breaking: true,
      files: { renamed: [{ from: 'a.md', to: 'b.md' }] },
    });
    expect(document.counts.breaking).toBe(1);
    expect(stdout).toContain('renamed a.md to b.md breaking');
  });

  it('takes no two skills for one that are alike', async () => {
    const same = 'Does the same. Use when it is asked for.';
    const { document } = await compare(
      { 'a/SKILL.md': skillText('a', same), 'b/SKILL.md': skillText('b', same) },
      { 'c/SKILL.md': skillText('c', same), 'd/SKILL.md': skillText('d', same) },
    );
    expect(document.counts).toMatchObject({ added: 2, removed: 2, renamed: 0 });
  });

  it.each([
    ['draft-index', 0],
    ['fastmcp', 0],
    ['plain', 0],
  ])('sees the same skills in the dialect %s', async (dialect, exit) => {
    const { code, document } = await compare(TWO, TWO, ['--dialect', dialect]);
    expect(document.before.dialect).toBe(dialect);
    expect(code).toBe(exit);
  });

  it('looks for a changed field in SKILL.md where the entry does not state it', async () => {
    const { document } = await compare(
      { 'x/SKILL.md': '---\nname: x\ndescription: Does.\nlicense: MIT\n---\n' },
      { 'x/SKILL.md': '---\nname: x\ndescription: Does.\nlicense: BSD\n---\n' },
      ['--dialect', 'draft-index'],
    );
    expect(document.changed[0].frontmatter).toEqual([{ field: 'license', before: 'MIT', after: 'BSD' }]);
  });

  it('compares a folder with a server', async () => {
    const { url } = await opened(serve(TWO));
    const folder = newFolder();
    const { code, stdout } = await runWith(['diff', folder, url]);
    expect(code).toBe(1);
    expect(stdout).toContain(`${folder} to ${url}: 2 added\n`);
  });

  it.each([[0], [1]])('calls no skill gone or new whose entry is refused on one side: %j', async (bad) => {
    const make = (contents: Map<string, string>) => [
      lyingSkill('pdf', {}, contents),
      lyingSkill('acme/notes', {}, contents),
    ];
    const servers = [await opened(startLying(make)), await opened(startLying(make))] as const;
    const [pdf, notes] = servers[bad as 0 | 1].state.pages.flat();
    servers[bad as 0 | 1].state.pages = [[pdf as never, { ...(notes as object), resources: 'x' } as never]];
    const { code, stdout } = await runWith(['diff', servers[0].url, servers[1].url, '--json']);
    expect(code).toBe(4);
    expect(JSON.parse(stdout)).toMatchObject({ same: true, added: [], removed: [], renamed: [] });
  });

  it('calls no skill gone that could not be looked at', async () => {
    const { url } = await opened(serve(TWO));
    const lying = await opened(
      startLying((contents) => {
        const skill = lyingSkill('pdf', {}, contents);
        const resources = skill.resources as readonly object[];
        return [
          { ...skill, resources: [...resources, { uri: 'skill://pdf/a%FFb', digest: sha256('x'), size: 1 }] },
        ] as never;
      }),
    );
    const { code, stdout } = await runWith(['diff', url, lying.url, '--json']);
    const document = JSON.parse(stdout);
    expect(document.removed.map(({ uri }: { uri: string }) => uri)).toEqual(['skill://acme/notes/SKILL.md']);
    expect(code).toBe(4);
  });

  it('ends with 3 when one of the two speaks nothing that carries skills', async () => {
    const server = await opened(startLying(() => []));
    server.state.speaksNothing = true;
    const { url } = await opened(serve(TWO));
    for (const pair of [
      [server.url, url],
      [url, server.url],
    ]) {
      expect((await runWith(['diff', ...pair])).code).toBe(3);
    }
  });

  it('ends with 5 when a listing is not complete', async () => {
    const server = await opened(startLying((contents) => [lyingSkill('pdf', {}, contents)]));
    server.state.repeats = true;
    const { url } = await opened(serve(TWO));
    expect((await runWith(['diff', server.url, url])).code).toBe(5);
  });

  it.each([[['diff']], [['diff', 'a']], [['diff', 'a', 'b', 'c']], [['diff', 'a', 'b', '--', 'c']]])(
    'takes two targets: %j',
    async (args) => {
      const { code, stderr } = await runWith(args);
      expect(code).toBe(2);
      expect(stderr).toContain('diff takes two targets');
    },
  );
});

describe('credentials of two servers', () => {
  it('are not told to each other', async () => {
    const [a, b] = [await opened(startLying(() => [])), await opened(startLying(() => []))];
    const env = { SKILLWIRE_TOKEN: 'tok-for-the-first' };
    await runWith(['diff', a.url, b.url, '--header', 'X-One: one', '--header-b', 'X-Two: two'], { env });
    expect(a.state.headers[0]).toMatchObject({ authorization: 'Bearer tok-for-the-first', 'x-one': 'one' });
    expect(a.state.headers[0]).not.toHaveProperty('x-two');
    expect(b.state.headers[0]).toMatchObject({ 'x-two': 'two' });
    for (const headers of b.state.headers) {
      expect(headers).not.toHaveProperty('authorization');
      expect(headers).not.toHaveProperty('x-one');
    }
  });

  it('go to the one server there is, first or second', async () => {
    const server = await opened(startLying(() => []));
    const env = { SKILLWIRE_TOKEN: 'tok-for-the-only-one' };
    await runWith(['diff', newFolder(), server.url], { env });
    expect(server.state.headers[0]).toMatchObject({ authorization: 'Bearer tok-for-the-only-one' });
  });
});
