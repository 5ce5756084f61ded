import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type LyingServer, type LyingSkill, lyingSkill, sha256, startLying } from './lying-server.ts';
import { skillText } from './program.ts';
import { newFolder, removeFolders, runWith, serve, TWO } from './targets.ts';

const open: { close(): Promise<void> }[] = [];

async function lying(...args: Parameters<typeof startLying>): Promise<LyingServer> {
  const server = await startLying(...args);
  open.push(server);
  return server;
}

afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
  removeFolders();
});

async function verifyJson(
  args: readonly string[],
): Promise<{ code: number; document: Record<string, never> }> {
  const { code, stdout } = await runWith(['verify', ...args, '--json']);
  return { code, document: JSON.parse(stdout) };
}

const NONE = { verified: 0, failed: 0, unverifiable: 0, unread: 0, incomplete: 0, refused: 0 };

describe('verify', () => {
  it('reads every file and says that all is as stated', async () => {
    const server = await serve(TWO);
    open.push(server);
    const { code, stdout, stderr } = await runWith(['verify', server.url]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(`${server.url} (released): 2 skills, 4 files, 189 B: 2 verified\n`);
    expect((await verifyJson([server.url])).document).toEqual({
      schema: 1,
      target: server.url,
      dialect: 'released',
      ok: true,
      complete: true,
      counts: { ...NONE, skills: 2, verified: 2, files: 4, bytes: 189 },
      skills: [
        {
          uri: 'skill://acme/notes/SKILL.md',
          name: 'notes',
          dialect: 'released',
          integrity: 'complete',
          outcome: 'verified',
          files: [
            {
              path: 'SKILL.md',
              uri: 'skill://acme/notes/SKILL.md',
              outcome: 'verified',
              size: 89,
              digest: sha256(String(TWO['acme/notes/SKILL.md'])),
            },
          ],
        },
        expect.objectContaining({ uri: 'skill://pdf/SKILL.md', outcome: 'verified' }),
      ],
      problems: [],
    });
  });

  it.each(['draft-index', 'fastmcp', 'plain'])(
    'says what can be verified in the dialect %s',
    async (dialect) => {
      const server = await serve(TWO);
      open.push(server);
      const { code, document } = await verifyJson([server.url, '--dialect', dialect]);
      expect(code).toBe(0);
      const { counts, skills } = document as unknown as {
        counts: Record<string, number>;
        skills: { dialect: string; outcome: string }[];
      };
      expect(skills.map((skill) => skill.dialect)).toEqual([dialect, dialect]);
      expect(counts).toMatchObject(dialect === 'plain' ? { unverifiable: 2 } : { failed: 0 });
      const strict = await verifyJson([server.url, '--dialect', dialect, '--require-digests']);
      expect(strict.code).toBe((counts.unverifiable ?? 0) > 0 ? 4 : 0);
    },
  );

  it('checks a source through the same requests', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'SKILL.md'), skillText('alone'));
    const { code, stdout } = await runWith(['verify', folder]);
    expect(code).toBe(0);
    expect(stdout).toContain('1 verified');
  });

  it('checks the skills that are named, and says which there are', async () => {
    const server = await lying((contents) => [
      lyingSkill('pdf', {}, contents),
      lyingSkill('bad', {}, contents),
    ]);
    server.state.contents.set('skill://bad/SKILL.md', 'x');
    expect((await runWith(['verify', server.url, 'pdf'])).code).toBe(0);
    expect((await runWith(['verify', server.url, 'skill://bad'])).code).toBe(4);
    const { code, stderr } = await runWith(['verify', server.url, 'pfd']);
    expect(code).toBe(3);
    expect(stderr).toContain('did you mean pdf?');
  });
});

