import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Catalog, openCatalog } from '../../src/catalog/index.ts';
import { isSkillError, SkillError } from '../../src/errors.ts';
import { directorySource, memorySource, mountSources } from '../../src/source/index.ts';
import { resolveRelative } from '../../src/uri/index.ts';
import { md, onDisk, watched } from './trees.ts';

interface Case {
  readonly id: string;
  readonly input: {
    readonly files?: Record<string, string | { readonly hex: string }>;
    readonly links?: Record<string, string>;
    readonly folders?: string[];
    readonly uris?: string[];
  };
}

const cases = new Map(
  ['nested', 'duplicates', 'filesystem'].flatMap((theme) =>
    (
      JSON.parse(readFileSync(new URL(`../vectors/bug-${theme}.json`, import.meta.url), 'utf8')) as Case[]
    ).map((each) => [each.id, each.input] as const),
  ),
);

function filesOf(id: string): Record<string, string | Uint8Array> {
  const entries = Object.entries(cases.get(id)?.files ?? {});
  return Object.fromEntries(
    entries.map(([path, content]) => [
      path,
      typeof content === 'string' ? content : Buffer.from(content.hex, 'hex'),
    ]),
  );
}

/** The tree of a case on disk. */
function tree(id: string): string {
  const root = onDisk(filesOf(id));
  for (const folder of cases.get(id)?.folders ?? []) mkdirSync(join(root, folder), { recursive: true });
  for (const [path, target] of Object.entries(cases.get(id)?.links ?? {})) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    symlinkSync(target.replace('{root}', root).replace('{home}', homedir()), join(root, path));
  }
  return root;
}

async function opened(id: string, below = ''): Promise<Catalog> {
  return openCatalog(directorySource(join(tree(id), below)));
}

const uris = (catalog: Catalog) => catalog.snapshot.skills.map((skill) => skill.uri);
const paths = (catalog: Catalog, at = 0) => catalog.snapshot.skills[at]?.files.map((file) => file.path);
const found = (catalog: Catalog) => catalog.snapshot.diagnostics.map(({ path, code }) => `${path} ${code}`);

async function code(work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (error) {
    if (isSkillError(error)) return error.code;
    throw error;
  }
  return 'fine';
}

/** Every listed URI reads back bytes with the digest of its entry. */
async function readsBack(catalog: Catalog): Promise<void> {
  for (const skill of catalog.snapshot.skills) {
    for (const file of skill.files) {
      const { bytes } = await catalog.read(file.uri);
      expect(`sha256:${createHash('sha256').update(bytes).digest('hex')}`).toBe(file.digest);
    }
  }
}