describe('verify of a server that lies', () => {
  const lies: readonly (readonly [string, string, (server: LyingServer, skill: LyingSkill) => void])[] = [
    ['bytes', 'DIGEST_MISMATCH', ({ state }) => state.contents.set('skill://bad/a.md', 'b')],
    ['the size', 'SIZE_MISMATCH', ({ state }) => state.contents.set('skill://bad/a.md', 'aa')],
    ['a file', 'RESOURCE_NOT_FOUND', ({ state }) => state.contents.delete('skill://bad/a.md')],
    [
      'the frontmatter',
      'FRONTMATTER_MISMATCH',
      (_server, skill) => {
        skill.frontmatter.license = 'MIT';
      },
    ],
  ];

  it.each(lies)('fails for %s and names %s, the others verified', async (_what, expected, lie) => {
    const server = await lying((contents) => [
      lyingSkill('bad', { 'a.md': 'a' }, contents),
      lyingSkill('good', {}, contents),
    ]);
    const [bad] = server.state.pages.flat();
    if (bad !== undefined) lie(server, bad);
    const { code, document } = await verifyJson([server.url]);
    expect(code).toBe(4);
    expect(document).toMatchObject({ ok: false, counts: { verified: 1, failed: 1 } });
    const [report] = document.skills as unknown as { files: { path: string; error?: { code: string } }[] }[];
    const path = expected === 'FRONTMATTER_MISMATCH' ? 'SKILL.md' : 'a.md';
    expect(report?.files.filter((file) => file.error !== undefined)).toMatchObject([
      { path, outcome: 'failed', error: { code: expected } },
    ]);
    const { stdout } = await runWith(['verify', server.url]);
    expect(stdout).toContain('failed skill://bad/SKILL.md');
    expect(stdout).toMatch(new RegExp(`failed ${path}: \\[${expected}\\]`));
  });

  it('tells what was expected and what came', async () => {
    const server = await lying((contents) => [lyingSkill('bad', { 'a.md': 'a' }, contents)]);
    server.state.contents.set('skill://bad/a.md', 'b');
    const { document } = await verifyJson([server.url]);
    const [report] = document.skills as unknown as { files: { error?: object }[] }[];
    expect(report?.files.map(({ error }) => error)).toContainEqual(
      expect.objectContaining({
        expected: 'sha256:ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb',
        actual: 'sha256:3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d',
      }),
    );
  });

  it('fails for an entry against the rules', async () => {
    const server = await lying((contents) => [
      lyingSkill('good', {}, contents),
      { ...lyingSkill('bad', {}, contents), resources: 'nonsense' as never },
    ]);
    const { code, document } = await verifyJson([server.url]);
    expect(code).toBe(4);
    expect(document).toMatchObject({ ok: false, counts: { verified: 1, refused: 1 } });
  });

  it('ends with 5 when there may be more', async () => {
    const server = await lying((contents) => [lyingSkill('good', {}, contents)]);
    server.state.repeats = true;
    const { code, document } = await verifyJson([server.url]);
    expect(code).toBe(5);
    expect(document).toMatchObject({ ok: false, complete: false });
  });

  it('compares the frontmatter of what is made anew at each read, and calls it unverifiable', async () => {
    const server = await lying((contents) => [{ ...lyingSkill('live', {}, contents), resources: 'dynamic' }]);
    const { code, document } = await verifyJson([server.url]);
    expect(code).toBe(0);
    expect(document).toMatchObject({ counts: { unverifiable: 1 } });
    expect((await verifyJson([server.url, '--require-digests'])).code).toBe(4);
    server.state.contents.set('skill://live/SKILL.md', skillText('live', 'Something else.'));
    expect((await verifyJson([server.url])).code).toBe(4);
  });

  it('ends with 3 when the server goes away in the middle', async () => {
    const server = await lying((contents) =>
      Array.from({ length: 30 }, (_, index) => lyingSkill(`skill-${index}`, {}, contents)),
    );
    server.state.readDelayMs = 50;
    const running = runWith(['verify', server.url, '--json']);
    while (server.state.reads.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await server.close();
    open.splice(0);
    const { code, stdout } = await running;
    expect(code).toBe(3);
    expect(JSON.parse(stdout).counts.unread).toBeGreaterThan(0);
  }, 30_000);
});

describe('verify --locked', () => {
  async function pulled(): Promise<{ server: LyingServer; folder: string }> {
    const server = await lying((contents) => [
      lyingSkill('pdf', { 'a.md': 'a' }, contents),
      lyingSkill('acme/notes', {}, contents),
      lyingSkill('other', {}, contents),
    ]);
    const folder = newFolder();
    expect((await runWith(['pull', server.url, 'pdf', 'notes', '--to', folder])).code).toBe(0);
    return { server, folder };
  }

  it('is content while nothing changed, whatever else the server has', async () => {
    const { server, folder } = await pulled();
    server.state.contents.set('skill://other/SKILL.md', 'x');
    const { code, document } = await verifyJson([server.url, '--locked', folder]);
    expect(code).toBe(0);
    expect(document).toMatchObject({ ok: true, counts: { skills: 2, verified: 2 } });
  });

  const changes: readonly (readonly [string, string, (server: LyingServer, folder: string) => void])[] = [
    [
      'a file of the server, honestly',
      'the server has something else than what was pulled: a.md',
      ({ state }) => {
        state.pages = [
          [lyingSkill('pdf', { 'a.md': 'new' }, state.contents), ...state.pages.flat().slice(1)],
        ];
      },
    ],
    [
      'a new file of the server',
      'b.md',
      ({ state }) => {
        state.pages = [
          [lyingSkill('pdf', { 'a.md': 'a', 'b.md': 'b' }, state.contents), ...state.pages.flat().slice(1)],
        ];
      },
    ],
    [
      'the listing',
      'is not listed any more',
      ({ state }) => {
        state.pages = [state.pages.flat().slice(1)];
      },
    ],
    [
      'a file here',
      'was changed here: a.md',
      (_server, folder) => writeFileSync(join(folder, 'pdf', 'a.md'), 'b'),
    ],
    [
      'a further file here',
      'was changed here: b.md',
      (_server, folder) => writeFileSync(join(folder, 'pdf', 'b.md'), 'b'),
    ],
    [
      'the folder here',
      'was changed here: the folder itself',
      (_server, folder) => rmSync(join(folder, 'pdf'), { recursive: true }),
    ],
  ];

  it.each(changes)('sees a change of %s', async (_what, expected, change) => {
    const { server, folder } = await pulled();
    change(server, folder);
    const { code, document } = await verifyJson([server.url, '--locked', folder]);
    expect(code).toBe(4);
    const skills = document.skills as unknown as {
      uri: string;
      outcome: string;
      error?: { code: string; message: string };
    }[];
    expect(skills.filter(({ outcome }) => outcome === 'failed')).toMatchObject([
      {
        uri: 'skill://pdf/SKILL.md',
        error: { code: 'RECORD_MISMATCH', message: expect.stringContaining(expected) },
      },
    ]);
  });

  it('looks at every folder that a skill was pulled into', async () => {
    const { server, folder } = await pulled();
    expect((await runWith(['pull', server.url, 'notes', '--to', folder, '--flat'])).code).toBe(0);
    expect((await verifyJson([server.url, '--locked', folder])).code).toBe(0);
    for (const path of ['acme/notes', 'notes']) {
      writeFileSync(join(folder, path, 'new.md'), 'b');
      const { code, document } = await verifyJson([server.url, '--locked', folder]);
      expect(code).toBe(4);
      expect(JSON.stringify(document)).toContain(`${join(folder, path)} was changed here: new.md`);
      rmSync(join(folder, path, 'new.md'));
    }
  });

  it('wants skills of this target, and no names', async () => {
    const { server, folder } = await pulled();
    const other = await lying(() => []);
    const { code, stderr } = await runWith(['verify', other.url, '--locked', folder]);
    expect(code).toBe(2);
    expect(stderr).toContain(`nothing in ${folder} was pulled from ${other.url}`);
    expect((await runWith(['verify', server.url, 'pdf', '--locked', folder])).code).toBe(2);
  });
});

describe('what is not there', () => {
  const COMMANDS = ['list', 'verify', 'diff', 'pull'] as const;
  const lineOf = (command: (typeof COMMANDS)[number], url: string): string[] => {
    if (command === 'diff') return ['diff', url, url];
    return command === 'pull' ? ['pull', url, '--to', newFolder()] : [command, url];
  };

  it.each(COMMANDS)(
    'is no success of %s without the token, nor where a named dialect is not spoken',
    async (command) => {
      const locked = await serve(TWO, { token: 'a-token-of-many-letters' });
      const other = await serve(TWO, { dialects: ['fastmcp'] });
      open.push(locked, other);
      const refused = await runWith([
        ...lineOf(command, new URL(locked.url).origin),
        '--dialect',
        'well-known',
      ]);
      expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining('it answers 401') });
      const silent = await runWith([...lineOf(command, other.url), '--dialect', 'draft-index']);
      expect(silent).toMatchObject({
        code: 3,
        stderr: expect.stringContaining('nothing of the dialect draft-index'),
      });
    },
  );

  it.each([
    ['draft-index', (url: string) => url],
    ['well-known', (url: string) => new URL(url).origin],
  ])('is told from an index that is empty: %s', async (dialect, at) => {
    const server = await serve({});
    open.push(server);
    const { code } = await runWith(['verify', at(server.url), '--dialect', dialect]);
    expect(code).toBe(0);
    const strict = await runWith(['verify', at(server.url), '--dialect', dialect, '--require-digests']);
    expect(strict).toMatchObject({ code: 4, stderr: expect.stringContaining('there is no skill') });
  });

  it.each(COMMANDS)('is a finding of %s below --min-skills', async (command) => {
    const server = await serve(TWO);
    open.push(server);
    const few = await runWith([...lineOf(command, server.url), '--min-skills', '3']);
    expect(few).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`${server.url} has 2 skills, fewer than the 3 of --min-skills`),
    });
    expect((await runWith([...lineOf(command, server.url), '--min-skills', '2'])).code).toBe(0);
    expect((await runWith([...lineOf(command, server.url), '--min-skills', 'x'])).code).toBe(2);
  });
});