const tests: Record<string, () => Promise<void>> = {
  'ne-subskills-not-invocable': async () => {
    const catalog = await opened('ne-subskills-not-invocable');
    expect(uris(catalog)).toEqual([
      'skill://skills/dev/SKILL.md',
      'skill://skills/dev/skills/commit/SKILL.md',
      'skill://skills/dev/skills/td/SKILL.md',
    ]);
    expect(paths(catalog)).toEqual(['SKILL.md', 'skills/commit/SKILL.md', 'skills/td/SKILL.md']);
    expect(catalog.snapshot.skills.map((skill) => skill.frontmatter)).toEqual([
      { name: 'dev', description: 'd' },
      { name: 'commit', description: 'd' },
      { name: 'td', description: 'd' },
    ]);
  },
  'ne-relative-ref-from-nested': async () => {
    const catalog = await opened('ne-relative-ref-from-nested', 'skills');
    const skill = catalog.snapshot.skill('skill://p/q/SKILL.md');
    if (skill === undefined) throw new Error('not found');
    const target = resolveRelative(skill.uri, 'references/a.md', { nested: true });
    const { bytes } = await catalog.read(target.raw);
    expect(bytes.toString()).toBe('Q');
    expect(catalog.snapshot.locate('skill://p/q/references/a.md')).toMatchObject({ skill: { name: 'q' } });
  },

  'du-list-view-differ': async () => {
    const files = filesOf('du-list-view-differ') as Record<string, string>;
    const part = (root: string) =>
      memorySource(
        Object.fromEntries(
          Object.entries(files)
            .filter(([path]) => path.startsWith(root))
            .map(([path, content]) => [path.slice(root.length + 1), content]),
        ),
      );
    const catalog = await openCatalog(mountSources([{ source: part('rootA') }, { source: part('rootB') }]));
    expect(uris(catalog)).toEqual(['skill://cat/explore/SKILL.md', 'skill://explore/SKILL.md']);
    expect(catalog.snapshot.skills.map((skill) => skill.description)).toEqual(['local', 'external']);
    expect(found(catalog)).toEqual(['explore DUPLICATE_NAME']);
    await readsBack(catalog);
  },
  'du-dropped-silently': async () => {
    const catalog = await opened('du-dropped-silently');
    expect(uris(catalog)).toEqual(['skill://p1/skills/tdd/SKILL.md', 'skill://p2/skills/tdd/SKILL.md']);
    expect(catalog.snapshot.diagnostics).toMatchObject([
      {
        code: 'DUPLICATE_NAME',
        message: '"p2/skills/tdd" and "p1/skills/tdd" are two different skills called "tdd"; both are served',
      },
    ]);
  },
  'du-symlinked-roots-multiply': async () => {
    const root = tree('du-symlinked-roots-multiply');
    const catalog = await openCatalog(directorySource(root));
    expect(uris(catalog)).toEqual(['skill://.claude/skills/s/SKILL.md']);
    expect(found(catalog)).toEqual(['.github/skills FOLDER_REPEATED']);
    const both = mountSources([
      { source: directorySource(join(root, '.claude/skills')), prefix: 'one' },
      { source: directorySource(join(root, '.github/skills')), prefix: 'two' },
    ]);
    expect(uris(await openCatalog(both))).toEqual(['skill://one/s/SKILL.md']);
  },
  'du-skill-vs-server-name': async () => {
    const catalog = await opened('du-skill-vs-server-name');
    expect(uris(catalog)).toEqual(['skill://skills/mapper/SKILL.md']);
    expect(found(catalog)).toEqual([]);
  },

  'fs-symlinked-dir-skipped': async () => {
    const inside = await opened('fs-symlinked-dir-skipped', 'skills');
    expect(uris(inside)).toEqual(['skill://real/SKILL.md']);
    expect(found(inside)).toEqual(['dangling LINK_BROKEN', 'filelink LINK_ESCAPES', 'wrap-up LINK_ESCAPES']);
    const whole = await opened('fs-symlinked-dir-skipped');
    expect(uris(whole)).toEqual(['skill://skills/real/SKILL.md', 'skill://src/wrap-up/SKILL.md']);
    expect(found(whole)).toEqual(['skills/dangling LINK_BROKEN', 'skills/wrap-up FOLDER_REPEATED']);
  },
  'fs-symlink-self-loop': async () => {
    const catalog = await opened('fs-symlink-self-loop');
    expect(uris(catalog)).toEqual(['skill://skills/creative/demo/SKILL.md']);
    expect(paths(catalog)).toEqual(['SKILL.md']);
    expect(catalog.snapshot.diagnostics.length).toBe(1);
  },
  'fs-symlink-cycle-hang': async () => {
    const catalog = await opened('fs-symlink-cycle-hang');
    expect(uris(catalog)).toEqual(['skill://skills/a/SKILL.md', 'skill://skills/b/SKILL.md']);
    expect([paths(catalog, 0), paths(catalog, 1)]).toEqual([['SKILL.md'], ['SKILL.md']]);
  },
  'fs-symlink-to-root': async () => {
    for (const symlinks of ['contained', 'follow', 'refuse'] as const) {
      const root = tree('fs-symlink-to-root');
      const catalog = await openCatalog(directorySource(root, { symlinks }));
      expect(uris(catalog)).toEqual(['skill://skills/x/SKILL.md']);
      expect(paths(catalog)).toEqual(['SKILL.md']);
      expect(catalog.snapshot.diagnostics.map(({ path }) => path)).toEqual(['skills/home', 'skills/x/trap']);
      expect(await code(() => catalog.read('skill://skills/x/trap/etc/passwd'))).toBe('RESOURCE_NOT_FOUND');
    }
  },
  'fs-install-leaves-dangling-link': async () => {
    const catalog = await opened('fs-install-leaves-dangling-link');
    expect(uris(catalog)).toEqual(['skill://plugins/p/skills/s/SKILL.md']);
    const dangling = onDisk({ 'good/SKILL.md': md('good') }, { skills: '/nowhere/of/a/clone/skills' });
    const left = await openCatalog(directorySource(dangling));
    expect([uris(left), found(left)]).toEqual([['skill://good/SKILL.md'], ['skills LINK_BROKEN']]);
  },
  'fs-git-dir-packed': async () => {
    const catalog = await opened('fs-git-dir-packed');
    expect(paths(catalog)).toEqual(['SKILL.md']);
    expect(await code(() => catalog.read('skill://skills/s/.git/config'))).toBe('RESOURCE_NOT_FOUND');
  },
  'fs-env-file-shipped': async () => {
    const catalog = await opened('fs-env-file-shipped');
    expect(paths(catalog)).toEqual(['.env.example', 'SKILL.md', 'build/out.txt']);
    expect(found(catalog)).toEqual([
      'skills/w/.env.local SECRET_WITHHELD',
      'skills/w/keys/id_rsa SECRET_WITHHELD',
    ]);
    expect(await code(() => catalog.read('skill://skills/w/.env.local'))).toBe('RESOURCE_NOT_FOUND');
  },
  'fs-ignore-file': async () => {
    const catalog = await opened('fs-ignore-file');
    expect(paths(catalog)?.filter((path) => path !== '.skillignore')).toEqual(['SKILL.md', 'keep.log']);
    const stubborn = memorySource({ 's/SKILL.md': md('s'), 's/.skillignore': '*\nSKILL.md\n', 's/x': '1' });
    const kept = await openCatalog(stubborn);
    expect(paths(kept)?.filter((path) => path !== '.skillignore')).toEqual(['SKILL.md']);
  },
  'fs-root-is-a-file': async () => {
    const root = tree('fs-root-is-a-file');
    expect(await code(() => openCatalog(directorySource(join(root, 'a/skills'))))).toBe(
      'SOURCE_NOT_A_FOLDER',
    );
    expect(uris(await openCatalog(directorySource(join(root, 'b/skills'))))).toEqual([
      'skill://good/SKILL.md',
    ]);
    expect(uris(await openCatalog(directorySource(root)))).toEqual(['skill://b/skills/good/SKILL.md']);
  },
  'fs-unreadable-looks-deleted': async () => {
    const files = filesOf('fs-unreadable-looks-deleted') as Record<string, string>;
    const source = watched(memorySource(files));
    const catalog = await openCatalog(source);
    expect(uris(catalog).length).toBe(2);
    source.errors.set('read skills/locked/SKILL.md', () => new SkillError('FILE_UNREADABLE'));
    expect(await code(() => catalog.read('skill://skills/locked/SKILL.md'))).toBe('FILE_UNREADABLE');
    expect(uris(catalog).length).toBe(2);
    source.errors.set('stat skills/locked/SKILL.md', () => new SkillError('FILE_UNREADABLE'));
    await catalog.refresh();
    expect(catalog.snapshot.refused.map(({ path, diagnostic }) => [path, diagnostic.code])).toEqual([
      ['skills/locked', 'FILE_UNREADABLE'],
    ]);
    expect(uris(catalog)).toEqual(['skill://skills/good/SKILL.md']);
    source.errors.set('list ', () => new SkillError('SOURCE_UNREADABLE'));
    expect(await code(() => catalog.refresh())).toBe('SOURCE_UNREADABLE');
    expect(uris(catalog)).toEqual(['skill://skills/good/SKILL.md']);
  },
  'fs-binary-read-as-text-js': async () => {
    const catalog = await opened('fs-binary-read-as-text-js');
    const { file, bytes } = await catalog.read('skill://skills/s/assets/logo.png');
    expect(file).toMatchObject({ text: false, mimeType: 'image/png', size: 16 });
    expect(bytes.toString('hex')).toBe('89504e470d0a1a0a0000000d49484452');
    expect(file.digest).toBe(`sha256:${createHash('sha256').update(bytes).digest('hex')}`);
  },
  'fs-percent-encoded-names': async () => {
    const catalog = await opened('fs-percent-encoded-names', 'skills');
    expect(catalog.snapshot.skills[0]?.files.map((file) => file.uri)).toEqual([
      'skill://demo/SKILL.md',
      'skill://demo/caf%C3%A9.md',
      'skill://demo/how%20to.md',
      'skill://demo/how%2520to.md',
    ]);
    await readsBack(catalog);
    expect((await catalog.read('skill://demo/how%20to.md')).bytes.toString()).toBe('x');
    expect((await catalog.read('skill://demo/how%2520to.md')).bytes.toString()).toBe('y');
  },
  'fs-hash-and-question-in-names': async () => {
    const catalog = await opened('fs-hash-and-question-in-names', 'skills');
    expect(catalog.snapshot.skills[0]?.files.map((file) => file.uri)).toEqual([
      'skill://demo/SKILL.md',
      'skill://demo/a%26b%3Dc%2Bd.md',
      'skill://demo/c%23/q%3F.md',
    ]);
    await readsBack(catalog);
  },
  'fs-decode-mismatch': async () => {
    const catalog = await opened('fs-decode-mismatch', 'skills');
    const { bytes } = await catalog.read('skill://demo/note%237%20%26k%3D1%2Bx%3F.md');
    expect(bytes.toString()).toBe('x');
    for (const uri of ['skill://demo/a%2Fb.md', 'skill://demo/..%2Fx', 'skill://demo/a%5Cb']) {
      expect(await code(() => catalog.read(uri))).toBe('RESOURCE_NOT_FOUND');
    }
  },
  'fs-malformed-escape': async () => {
    const catalog = await openCatalog(memorySource({ 'demo/SKILL.md': md('demo') }));
    for (const uri of cases.get('fs-malformed-escape')?.uris ?? []) {
      const error = await Promise.resolve()
        .then(() => catalog.read(uri))
        .catch((thrown) => thrown);
      expect([isSkillError(error, 'RESOURCE_NOT_FOUND'), error.rpcCode]).toEqual([true, -32602]);
    }
    await readsBack(catalog);
  },
  'fs-encoded-id-compare': async () => {
    const catalog = await openCatalog(memorySource({ 'demo/SKILL.md': md('demo'), 'demo/a:b.md': 'x' }));
    const answers = (cases.get('fs-encoded-id-compare')?.uris ?? []).map((uri) => catalog.read(uri));
    for (const answer of await Promise.all(answers)) expect(answer.file.uri).toBe('skill://demo/a%3Ab.md');
    expect(answers.length).toBe(3);
  },
  'fs-empty-dirs-lost': async () => {
    const catalog = await opened('fs-empty-dirs-lost');
    const skill = catalog.snapshot.skills[0];
    if (skill === undefined) throw new Error('not found');
    expect(skill.folders).toEqual(['data', 'data/raw', 'out']);
    expect(catalog.snapshot.children(skill, 'out')).toEqual([]);
    expect(skill.files.length).toBe(1);
  },
  'fs-fifo-blocks': async () => {
    const root = tree('fs-fifo-blocks');
    execFileSync('mkfifo', [join(root, 'skills/s/pipe.md')]);
    const socket = createServer();
    await new Promise<void>((done) => socket.listen(join(root, 'skills/s/sock'), done));
    try {
      const catalog = await openCatalog(directorySource(root));
      expect(paths(catalog)).toEqual(['SKILL.md']);
      expect(found(catalog)).toEqual(['skills/s/pipe.md SPECIAL_FILE', 'skills/s/sock SPECIAL_FILE']);
      expect(await code(() => catalog.read('skill://skills/s/pipe.md'))).toBe('RESOURCE_NOT_FOUND');
    } finally {
      await new Promise((done) => socket.close(done));
    }
  },
  'fs-rehash-per-request': async () => {
    const files: Record<string, string> = { 'skills/.git/a/b/c/d': 'x' };
    for (let at = 0; at < 300; at++) files[`skills/s${at}/SKILL.md`] = md(`s${at}`);
    const old = Date.now() - 60_000;
    const memory = memorySource(files, { modifiedAt: old });
    const source = watched(memory);
    const catalog = await openCatalog(source);
    source.calls.length = 0;
    for (let at = 0; at < 30; at++) catalog.snapshot.skill(`skill://skills/s${at}/SKILL.md`);
    expect(source.calls).toEqual([]);
    await catalog.refresh();
    expect(source.calls.filter((call) => call.startsWith('read') || call.includes('.git'))).toEqual([]);
    memory.set('skills/s7/SKILL.md', md('s7', 'edited'), { modifiedAt: old });
    await catalog.refresh();
    expect(source.calls.filter((call) => call.startsWith('read'))).toEqual(['read skills/s7/SKILL.md']);
  },
  'fs-prose-dir-mention': async () => {
    const catalog = await opened('fs-prose-dir-mention');
    expect(paths(catalog)).toEqual(['SKILL.md', 'scripts/lib/a.py']);
    expect(found(catalog)).toEqual([]);
  },
  'fs-glob-chars-in-names': async () => {
    const catalog = await opened('fs-glob-chars-in-names', 'skills');
    expect(catalog.snapshot.skills[0]?.files[1]?.uri).toBe(
      'skill://ml/docs/%5BEnglish%5D%20talk%20%7B1%7D%20%2A.txt',
    );
    await readsBack(catalog);
  },
  'fs-list-and-read-guards-differ': async () => {
    const root = tree('fs-list-and-read-guards-differ');
    const evil = onDisk({ 'y/SKILL.md': md('y') });
    symlinkSync(evil, join(root, 'extra-evil'));
    const main = onDisk({}, { x: join(root, 'extra/x'), evil: join(root, 'extra-evil') });
    const catalog = await openCatalog(directorySource(main, { linkRoots: [join(root, 'extra')] }));
    expect(uris(catalog)).toEqual(['skill://x/SKILL.md']);
    expect(found(catalog)).toEqual(['evil LINK_ESCAPES']);
    await readsBack(catalog);
  },
};

describe('recorded reports', () => {
  it.each(Object.entries(tests))('%s', (_id, test) => test());

  it('has a test for each', () => {
    expect(Object.keys(tests).sort()).toEqual([...cases.keys()].sort());
  });
});