describe('a target beside the command of another', () => {
  it.each([
    ['list', 'skills'],
    ['list', './skills'],
    ['verify', './skills'],
    ['verify', 'https://host/mcp'],
    ['pull', '../skills'],
    ['show', 'github:acme/skills'],
  ])('is refused by %s', async (command, word) => {
    const to = command === 'pull' ? ['--to', newFolder()] : [];
    const { code, stderr } = await runWith([command, word, ...to, '--', 'node', 'x']);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining(`"${word}" is a target and so is the command after --`),
    });
  });
});

describe('a skill that is only a SKILL.md', () => {
  it.each(['released', 'draft-index', 'fastmcp'])('is verified as a whole in %s', async (dialect) => {
    const server = await serve({ 'pdf/SKILL.md': skillText('pdf') });
    open.push(server);
    const { code, document } = await verifyJson([server.url, '--dialect', dialect, '--require-digests']);
    expect({ code, skills: document.skills }).toMatchObject({
      code: 0,
      skills: [{ outcome: 'verified', integrity: 'complete' }],
    });
  });
});

describe('what is wrong with a command line', () => {
  it.each([
    [['list', 'https://'], 2, 'what begins as a URL here is no URL'],
    [['help', 'nope'], 2, 'there is no command "nope"'],
    [['help', 'verfy'], 2, 'did you mean verify'],
    [['unpack', 'README.md'], 3, 'give it the ending of its format'],
    [['list', 'examples/skills', '--header', 'foo'], 2, "--header is not of the form 'Name: value'"],
    [['pull', 'examples/skills', '--to', 'package.json'], 3, 'package.json is a file or lies below one'],
  ] as const)('is said: %j', async (args, code, message) => {
    const ran = await runWith(args);
    expect(ran.stderr).toContain(message);
    expect(ran.code).toBe(code);
  });
});
